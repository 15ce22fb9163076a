#include "apps/optimux/inspect/examination_report.hpp"

#include "apps/optimux/pool/text_table.hpp"
#include "base/text.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

namespace optimux::apps {
namespace {

using nlohmann::ordered_json;

constexpr std::array<const char*, base::kPhases> kPhaseNames = {"head", "first", "good", "full"};

const char* name_of(base::Phase phase) {
  return kPhaseNames[static_cast<std::size_t>(phase)];
}

double percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

std::string percent_text(std::uint64_t part, std::uint64_t whole) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f %%", percent(part, whole));
  return text.data();
}

std::string numbered(const media::PhaseEnd& end) {
  return std::string(end.part) + (end.number > 0 ? ' ' + std::to_string(end.number) : "");
}

std::string headline(const media::ImageInfo& info) {
  const char* const order = info.format == media::Format::kPng ? ", interlaced" : ", progressive";
  std::string text = std::string(media::name_of(info.format)) + (info.is_progressive ? order : "") + ", " +
                     std::to_string(info.width) + " x " + std::to_string(info.height) + " pixels";
  if (info.pages > 1) text += ", " + std::to_string(info.pages) + " pages";
  return text + ", " + std::to_string(info.bytes) + " bytes";
}

// Phases that end together share a line.
std::string phase_table(const Examination& examination) {
  TextTable table({"phase", "end", "of all", "what ends there"}, TextTable::FirstColumn::kName);
  std::string names;
  const auto phases = examination.phases();
  for (std::size_t i = 0; i < phases.size(); ++i) {
    names += (names.empty() ? "" : ", ") + std::string(name_of(phases[i].phase));
    if (i + 1 < phases.size() && phases[i + 1].offset == phases[i].offset) continue;
    table.add({std::exchange(names, ""), std::to_string(phases[i].offset),
               percent_text(phases[i].offset, examination.info.bytes), numbered(phases[i])});
  }
  return table.text();
}

// There are no bytes between the head and what the format has for a preview.
bool lacks_preview(const Examination& examination) {
  const auto phases = examination.phases();
  return phases[1].offset == phases[0].offset;
}

std::vector<int> components_of(const media::JpegScan& scan) {
  std::vector<int> components;
  for (int i = 0; i < 4; ++i) {
    if ((scan.components >> i & 1U) != 0) components.push_back(i + 1);
  }
  return components;
}

std::string joined(const std::vector<int>& numbers) {
  std::string text;
  for (const int number : numbers) text += (text.empty() ? "" : " ") + std::to_string(number);
  return text;
}

std::string coefficients_of(const media::JpegScan& scan) {
  const std::string first = std::to_string(scan.first_coefficient);
  return scan.first_coefficient == scan.last_coefficient ? first : first + '-' + std::to_string(scan.last_coefficient);
}

std::string bits_of(const media::JpegScan& scan) {
  return (scan.bit_before ? std::to_string(*scan.bit_before) + " to " : "") + std::to_string(scan.bit);
}

std::string scan_table(const Examination& examination) {
  TextTable table({"scan", "components", "coefficients", "lowest bit", "end", "of all"},
                  TextTable::FirstColumn::kNumber);
  int number = 0;
  for (const media::JpegScan& scan : examination.found.scans) {
    table.add({std::to_string(++number), joined(components_of(scan)), coefficients_of(scan), bits_of(scan),
               std::to_string(scan.end), percent_text(scan.end, examination.info.bytes)});
  }
  return table.text();
}

// File names are bytes; those that are no UTF-8 become U+FFFD.
std::string dump(const ordered_json& object) {
  return object.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

double two_decimals(double value) {
  return std::round(value * 100) / 100;
}

ordered_json phases_json(const Examination& examination) {
  ordered_json list = ordered_json::array();
  for (const media::PhaseEnd& end : examination.phases()) {
    ordered_json phase = {{"phase", name_of(end.phase)},
                          {"end", end.offset},
                          {"percent", two_decimals(percent(end.offset, examination.info.bytes))},
                          {"part", end.part}};
    if (end.number > 0) phase["number"] = end.number;
    list.push_back(std::move(phase));
  }
  return list;
}

ordered_json scans_json(const Examination& examination) {
  ordered_json list = ordered_json::array();
  for (const media::JpegScan& scan : examination.found.scans) {
    ordered_json one = {{"components", components_of(scan)},
                        {"first_coefficient", scan.first_coefficient},
                        {"last_coefficient", scan.last_coefficient}};
    if (scan.bit_before) one["bit_before"] = *scan.bit_before;
    one["bit"] = scan.bit;
    one["end"] = scan.end;
    one["percent"] = two_decimals(percent(scan.end, examination.info.bytes));
    list.push_back(std::move(one));
  }
  return list;
}

}  // namespace

std::string to_text(std::string_view name, const Examination& examination) {
  std::string text = base::printable(name) + ": " + headline(examination.info) + '\n' + phase_table(examination);
  if (lacks_preview(examination)) text += "no preview: all of the picture shows at its end only\n";
  if (!examination.found.scans.empty()) text += scan_table(examination);
  return text;
}

std::string to_json(std::string_view name, const Examination& examination) {
  const media::ImageInfo& info = examination.info;
  ordered_json object = {{"input", name},
                         {"format", media::name_of(info.format)},
                         {"width", info.width},
                         {"height", info.height},
                         {"pages", info.pages},
                         {"pixels", std::int64_t{info.width} * info.height},
                         {"progressive", info.is_progressive},
                         {"bytes", info.bytes},
                         {"phases", phases_json(examination)}};
  if (!examination.found.scans.empty()) object["scans"] = scans_json(examination);
  return dump(object);
}

std::string to_json(std::string_view name, const base::Error& error) {
  ordered_json failure = {{"code", base::name_of(error.code)}, {"detail", error.detail}};
  if (!error.cause.empty()) failure["cause"] = error.cause;
  return dump({{"input", name}, {"error", failure}});
}

}  // namespace optimux::apps

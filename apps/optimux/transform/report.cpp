#include "apps/optimux/transform/report.hpp"

#include "apps/optimux/complaint.hpp"
#include "base/text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ostream>
#include <string_view>

namespace optimux::apps {
namespace {

using nlohmann::ordered_json;

std::string_view name_of(Outcome::Kind kind) {
  switch (kind) {
    case Outcome::Kind::kWritten: return "written";
    case Outcome::Kind::kSkipped: return "skipped";
    case Outcome::Kind::kFailed: return "failed";
  }
  return "";
}

// Paths are bytes; those that are no UTF-8 become U+FFFD.
std::string dump(const ordered_json& object) {
  return object.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

double milliseconds(std::chrono::microseconds time) {
  return static_cast<double>(time.count()) / 1e3;
}

std::string one_decimal(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

std::string readable_bytes(std::uint64_t bytes) {
  constexpr std::string_view kUnits[] = {"KiB", "MiB", "GiB", "TiB"};
  if (bytes < 1024) return std::to_string(bytes) + " B";
  double value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  for (; value >= 1024 && unit + 1 < std::size(kUnits); ++unit) value /= 1024;
  return one_decimal(value) + " " + std::string(kUnits[unit]);
}

std::string describe(const Failure& error) {
  return with_cause(error.detail, error.cause);
}

// The end of a name: what tells it from others stands there. Not cut within a character of UTF-8.
std::string_view shortened(std::string_view name) {
  constexpr std::size_t kBytes = 40;
  const auto is_continuation = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; };
  name = name.substr(name.size() - std::min(name.size(), kBytes));
  while (name.size() == kBytes && is_continuation(name.front())) name.remove_prefix(1);
  return name;
}

}  // namespace

Report::Report(const Options& options, std::ostream& out, std::ostream& messages)
    : options_(options), out_(out), messages_(messages), started_(std::chrono::steady_clock::now()) {}

void Report::add(const Outcome& outcome) {
  switch (outcome.kind) {
    case Outcome::Kind::kWritten: ++written_; break;
    case Outcome::Kind::kSkipped: ++skipped_; break;
    case Outcome::Kind::kFailed: ++failed_; break;
  }
  bytes_ += outcome.bytes;
  if (options_.json) add_json(outcome);
  if (!options_.json && outcome.error) print_failure(outcome);
  if (options_.progress) draw_bar(outcome.input);
}

void Report::add_json(const Outcome& outcome) {
  out_ << to_json(outcome) << '\n' << std::flush;
}

void Report::print_failure(const Outcome& outcome) {
  clear_bar();
  messages_ << "optimux: " << base::printable(outcome.input + ": " + describe(*outcome.error)) << '\n';
}

void Report::draw_bar(const std::string& name) {
  constexpr std::size_t kWidth = 30;
  const std::size_t filled = options_.expected == 0 ? kWidth : std::min(kWidth, done() * kWidth / options_.expected);
  messages_ << "\r\x1b[K[" << std::string(filled, '#') << std::string(kWidth - filled, '-') << "] " << done() << "/"
            << options_.expected << " " << base::printable(shortened(name)) << std::flush;
  has_bar_ = true;
}

void Report::clear_bar() {
  if (has_bar_) messages_ << "\r\x1b[K" << std::flush;
  has_bar_ = false;
}

void Report::finish(std::size_t passed_over, bool was_interrupted) {
  clear_bar();
  if (options_.json) return finish_json(passed_over, was_interrupted);
  if (options_.quiet) return;
  messages_ << written_ << " written, " << skipped_ << " skipped, " << failed_ << " failed";
  if (not_made() > 0) messages_ << ", " << not_made() << " not made";
  messages_ << "; " << readable_bytes(bytes_) << " in " << one_decimal(seconds()) << " s";
  if (passed_over == 1) messages_ << "; 1 file that is no image by its name passed over";
  if (passed_over > 1) messages_ << "; " << passed_over << " files that are no images by their names passed over";
  messages_ << (was_interrupted ? "; interrupted\n" : "\n");
}

void Report::finish_json(std::size_t passed_over, bool was_interrupted) {
  out_ << dump({{"summary",
                 {{"written", written_},
                  {"skipped", skipped_},
                  {"failed", failed_},
                  {"not_made", not_made()},
                  {"passed_over", passed_over},
                  {"bytes", bytes_},
                  {"ms", std::round(seconds() * 1e3)},
                  {"interrupted", was_interrupted}}}})
       << '\n'
       << std::flush;
}

std::size_t Report::done() const {
  return written_ + skipped_ + failed_;
}

std::size_t Report::not_made() const {
  return options_.expected - std::min(options_.expected, done());
}

double Report::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
}

ExitCode Report::exit_code() const {
  return failed_ == 0 && out_.good() ? ExitCode::kSuccess : ExitCode::kFailure;
}

std::string to_json(const Outcome& outcome) {
  ordered_json object = {{"input", outcome.input}, {"size", outcome.size}, {"status", name_of(outcome.kind)}};
  if (!outcome.output.empty()) object["output"] = outcome.output;
  if (outcome.kind == Outcome::Kind::kWritten) {
    object.update({{"width", outcome.width},
                   {"height", outcome.height},
                   {"bytes", outcome.bytes},
                   {"source_bytes", outcome.timings.source_bytes},
                   {"ms", milliseconds(outcome.elapsed)},
                   {"fetch_ms", milliseconds(outcome.timings.fetch)},
                   {"queue_ms", milliseconds(outcome.timings.queue)}});
  }
  if (outcome.error) {
    object["error"] = {{"code", outcome.error->code}, {"detail", describe(*outcome.error)}};
  }
  return dump(object);
}

}  // namespace optimux::apps

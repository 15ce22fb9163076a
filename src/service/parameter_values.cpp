#include "service/parameter_values.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <utility>

#include "service/parameters.hpp"

namespace optimux::service {
namespace {

using base::equals_ignoring_case;
using media::Crop;
using media::Fit;
using media::Flip;
using media::Format;
using media::GravityKind;

template <class T>
using Word = std::pair<std::string_view, T>;

template <class T>
std::optional<T> read_word(std::string_view text, std::span<const Word<T>> words) {
  for (const auto& [word, value] : words) {
    if (equals_ignoring_case(text, word)) return value;
  }
  return std::nullopt;
}

constexpr Word<Fit> kFits[] = {{"inside", Fit::kInside},
                               {"cover", Fit::kCover},
                               {"contain", Fit::kContain},
                               {"fill", Fit::kFill},
                               {"outside", Fit::kOutside}};

constexpr Word<GravityKind> kGravities[] = {{"center", GravityKind::kCenter},       {"north", GravityKind::kNorth},
                                            {"northeast", GravityKind::kNorthEast}, {"east", GravityKind::kEast},
                                            {"southeast", GravityKind::kSouthEast}, {"south", GravityKind::kSouth},
                                            {"southwest", GravityKind::kSouthWest}, {"west", GravityKind::kWest},
                                            {"northwest", GravityKind::kNorthWest}, {"smart", GravityKind::kSmart},
                                            {"entropy", GravityKind::kEntropy}};

constexpr Word<Format> kFormats[] = {{"jpeg", Format::kJpeg}, {"jpg", Format::kJpeg},  {"png", Format::kPng},
                                     {"webp", Format::kWebp}, {"avif", Format::kAvif}, {"gif", Format::kGif}};

constexpr Word<Flip> kFlips[] = {
    {"h", Flip::kHorizontal}, {"v", Flip::kVertical}, {"hv", Flip::kBoth}, {"vh", Flip::kBoth}};

/// A side that was left out is a free axis.
std::optional<int> read_side(std::string_view text) {
  if (text.empty()) return 0;
  return read_number(text, 0, kMaxBoxSide);
}

std::optional<media::Length> read_length(std::string_view text) {
  if (text.ends_with('%')) {
    const auto percent = read_number(text.substr(0, text.size() - 1), 0.0, 100.0);
    if (!percent) return std::nullopt;
    return media::Length{*percent, true};
  }
  const auto pixels = read_number(text, 0, kMaxCropPixels);
  if (!pixels) return std::nullopt;
  return media::Length{static_cast<double>(*pixels), false};
}

std::optional<media::Gravity> read_focal_point(std::string_view coordinates) {
  const auto parts = base::split(coordinates, ',');
  if (parts.size() != 2) return std::nullopt;
  const auto x = read_number(parts[0], 0.0, 1.0);
  const auto y = read_number(parts[1], 0.0, 1.0);
  if (!x || !y) return std::nullopt;
  return media::Gravity{GravityKind::kFocalPoint, *x, *y};
}

std::optional<int> read_hex_digit(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
  return std::nullopt;
}

}  // namespace

std::optional<bool> read_switch(std::string_view text) {
  constexpr Word<bool> kWords[] = {{"true", true}, {"1", true}, {"", true}, {"false", false}, {"0", false}};
  return read_word<bool>(text, kWords);
}

std::optional<media::Size> read_size(std::string_view text) {
  if (text.empty()) return std::nullopt;
  const auto cross = text.find_first_of("xX");
  const auto width = read_side(text.substr(0, cross));
  const auto height = cross == std::string_view::npos ? std::optional(0) : read_side(text.substr(cross + 1));
  if (!width || !height) return std::nullopt;
  return media::Size{*width, *height};
}

std::optional<std::vector<media::Size>> read_sizes(std::string_view text) {
  std::vector<media::Size> sizes;
  for (const auto piece : base::split(text, ',')) {
    const auto size = read_size(piece);
    if (!size) return std::nullopt;
    sizes.push_back(*size);
  }
  return sizes;
}

std::optional<media::Fit> read_fit(std::string_view text) {
  return read_word<Fit>(text, kFits);
}

std::optional<media::Gravity> read_gravity(std::string_view text) {
  constexpr std::string_view kFocalPrefix = "fp:";
  if (equals_ignoring_case(text.substr(0, kFocalPrefix.size()), kFocalPrefix)) {
    return read_focal_point(text.substr(kFocalPrefix.size()));
  }
  const auto kind = read_word<GravityKind>(text, kGravities);
  if (!kind) return std::nullopt;
  return media::Gravity{*kind};
}

std::optional<media::Format> read_format(std::string_view text) {
  return read_word<Format>(text, kFormats);
}

std::optional<media::Crop> read_crop(std::string_view text) {
  const auto parts = base::split(text, ',');
  if (parts.size() != 4) return std::nullopt;
  std::array<media::Length, 4> lengths;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const auto length = read_length(parts[i]);
    if (!length) return std::nullopt;
    lengths[i] = *length;
  }
  if (lengths[2].value <= 0 || lengths[3].value <= 0) return std::nullopt;
  return Crop{lengths[0], lengths[1], lengths[2], lengths[3]};
}

std::optional<media::Flip> read_flip(std::string_view text) {
  return read_word<Flip>(text, kFlips);
}

std::optional<media::Colour> read_colour(std::string_view text) {
  if (text.starts_with('#')) text.remove_prefix(1);
  if (text.size() != 3 && text.size() != 6) return std::nullopt;
  std::array<std::uint8_t, 3> channels{};
  const std::size_t digits = text.size() / 3;
  for (std::size_t i = 0; i < channels.size(); ++i) {
    const auto high = read_hex_digit(text[i * digits]);
    const auto low = read_hex_digit(text[i * digits + digits - 1]);
    if (!high || !low) return std::nullopt;
    channels[i] = static_cast<std::uint8_t>(*high * 16 + *low);
  }
  return media::Colour{channels[0], channels[1], channels[2]};
}

}  // namespace optimux::service

#include "service/parameters.hpp"

#include <algorithm>
#include <array>
#include <bitset>
#include <optional>
#include <utility>

#include "base/text.hpp"
#include "service/nearest_name.hpp"
#include "service/parameter_values.hpp"

namespace optimux::service {
namespace {

using base::ErrorCode;
using base::fail;

/// What has been read so far. A default that depends on another parameter is settled at the end, so that the order of
/// the parameters does not matter.
struct Draft {
  TransformParameters result;
  std::vector<media::Size> sizes;
  std::optional<bool> progressive;
};

struct Row {
  ParameterDescription description;
  bool (*read)(Draft& draft, std::string_view value);  ///< False when the value is not allowed.
  bool is_list = false;
};

/// Moves what was read to its place; false when there is nothing to move.
template <class T, class Target>
bool keep(std::optional<T> value, Target& target) {
  if (!value) return false;
  target = *std::move(value);
  return true;
}

bool read_more_sizes(Draft& draft, std::string_view value) {
  const auto sizes = read_sizes(value);
  if (!sizes) return false;
  draft.sizes.insert(draft.sizes.end(), sizes->begin(), sizes->end());
  return draft.sizes.size() <= static_cast<std::size_t>(kMaxSizes);
}

bool read_wanted_format(Draft& draft, std::string_view value) {
  if (base::equals_ignoring_case(value, "auto")) return draft.result.negotiate_format = true;
  if (base::equals_ignoring_case(value, "original")) return draft.result.is_original = true;
  return keep(read_format(value), draft.result.render.format);
}

bool read_delivery(Draft& draft, std::string_view value) {
  constexpr std::pair<std::string_view, Delivery> kWords[] = {
      {"stream", Delivery::kStream}, {"json", Delivery::kJson}, {"progress", Delivery::kProgress}};
  for (const auto& [word, delivery] : kWords) {
    if (!base::equals_ignoring_case(value, word)) continue;
    draft.result.delivery = delivery;
    return true;
  }
  return false;
}

bool read_rotation(Draft& draft, std::string_view value) {
  const auto degrees = read_number(value, 0, 270);
  return degrees.value_or(1) % 90 == 0 && keep(degrees, draft.result.render.rotate);
}

bool read_frame_count(Draft& draft, std::string_view value) {
  const auto count = read_number(value, -1, kMaxPage);
  return count != 0 && keep(count, draft.result.render.frames);
}

media::RenderSpec& spec_of(Draft& draft) {
  return draft.result.render;
}

constexpr std::string_view kSwitch = "true or false";
constexpr std::string_view kSizesPattern = "^[0-9]*x?[0-9]*(,[0-9]*x?[0-9]*){0,4}$";
constexpr std::string_view kCropPattern = "^[0-9.]+%?(,[0-9.]+%?){3}$";

using Type = ParameterShape::Type;
constexpr ParameterShape kSwitchShape = {Type::kSwitch, 0, 0, {}, {}};

constexpr ParameterShape whole(int smallest, int largest) {
  return {Type::kInteger, static_cast<double>(smallest), static_cast<double>(largest), {}, {}};
}
constexpr ParameterShape number(double smallest, double largest) {
  return {Type::kNumber, smallest, largest, {}, {}};
}
constexpr ParameterShape words(std::string_view all, std::string_view pattern = {}) {
  return {Type::kWord, 0, 0, all, pattern};
}
constexpr ParameterShape text(std::string_view pattern) {
  return {Type::kText, 0, 0, {}, pattern};
}

constexpr Row kRows[] = {
    {{"sizes", "WxH[,WxH...], at most 5, sides from 0 to 65535", "0x0",
      "Target boxes in CSS pixels; 0 or nothing leaves a side free, 0x0 keeps the size.", text(kSizesPattern)},
     read_more_sizes,
     true},
    {{"fit", "inside, cover, contain, fill or outside", "inside", "How the picture is fitted into a box.",
      words("inside cover contain fill outside")},
     [](Draft& draft, std::string_view value) { return keep(read_fit(value), spec_of(draft).fit); }},
    {{"gravity",
      "center, north, northeast, east, southeast, south, southwest, west, northwest, smart, entropy, or fp:X,Y with "
      "both from 0 to 1",
      "center", "Which part stays when something is cut, or where the picture is placed.",
      words("center north northeast east southeast south southwest west northwest smart entropy",
            "^fp:[0-9.]+,[0-9.]+$")},
     [](Draft& draft, std::string_view value) { return keep(read_gravity(value), spec_of(draft).gravity); }},
    {{"enlarge", kSwitch, "false", "Whether the result may be larger than the source.", kSwitchShape},
     [](Draft& draft, std::string_view value) { return keep(read_switch(value), spec_of(draft).enlarge); }},
    {{"dpr", "a number from 1 to 4", "1", "Device pixels for each CSS pixel of `sizes`.", number(1, kMaxDpr)},
     [](Draft& draft, std::string_view value) { return keep(read_number(value, 1.0, kMaxDpr), spec_of(draft).dpr); }},
    {{"format", "jpeg, jpg, png, webp, avif, gif, auto or original", "the source's own",
      "What is encoded; auto takes what the client accepts, original the source's bytes as they are.",
      words("jpeg jpg png webp avif gif auto original")},
     read_wanted_format},
    {{"quality", "a whole number from 1 to 100", "jpeg 80, webp 79, avif 63", "Quality of lossy encoding.",
      whole(1, 100)},
     [](Draft& draft, std::string_view value) { return keep(read_number(value, 1, 100), spec_of(draft).quality); }},
    {{"effort", "a whole number from 0 to 9", "webp 4, avif 2, png 6, gif 7", "How hard the encoder tries.",
      whole(0, 9)},
     [](Draft& draft, std::string_view value) { return keep(read_number(value, 0, 9), spec_of(draft).effort); }},
    {{"lossless", kSwitch, "false", "Lossless encoding, for WebP and AVIF; PNG always is, JPEG and GIF cannot be.",
      kSwitchShape},
     [](Draft& draft, std::string_view value) { return keep(read_switch(value), spec_of(draft).lossless); }},
    {{"progressive", kSwitch, "false; true with encoder=progress", "JPEG in scans, PNG interlaced.", kSwitchShape},
     [](Draft& draft, std::string_view value) { return keep(read_switch(value), draft.progressive); }},
    {{"strip", kSwitch, "true", "Drop metadata, but for copyright and EXIF Artist.", kSwitchShape},
     [](Draft& draft, std::string_view value) { return keep(read_switch(value), spec_of(draft).strip); }},
    {{"encoder", "stream, json or progress", "stream", "How the bytes are handed over.", words("stream json progress")},
     read_delivery},
    {{"thumb", kSwitch, "false", "The fast path; a side that is missing equals the other.", kSwitchShape},
     [](Draft& draft, std::string_view value) { return keep(read_switch(value), spec_of(draft).thumb); }},
    {{"crop", "X,Y,W,H, each in whole pixels up to 1000000 or as a percentage up to 100%, W and H not 0", "none",
      "Cut out of the upright source before resizing.", text(kCropPattern)},
     [](Draft& draft, std::string_view value) { return keep(read_crop(value), spec_of(draft).crop); }},
    {{"rotate",
      "0, 90, 180 or 270",
      "0",
      "Degrees clockwise, on top of the EXIF orientation.",
      {Type::kInteger, 0, 270, "0 90 180 270", {}}},
     read_rotation},
    {{"flip", "h, v or hv", "none", "Mirrored horizontally, vertically or both, after the rotation.", words("h v hv")},
     [](Draft& draft, std::string_view value) { return keep(read_flip(value), spec_of(draft).flip); }},
    {{"blur", "a number from 0 to 50", "0", "Sigma of a Gaussian blur in output pixels.", number(0, kMaxSigma)},
     [](Draft& draft, std::string_view value) {
       return keep(read_number(value, 0.0, kMaxSigma), spec_of(draft).blur);
     }},
    {{"sharpen", "a number from 0 to 50", "0", "Sigma of the sharpening in output pixels.", number(0, kMaxSigma)},
     [](Draft& draft, std::string_view value) {
       return keep(read_number(value, 0.0, kMaxSigma), spec_of(draft).sharpen);
     }},
    {{"background", "RRGGBB or RGB, hexadecimal", "ffffff where transparency is dropped",
      "Colour under transparent pixels and beside a contained picture.", text("^#?([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})$")},
     [](Draft& draft, std::string_view value) { return keep(read_colour(value), spec_of(draft).background); }},
    {{"page", "a whole number from 0 to 100000", "0", "First page or frame.", whole(0, kMaxPage)},
     [](Draft& draft, std::string_view value) { return keep(read_number(value, 0, kMaxPage), spec_of(draft).page); }},
    {{"frames", "-1, or a whole number from 1 to 100000", "all for animated output, else 1",
      "How many pages or frames; -1 is all.", whole(-1, kMaxPage)},
     read_frame_count},
};

constexpr auto kDescriptions = [] {
  std::array<ParameterDescription, std::size(kRows)> descriptions{};
  for (std::size_t i = 0; i < descriptions.size(); ++i) descriptions[i] = kRows[i].description;
  return descriptions;
}();

constexpr auto kNames = [] {
  std::array<std::string_view, std::size(kRows)> names{};
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = kRows[i].description.name;
  return names;
}();

/// What a client sent, fit to be shown: quoted, and not longer than it takes to recognise it.
std::string shown(std::string_view text) {
  constexpr std::size_t kShownBytes = 60;
  return base::json_quote(text.substr(0, kShownBytes)) + (text.size() > kShownBytes ? "..." : "");
}

/// What other image servers call our parameters, where no likeness of letters shows it.
constexpr std::pair<std::string_view, std::string_view> kForeignNames[] = {
    {"width", "sizes"},   {"w", "sizes"},       {"height", "sizes"}, {"h", "sizes"},
    {"resize", "sizes"},  {"q", "quality"},     {"f", "format"},     {"fm", "format"},
    {"output", "format"}, {"bg", "background"}, {"g", "gravity"},    {"mode", "fit"},
};

std::string_view meant_by(std::string_view name) {
  const auto* const foreign = std::ranges::find(kForeignNames, name, [](const auto& pair) { return pair.first; });
  return foreign == std::end(kForeignNames) ? nearest_name(name, kNames) : foreign->second;
}

tl::unexpected<base::Error> unknown(std::string_view name) {
  std::string detail = "there is no parameter " + shown(name);
  const auto nearest = meant_by(name);
  if (!nearest.empty()) detail += "; did you mean " + std::string(nearest) + "?";
  return fail(ErrorCode::kInvalidParameter, std::move(detail));
}

tl::unexpected<base::Error> not_allowed(const Row& row, std::string_view value) {
  return fail(ErrorCode::kInvalidParameter, std::string(row.description.name) + " cannot be " + shown(value) +
                                                "; allowed: " + std::string(row.description.values));
}

tl::unexpected<base::Error> given_twice(const Row& row) {
  return fail(ErrorCode::kInvalidParameter,
              std::string(row.description.name) + " is given more than once; it takes one value");
}

tl::unexpected<base::Error> not_beside_original(std::string_view name) {
  return fail(ErrorCode::kInvalidParameter,
              std::string(name) + ": format=original gives the source's bytes as they are; leave it out");
}

TransformParameters settle(Draft draft) {
  TransformParameters result = std::move(draft.result);
  if (!draft.sizes.empty()) result.render.sizes = std::move(draft.sizes);
  result.render.progressive = draft.progressive.value_or(result.delivery == Delivery::kProgress);
  return result;
}

/// No lossless JPEG is written, and GIF has 256 colours.
bool always_loses(media::Format format) {
  return format == media::Format::kJpeg || format == media::Format::kGif;
}

}  // namespace

base::Status check_lossless(const media::RenderSpec& spec) {
  if (!spec.lossless || !spec.format || !always_loses(*spec.format)) return {};
  return fail(ErrorCode::kInvalidParameter, "lossless cannot be true with format " +
                                                std::string(media::name_of(*spec.format)) +
                                                "; allowed: with webp, avif or png");
}

base::Result<TransformParameters> parse_transform_parameters(std::span<const Parameter> parameters) {
  Draft draft;
  std::bitset<std::size(kRows)> seen;
  for (const auto& [name, value] : parameters) {
    const auto found = std::find(kNames.begin(), kNames.end(), name);
    if (found == kNames.end()) return unknown(name);
    const auto index = static_cast<std::size_t>(found - kNames.begin());
    const Row& row = kRows[index];
    if (seen[index] && !row.is_list) return given_twice(row);
    seen[index] = true;
    if (!row.read(draft, value)) return not_allowed(row, value);
  }
  if (draft.result.is_original) {
    for (const auto& parameter : parameters) {
      if (parameter.name != "format") return not_beside_original(parameter.name);
    }
  }
  TransformParameters result = settle(std::move(draft));
  if (const auto checked = check_lossless(result.render); !checked) return fail(checked.error());
  return result;
}

std::span<const ParameterDescription> transform_parameter_descriptions() {
  return kDescriptions;
}

}  // namespace optimux::service

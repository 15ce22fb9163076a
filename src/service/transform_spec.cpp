#include "service/transform_spec.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>

namespace optimux::service {
namespace {

using media::Fit;
using media::Format;
using media::GravityKind;
using media::RenderSpec;
using media::Size;

/// None: the format has no such thing.
std::optional<int> default_quality(Format format) {
  switch (format) {
    case Format::kJpeg: return 80;
    case Format::kWebp: return 79;
    case Format::kAvif: return 63;
    default: return std::nullopt;
  }
}

/// None: as above.
std::optional<int> default_effort(Format format) {
  switch (format) {
    case Format::kWebp: return 4;
    case Format::kAvif: return 2;
    case Format::kPng: return 6;
    case Format::kGif: return 7;
    default: return std::nullopt;
  }
}

bool can_be_lossless(Format format) {
  return format == Format::kWebp || format == Format::kAvif;
}
bool can_be_progressive(Format format) {
  return format == Format::kJpeg || format == Format::kPng;
}
bool can_be_animated(Format format) {
  return format == Format::kWebp || format == Format::kGif;
}

bool is_as_is(Size size) {
  return size.width == 0 && size.height == 0;
}
/// `fit` and `gravity` say something about a box of which both sides are given, and about no other.
bool is_box(Size size) {
  return size.width != 0 && size.height != 0;
}

Size multiplied(Size size, double dpr) {
  const auto side = [dpr](int pixels) { return static_cast<int>(std::lround(pixels * dpr)); };
  return {side(size.width), side(size.height)};
}

Size squared_if_open(Size size) {
  return {std::max(size.width, size.height), std::max(size.width, size.height)};
}

void settle_sizes(RenderSpec& spec) {
  for (Size& size : spec.sizes) {
    size = multiplied(size, spec.dpr);
    if (spec.thumb && !is_box(size)) size = squared_if_open(size);
  }
  spec.dpr = 1;
  if (std::all_of(spec.sizes.begin(), spec.sizes.end(), is_as_is)) spec.enlarge = false;
}

void settle_fit(RenderSpec& spec) {
  if (std::none_of(spec.sizes.begin(), spec.sizes.end(), is_box)) spec.fit = Fit::kInside;
  if (spec.fit != Fit::kCover && spec.fit != Fit::kContain) spec.gravity = {};
  if (spec.gravity.kind != GravityKind::kFocalPoint) spec.gravity = {spec.gravity.kind};
}

bool is_whole_picture(const media::Crop& crop) {
  const auto is_all = [](const media::Length& side) { return side.is_percent && side.value >= 100; };
  return crop.x.value <= 0 && crop.y.value <= 0 && is_all(crop.width) && is_all(crop.height);
}

/// What an explicit format makes meaningless, and values that repeat its defaults.
void settle_encoding(RenderSpec& spec, Format format) {
  spec.lossless = spec.lossless && can_be_lossless(format);
  spec.progressive = spec.progressive && can_be_progressive(format);
  const auto quality = default_quality(format);
  const auto effort = default_effort(format);
  // A lossless encoder may read the quality as effort, with a default of its own.
  if (!quality || (!spec.lossless && spec.quality == quality)) spec.quality.reset();
  if (!effort || spec.effort == effort) spec.effort.reset();
  if (!can_be_animated(format)) spec.frames.reset();
}

/// Writes `name=value;` pairs; a default is not written, so that a new parameter does not change the keys of old ones.
class KeyWriter {
 public:
  void add(std::string_view name, std::string_view value) { text_.append(name).append("=").append(value).append(";"); }
  void add(std::string_view name, int value) { add(name, std::to_string(value)); }
  void add_if(bool is_set, std::string_view name) {
    if (is_set) add(name, 1);
  }
  void add_if(const std::optional<int>& value, std::string_view name) {
    if (value) add(name, *value);
  }
  void add_unless_zero(double value, std::string_view name) {
    if (value != 0) add(name, shortest(value));
  }
  /// The shortest digits that read back as the same number.
  static std::string shortest(double value) {
    std::array<char, 32> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    return {digits.data(), end};
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

std::string text_of(const media::Gravity& gravity) {
  std::string text = std::to_string(static_cast<int>(gravity.kind));
  if (gravity.kind == GravityKind::kFocalPoint) {
    text += ":" + KeyWriter::shortest(gravity.x) + "," + KeyWriter::shortest(gravity.y);
  }
  return text;
}

std::string text_of(const media::Length& length) {
  return KeyWriter::shortest(length.value) + (length.is_percent ? "%" : "");
}

std::string text_of(const media::Crop& crop) {
  return text_of(crop.x) + "," + text_of(crop.y) + "," + text_of(crop.width) + "," + text_of(crop.height);
}

std::string text_of(const media::Colour& colour) {
  return std::to_string(colour.red) + "," + std::to_string(colour.green) + "," + std::to_string(colour.blue);
}

/// All fields of a canonical spec with one size, each under a name of its own.
std::string text_of(const RenderSpec& spec) {
  const RenderSpec defaults;
  KeyWriter key;
  key.add("size", std::to_string(spec.sizes[0].width) + "x" + std::to_string(spec.sizes[0].height));
  if (spec.fit != defaults.fit) key.add("fit", static_cast<int>(spec.fit));
  if (!(spec.gravity == defaults.gravity)) key.add("gravity", text_of(spec.gravity));
  key.add_if(spec.enlarge, "enlarge");
  if (spec.format) key.add("format", static_cast<int>(*spec.format));
  key.add_if(spec.quality, "quality");
  key.add_if(spec.effort, "effort");
  key.add_if(spec.lossless, "lossless");
  key.add_if(spec.progressive, "progressive");
  key.add_if(!spec.strip, "keep");
  key.add_if(spec.thumb, "thumb");
  if (spec.crop) key.add("crop", text_of(*spec.crop));
  if (spec.rotate != 0) key.add("rotate", spec.rotate);
  if (spec.flip != media::Flip::kNone) key.add("flip", static_cast<int>(spec.flip));
  key.add_unless_zero(spec.blur, "blur");
  key.add_unless_zero(spec.sharpen, "sharpen");
  if (spec.background) key.add("background", text_of(*spec.background));
  if (spec.page != 0) key.add("page", spec.page);
  key.add_if(spec.frames, "frames");
  return key.take();
}

}  // namespace

media::RenderSpec canonical(media::RenderSpec spec) {
  settle_sizes(spec);
  settle_fit(spec);
  if (spec.crop && is_whole_picture(*spec.crop)) spec.crop.reset();
  if (spec.format) settle_encoding(spec, *spec.format);
  return spec;
}

std::string rendition_key(const TransformSpec& spec, std::size_t size_index) {
  assert(size_index < spec.render.sizes.size() && "a size of the spec");
  RenderSpec alone = spec.render;
  alone.sizes = {spec.render.sizes[size_index]};
  // The source comes last, since it may hold any byte.
  return text_of(canonical(std::move(alone))) + spec.source.canonical();
}

std::string info_key(const source::SourceLocator& source) {
  return "info;" + source.canonical();
}

std::string original_key(const source::SourceLocator& source) {
  return "original;" + source.canonical();
}

}  // namespace optimux::service

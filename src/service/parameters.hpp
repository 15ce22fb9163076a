#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "media/render_spec.hpp"

namespace optimux::service {

/// Sizes of one request. Each costs an encode, and all of them are kept in memory while the slowest client reads.
inline constexpr int kMaxSizes = 5;
/// Pixels of one side of a target box. The largest that JPEG can say; what may really be produced is the configurable
/// `max_output_side`, which the media layer checks once it knows the result (a box may be larger than its picture).
inline constexpr int kMaxBoxSide = 65'535;
/// Pixels of an offset or side of `crop`. Beyond any picture within the pixel limits, and far from overflow.
inline constexpr int kMaxCropPixels = 1'000'000;
/// Denser screens than 4 device pixels a CSS pixel are not made, and nobody would see the difference.
inline constexpr double kMaxDpr = 4;
/// Sigma of `blur` and `sharpen` in output pixels. The work grows with sigma; at 50 no detail is left.
inline constexpr double kMaxSigma = 50;
/// First page and number of pages. Keeps their sum far from overflow; `max_frames` limits what is decoded.
inline constexpr int kMaxPage = 100'000;

/// One `name=value` as it was given, already decoded.
struct Parameter {
  std::string name;
  std::string value;
};

/// How the bytes are handed over; the `encoder` parameter. It never makes a second rendition.
enum class Delivery {
  kStream,    ///< Bytes as the encoder makes them.
  kJson,      ///< All sizes as data URIs in one JSON document.
  kProgress,  ///< As kStream, flushed at phase edges; `progressive` defaults to true.
};

struct TransformParameters {
  media::RenderSpec render;
  bool negotiate_format = false;  ///< `format=auto`: the caller picks from what its client accepts.
  Delivery delivery = Delivery::kStream;
  bool is_original = false;  ///< `format=original`: the source's own bytes; nothing else says anything then.
};

/// Reads the parameters of a rendition (docs/parameters.md has names, values and defaults). The same function serves
/// the HTTP routes and the command line; parameters of a route (`image_url`, `download`, …) are taken out before.
///
/// Names are exact. Words are read in any case (`WebP`), blanks around a value are not. A switch is `true`, `1` or
/// given without a value; or `false` or `0`. A colour is `RRGGBB` or `RGB`, with or without `#`. A name given twice is
/// a list where the parameter takes one (`sizes`), and an error otherwise, even if both values are equal.
///
/// `format=original` stands alone: no other parameter has a meaning beside it, and each is an error.
///
/// Errors: kInvalidParameter with a detail that names parameter, value and what is allowed; an unknown name is named,
/// with the known name that is nearest to it. So is `lossless` with a format that it contradicts (`check_lossless`).
/// Does not block; thread-safe.
base::Result<TransformParameters> parse_transform_parameters(std::span<const Parameter> parameters);

/// Refuses `lossless` with a format that was asked for and always loses something, JPEG and GIF: kInvalidParameter with
/// a detail that names both. Where the source or a client's `Accept` decides the format, `lossless` is a wish, which
/// holds if that is one that can fulfil it. For callers that learn the format elsewhere than from the parameters.
base::Status check_lossless(const media::RenderSpec& spec);

/// What machines may know of a parameter's values.
struct ParameterShape {
  enum class Type { kText, kSwitch, kInteger, kNumber, kWord };
  Type type = Type::kText;
  double smallest = 0;       ///< Of a number.
  double largest = 0;        ///< Of a number.
  std::string_view words;    ///< All values that are words, with blanks between them; of an integer, if they are few.
  std::string_view pattern;  ///< ECMAScript: all other values.
};

/// One row of the table that `parse_transform_parameters` works from; for `--help`, the API description and error
/// texts.
struct ParameterDescription {
  std::string_view name;
  std::string_view values;         ///< As people read it: `1 to 100`.
  std::string_view default_value;  ///< As people read it.
  std::string_view meaning;        ///< One sentence.
  ParameterShape shape;
};

/// All parameters, in the order of the documentation.
std::span<const ParameterDescription> transform_parameter_descriptions();

}  // namespace optimux::service

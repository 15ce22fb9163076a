#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "media/render_spec.hpp"

namespace optimux::service {

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
};

/// Reads the parameters of a rendition (docs/parameters.md has names, values and defaults). The same function serves
/// the HTTP routes and the command line. A name given twice is a list where the parameter takes one (`sizes`), and an
/// error otherwise. Errors: kInvalidParameter with a detail that names parameter, value and range; an unknown name is
/// named. Does not block; thread-safe.
base::Result<TransformParameters> parse_transform_parameters(std::span<const Parameter> parameters);

/// One row of the table that `parse_transform_parameters` works from; for `--help`, the API description and error
/// texts.
struct ParameterDescription {
  std::string_view name;
  std::string_view values;         ///< As people read it: `1 to 100`.
  std::string_view default_value;  ///< As people read it.
  std::string_view meaning;        ///< One sentence.
};

/// All parameters, in the order of the documentation.
std::span<const ParameterDescription> transform_parameter_descriptions();

}  // namespace optimux::service

#include "server/output_rules.hpp"

#include <algorithm>
#include <string>

#include "server/format_negotiation.hpp"
#include "service/parameter_values.hpp"

namespace optimux::server {
namespace {

using base::ErrorCode;

std::string names_of(const std::vector<media::Format>& formats) {
  std::string names;
  for (const media::Format format : formats) {
    names += (names.empty() ? "" : ", ") + std::string(media::name_of(format));
  }
  return names;
}

tl::unexpected<base::Error> not_among(const OutputRules& rules, std::string_view format) {
  return base::fail(ErrorCode::kInvalidParameter,
                    "format cannot be " + std::string(format) + "; allowed: auto, " + names_of(rules.formats));
}

base::Status negotiate(const OutputRules& rules, std::string_view accept, media::RenderSpec& render) {
  if (rules.formats.empty()) {
    const auto format = negotiate_format(accept);
    if (!format) return base::fail(format.error());
    render.format = *format;
    return {};
  }
  const auto format = negotiate_format_among(accept, rules.formats);
  if (!format) return base::fail(format.error());
  render.format = *format;
  return {};
}

}  // namespace

base::Result<OutputRules> make_output_rules(std::size_t max_sizes, const std::vector<std::string>& allowed_formats) {
  OutputRules rules{max_sizes, {}};
  for (const std::string& name : allowed_formats) {
    const auto format = service::read_format(name);
    if (!format) return base::fail(ErrorCode::kInvalidParameter, "allowed_formats: '" + name + "' is no format");
    rules.formats.push_back(*format);
  }
  return rules;
}

base::Status apply_rules(const OutputRules& rules, std::string_view accept, service::TransformParameters& wanted) {
  media::RenderSpec& render = wanted.render;
  if (render.sizes.size() > rules.max_sizes) {
    return base::fail(ErrorCode::kInvalidParameter, "sizes: " + std::to_string(render.sizes.size()) +
                                                        " are more than max_sizes (" + std::to_string(rules.max_sizes) +
                                                        ")");
  }
  if (wanted.negotiate_format) return negotiate(rules, accept, render);
  if (rules.formats.empty()) return {};
  if (wanted.is_original) return not_among(rules, "original");
  if (!render.format) render.format = rules.formats.front();
  if (std::ranges::find(rules.formats, *render.format) != rules.formats.end()) return {};
  return not_among(rules, media::name_of(*render.format));
}

}  // namespace optimux::server

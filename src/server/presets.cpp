#include "server/presets.hpp"

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "http/target.hpp"
#include "service/nearest_name.hpp"

namespace optimux::server {
namespace {

using base::ErrorCode;
using base::Result;
using service::Parameter;
using Parameters = std::vector<Parameter>;

constexpr std::string_view kPreset = "preset";
constexpr std::string_view kSizes = "sizes";
constexpr std::size_t kLongestName = 64;
/// Of all names, so many are told to who has none or a wrong one.
constexpr std::size_t kNamesTold = 20;

tl::unexpected<base::Error> invalid(std::string detail) {
  return base::fail(ErrorCode::kInvalidParameter, std::move(detail));
}

std::string shown(std::string_view text) {
  return base::json_quote(text.substr(0, kLongestName)) + (text.size() > kLongestName ? "..." : "");
}

bool is_name(std::string_view name) {
  return !name.empty() && name.size() <= kLongestName && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
}

/// Which format is negotiated is a matter of each request.
base::Status check(const OutputRules& rules, service::TransformParameters wanted) {
  if (std::exchange(wanted.negotiate_format, false)) wanted.render.format.reset();
  return apply_rules(rules, {}, wanted);
}

Result<Parameters> read_query(std::string_view query, const OutputRules& rules) {
  const auto parsed = http::parse_query(query);
  if (!parsed) return base::fail(parsed.error());
  Parameters parameters;
  for (const http::QueryParameter& parameter : *parsed) parameters.push_back({parameter.name, parameter.value});
  const auto wanted = service::parse_transform_parameters(parameters);
  if (!wanted) return base::fail(wanted.error());
  if (const auto allowed = check(rules, *wanted); !allowed) return base::fail(allowed.error());
  return parameters;
}

/// `stronger` behind what of `weaker` it says nothing about.
Parameters merge(const Parameters& weaker, const Parameters& stronger) {
  Parameters merged;
  for (const Parameter& parameter : weaker) {
    const bool is_replaced =
        std::ranges::any_of(stronger, [&parameter](const Parameter& other) { return other.name == parameter.name; });
    if (!is_replaced) merged.push_back(parameter);
  }
  merged.insert(merged.end(), stronger.begin(), stronger.end());
  return merged;
}

Parameters without_presets(Parameters parameters) {
  std::erase_if(parameters, [](const Parameter& parameter) { return parameter.name == kPreset; });
  return parameters;
}

/// The sizes that the parameters ask for; nothing if these are no sizes.
Result<std::vector<media::Size>> sizes_of(Parameters parameters) {
  std::erase_if(parameters, [](const Parameter& parameter) { return parameter.name != kSizes; });
  return service::parse_transform_parameters(parameters).map([](const service::TransformParameters& read) {
    return read.render.sizes;
  });
}

}  // namespace

Result<Presets> Presets::make(const std::vector<std::string>& declarations, const OutputRules& rules) {
  Presets presets;
  for (const std::string& declaration : declarations) {
    const std::string name = declaration.substr(0, declaration.find('='));
    if (name.size() == declaration.size() || !is_name(name)) {
      return invalid(shown(declaration) + " is no preset: expected NAME=QUERY, the name of letters, digits, - and _");
    }
    auto parameters = read_query(std::string_view(declaration).substr(name.size() + 1), rules);
    if (!parameters) return invalid(name + ": " + parameters.error().detail);
    if (!presets.presets_.emplace(name, *std::move(parameters)).second) return invalid(name + ": declared twice");
  }
  return presets;
}

Result<Parameters> Presets::expand(const Parameters& given) const {
  auto named = named_by(given);
  if (!named) return named;
  return merge(*named, without_presets(given));
}

Result<Parameters> Presets::expand_alone(const Parameters& given) const {
  for (const Parameter& parameter : given) {
    if (parameter.name == kPreset || parameter.name == kSizes) continue;
    return invalid(shown(parameter.name) + ": this server takes presets alone; there are " + names());
  }
  if (without_presets(given).size() == given.size()) {
    return invalid("preset: missing; this server takes presets alone; there are " + names());
  }
  auto named = named_by(given);
  if (!named) return named;
  auto expanded = merge(*named, without_presets(given));
  const auto wanted = sizes_of(expanded);
  const auto possible = sizes_of(*named);
  if (!wanted) return base::fail(wanted.error());
  for (const media::Size& size : *wanted) {
    if (std::ranges::find(*possible, size) != possible->end()) continue;
    return invalid("sizes: this server takes presets alone, and this one has other sizes");
  }
  return expanded;
}

/// What the presets stand for that are named, one merged over the other.
Result<Parameters> Presets::named_by(const Parameters& given) const {
  Parameters merged;
  for (const Parameter& parameter : given) {
    if (parameter.name != kPreset) continue;
    for (const std::string_view name : base::split(parameter.value, ',')) {
      const auto preset = find(name);
      if (!preset) return base::fail(preset.error());
      merged = merge(merged, **preset);
    }
  }
  return merged;
}

Result<const Parameters*> Presets::find(std::string_view name) const {
  const auto found = presets_.find(name);
  if (found != presets_.end()) return &found->second;
  std::vector<std::string_view> known;
  for (const auto& [known_name, parameters] : presets_) known.push_back(known_name);
  const std::string_view nearest = service::nearest_name(name, known);
  return invalid("preset: there is no preset " + shown(name) +
                 (nearest.empty() ? "" : "; did you mean " + std::string(nearest) + "?"));
}

std::string Presets::names() const {
  std::string text;
  std::size_t count = 0;
  for (const auto& [name, parameters] : presets_) {
    if (count++ == kNamesTold) return text + ", ...";
    text += (text.empty() ? "" : ", ") + name;
  }
  return text;
}

}  // namespace optimux::server

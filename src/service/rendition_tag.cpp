#include "service/rendition_tag.hpp"

#include "base/digest.hpp"

namespace optimux::service {
namespace {

/// To be changed when the same parameters begin to give other bytes, so that caches that hold the old ones do not take
/// them for the new.
constexpr std::string_view kRenderGeneration = "2";

std::string recipe_of(std::string_view key, std::span<const std::shared_ptr<Rendition>> made_together) {
  std::string recipe(kRenderGeneration);
  recipe.append(";").append(key);
  if (made_together.size() < 2) return recipe;
  for (const auto& rendition : made_together) recipe.append(";").append(rendition->key());
  return recipe;
}

}  // namespace

std::string_view render_generation() {
  return kRenderGeneration;
}

std::string rendition_tag(std::string_view source_fingerprint, std::string_view key,
                          std::span<const std::shared_ptr<Rendition>> made_together) {
  const std::string recipe = base::fingerprint(recipe_of(key, made_together)).substr(0, 16);
  return "\"" + std::string(source_fingerprint) + "-" + recipe + "\"";
}

}  // namespace optimux::service

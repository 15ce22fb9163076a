#include "service/source_part.hpp"

#include "media/frame_selection.hpp"

namespace optimux::service {
namespace {

std::string text_of(const media::Length& length) {
  return std::to_string(length.value) + (length.is_percent ? "%" : "") + " ";
}

/// Which frames are decoded depends on the format where nobody says how many: whether it holds several.
std::string frames_of(const media::RenderSpec& spec) {
  if (spec.frames) return std::to_string(*spec.frames);
  if (!spec.format) return "as the source has";
  return media::can_animate(*spec.format) ? "all" : "1";
}

std::string pictures_part(const media::RenderSpec& spec) {
  std::string part = "from page " + std::to_string(spec.page) + ", frames: " + frames_of(spec);
  if (const auto& crop = spec.crop) {
    part += ", cut: " + text_of(crop->x) + text_of(crop->y) + text_of(crop->width) + text_of(crop->height);
  }
  return part;
}

}  // namespace

std::string source_part(const JobPlan& plan) {
  switch (plan.product) {
    case JobPlan::Product::kPictures: return pictures_part(plan.render);
    case JobPlan::Product::kDescription: return "description";
    case JobPlan::Product::kOriginal: break;
  }
  return "original";
}

}  // namespace optimux::service

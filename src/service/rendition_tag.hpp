#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "service/rendition.hpp"

namespace optimux::service {

/// Names what the encoders make of the same parameters. Renditions of another generation have other bytes.
std::string_view render_generation();

/// The strong ETag, quotes included, of the rendition `key` of a source with this fingerprint, when it is made in one
/// job with `made_together`, itself among them. The same tag means the same bytes, so it holds what gives them: the
/// source, the key, the keys of the others (one decode at the scale of the largest serves all, and the scale shows in
/// the last bits of the smaller ones), and the generation of the encoders. Pure.
std::string rendition_tag(std::string_view source_fingerprint, std::string_view key,
                          std::span<const std::shared_ptr<Rendition>> made_together);

}  // namespace optimux::service

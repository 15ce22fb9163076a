#pragma once

#include <cstddef>
#include <string>

#include "media/render_spec.hpp"
#include "source/source.hpp"

namespace optimux::service {

/// A source and what to make of it.
struct TransformSpec {
  source::SourceLocator source;
  media::RenderSpec render;
};

/// The canonical key of the rendition of `spec.render.sizes[size_index]`: two specs that give the same bytes from the
/// same source give the same key, whatever the order, spelling or defaults of the parameters, and whichever other sizes
/// are asked for beside it. Never empty; printable ASCII but for the source's own bytes.
std::string rendition_key(const TransformSpec& spec, std::size_t size_index);

}  // namespace optimux::service

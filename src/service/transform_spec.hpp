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

/// `spec` in the one spelling that stands for all specs that give the same bytes: `dpr` multiplied into the sizes, a
/// parameter without effect set to its default, a value that equals the default of an explicit format unset. It is what
/// is rendered, so equal spelling gives equal bytes by construction. Idempotent.
///
/// Only what is certain is equated. `quality=80` equals no `quality` when the format was asked for; when the source
/// decides the format, it does not, because the default is then not known yet.
media::RenderSpec canonical(media::RenderSpec spec);

/// The canonical key of the rendition of `spec.render.sizes[size_index]`: two specs that give the same bytes from the
/// same source give the same key, whatever the order, spelling or defaults of the parameters, and whichever other sizes
/// are asked for beside it. It ends with the source's canonical text, and is printable ASCII but for that.
std::string rendition_key(const TransformSpec& spec, std::size_t size_index);

/// The key of the JSON description of `source`; never equal to a rendition's. It ends with the source's canonical text.
std::string info_key(const source::SourceLocator& source);

/// The key of the bytes of `source` themselves; never equal to a rendition's.
std::string original_key(const source::SourceLocator& source);

}  // namespace optimux::service

#pragma once

#include <memory>
#include <span>

#include "base/shared_body.hpp"
#include "media/executor.hpp"

namespace optimux::media {

/// `Executor::render` within given limits: the whole way from source bytes to encoded renditions. Blocks; any number of
/// threads may call at once.
base::Result<RenderReport> render_image(const SourceBuffer& source, const RenderSpec& spec, const MediaLimits& limits,
                                        std::span<const std::shared_ptr<base::SharedBody>> outputs,
                                        const OperationControl& control);

}  // namespace optimux::media

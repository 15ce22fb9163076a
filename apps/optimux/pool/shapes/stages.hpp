#pragma once

#include "apps/optimux/pool/shapes/request.hpp"
#include "apps/optimux/pool/sweep/job_spec.hpp"
#include "base/result.hpp"
#include "media/executor.hpp"
#include "media/render_spec.hpp"

#include <string>

namespace optimux::apps {

/// Two made-up stages. exec: and url: are not supported: kInvalidParameter.
base::Result<Stages> made_up_stages(const JobSpec& fetch, const JobSpec& process);

/// A real picture: the first stage waits for `delay` seconds, as for an origin, and reads the file; the second makes a
/// rendition of it. `executor` outlives the stages. Errors: as `read_text`.
base::Result<Stages> image_stages(const std::string& file, double delay, const media::RenderSpec& spec,
                                  media::Executor& executor);

}  // namespace optimux::apps

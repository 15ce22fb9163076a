#pragma once

#include <string>

#include "service/render_job.hpp"

namespace optimux::service {

/// A name for what of its source `plan` needs to be whole beside the header: the same for all plans that fail together
/// when it is broken. All sizes of a picture need the same; its description, other pages of it and a cut out of it need
/// something else. Pure.
std::string source_part(const JobPlan& plan);

}  // namespace optimux::service

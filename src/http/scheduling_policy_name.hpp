#pragma once

#include <optional>
#include <string_view>

#include "http/stream_scheduler.hpp"

namespace optimux::http {

/// As configuration has it: `phases`, `rfc9218`, `fair` or `fifo`.
std::string_view name_of(SchedulingPolicy policy);

/// The reverse; nothing for any other name.
std::optional<SchedulingPolicy> parse_scheduling_policy(std::string_view name);

}  // namespace optimux::http

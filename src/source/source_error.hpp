#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "base/result.hpp"

namespace optimux::source {

/// The failures of this layer, each with the one text that clients see. The texts never tell apart why a source cannot
/// be had, so that nobody can map a network or a disk by them; `cause` says it to the log.

/// kForbiddenSource: scheme, host or address refused, or the origin itself said 401 or 403.
base::Error source_not_allowed(std::string cause);
/// kForbiddenSource: the URL of a request has a scheme that nothing is fetched by, whatever is configured. Names those
/// that are taken; a redirect to another one is `source_not_allowed` like all that an origin leads to.
base::Error scheme_not_allowed(const std::string& scheme);
/// kNotFound: no such file or object, or one that must not be read.
base::Error source_not_found(std::string cause);
/// kNotFound: files are asked for where there is no root. The same for every key, so it maps no disk.
base::Error no_store();
/// kSourceTooLarge; names `max_source_bytes` and its value.
base::Error source_too_large(std::uint64_t max_source_bytes, std::string cause);
/// kSourceTooLarge; names `max_video_bytes` and its value.
base::Error video_too_large(std::uint64_t max_video_bytes, std::string cause);
/// kVideoSource: a picture was asked for.
base::Error video_source(std::string cause);
/// kOverloaded: the bodies that are coming in have used up their memory.
base::Error too_many_bytes_under_way(std::string cause);
/// kOriginFailed: unreachable, an error of its own, or a body that cannot be trusted to be whole.
base::Error origin_failed(std::string cause);
/// kOriginFailed: a source that is read in parts is no longer the one that was opened.
base::Error source_changed(std::string cause);
/// kOriginTimeout; names `fetch_timeout` and its value.
base::Error origin_timed_out(std::chrono::milliseconds total_timeout, std::string cause);
/// kOriginTimeout; names `fetch_connect_timeout` and its value.
base::Error origin_connect_timed_out(std::chrono::milliseconds connect_timeout, std::string cause);
/// kOriginTimeout; names the rate that a body stayed below, and for how long.
base::Error origin_too_slow(std::uint64_t bytes_per_second, std::chrono::seconds time, std::string cause);
/// kInternal: this process or its machine is at fault.
base::Error source_fault(std::string cause);

/// What the operating system calls `error_number` (an `errno` value). Any thread.
std::string system_message(int error_number);

}  // namespace optimux::source

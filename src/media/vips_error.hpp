#pragma once

#include "base/error.hpp"

namespace optimux::media {

/// The one place where libvips' failures become ours: takes libvips' error text as the cause and clears it. The detail
/// follows from `code`, which is kBrokenMedia while a source is decoded and kInternal while a rendition is encoded.
///
/// libvips 8.14 keeps one error buffer for the process, so that the cause, which only the log shows, may hold a line of
/// another render that failed at the same moment.
base::Error take_vips_error(base::ErrorCode code);

}  // namespace optimux::media

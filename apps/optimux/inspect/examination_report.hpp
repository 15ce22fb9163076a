#pragma once

#include "apps/optimux/inspect/examination.hpp"
#include "base/error.hpp"

#include <string>
#include <string_view>

namespace optimux::apps {

/// An examination as lines for people: format and size, the ends of the phases, and the scans of a progressive JPEG.
std::string to_text(std::string_view name, const Examination& examination);

/// The same as a JSON object without a line end; docs/cli.md has its fields.
std::string to_json(std::string_view name, const Examination& examination);

/// Why there is none, as a JSON object without a line end.
std::string to_json(std::string_view name, const base::Error& error);

}  // namespace optimux::apps

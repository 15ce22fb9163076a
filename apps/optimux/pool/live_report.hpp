#pragma once

#include "base/result.hpp"

#include <string>

namespace optimux::apps {

/// The recommendations in the answer of a server's `GET /pools`, as text for people. Errors: kInvalidParameter when it
/// is no such answer.
base::Result<std::string> recommendations_text(const std::string& pools);
/// The same as a JSON object: `{"pools": [{"name": …, "recommendation": {…}}]}`.
base::Result<std::string> recommendations_json(const std::string& pools);

}  // namespace optimux::apps

#pragma once

#include <string>

namespace optimux::server {

/// The API as an OpenAPI 3.1 document in JSON. Parameters come from the table that parses them, error answers from the
/// table that makes them, so that the description cannot fall behind.
std::string openapi_document();

}  // namespace optimux::server

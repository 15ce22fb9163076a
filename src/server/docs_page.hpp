#pragma once

#include <string_view>

namespace optimux::server {

/// A small page for people who open the server's address: what this is, and where to go.
std::string_view landing_page();

/// A page that reads `/openapi.json`, lists routes and parameters, and tries them. It loads nothing from anywhere else.
std::string_view docs_page();

}  // namespace optimux::server

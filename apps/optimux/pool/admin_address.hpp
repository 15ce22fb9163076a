#pragma once

#include <string>
#include <string_view>

namespace optimux::apps {

/// How an admin listener is asked.
struct AdminAddress {
  std::string url;          ///< `http://127.0.0.1:8812`, without a path.
  std::string unix_socket;  ///< Path of the socket that is connected to; empty: what the URL says.
};

/// Reads an address in any form that the option `admin` of the server takes (`ADDRESS:PORT`, `[V6]:PORT`, `PORT`,
/// `:PORT`, `unix:PATH`), or a URL. All addresses of the machine stand for 127.0.0.1. A text that is none of them gives
/// a URL that cannot be asked.
AdminAddress admin_address(std::string_view text);

}  // namespace optimux::apps

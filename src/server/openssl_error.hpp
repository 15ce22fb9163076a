#pragma once

#include <string>

namespace optimux::server {

/// Takes all that OpenSSL has queued about the call that just failed in this thread, and gives the reason that it named
/// first, as in `wrong version number`; `unknown reason` when it said nothing. The one place where its errors become
/// texts.
std::string take_openssl_reason();

}  // namespace optimux::server

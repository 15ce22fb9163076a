#include "server/openssl_error.hpp"

#include <openssl/err.h>

namespace optimux::server {

std::string take_openssl_reason() {
  const unsigned long first = ERR_get_error();
  ERR_clear_error();
  const char* const reason = first == 0 ? nullptr : ERR_reason_error_string(first);
  return reason == nullptr ? "unknown reason" : reason;
}

}  // namespace optimux::server

#include "base/hmac.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

namespace optimux::base {
namespace {

constexpr std::size_t kDigestBytes = 32;

}  // namespace

Result<std::string> hmac_sha256(std::string_view key, std::string_view message) {
  std::string digest(kDigestBytes, '\0');
  const auto* const made = HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
                                reinterpret_cast<const unsigned char*>(message.data()), message.size(),
                                reinterpret_cast<unsigned char*>(digest.data()), nullptr);
  if (made == nullptr) return fail(ErrorCode::kInternal, {}, "OpenSSL makes no HMAC-SHA256");
  return digest;
}

bool equal_in_constant_time(std::string_view left, std::string_view right) {
  return left.size() == right.size() && CRYPTO_memcmp(left.data(), right.data(), left.size()) == 0;
}

}  // namespace optimux::base

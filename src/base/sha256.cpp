#include "base/sha256.hpp"

#include <openssl/evp.h>

#include <array>
#include <new>

namespace optimux::base {
namespace {

using Digest = std::array<unsigned char, EVP_MAX_MD_SIZE>;

std::string text_of(const Digest& digest, unsigned size) {
  return {reinterpret_cast<const char*>(digest.data()), size};
}

}  // namespace

std::string sha256(std::span<const std::byte> bytes) {
  Digest digest{};
  unsigned size = 0;
  // Fails for nothing but want of memory: the algorithm is in OpenSSL's default provider.
  if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr) != 1) throw std::bad_alloc();
  return text_of(digest, size);
}

std::string sha256(std::string_view bytes) {
  return sha256(std::as_bytes(std::span(bytes)));
}

}  // namespace optimux::base

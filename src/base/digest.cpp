#include "base/digest.hpp"

#include <new>

#include <xxhash.h>

#include "base/text.hpp"

namespace optimux::base {

namespace {

std::string text_of(XXH128_hash_t hash) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, hash);
  return hex(std::string_view(reinterpret_cast<const char*>(canonical.digest), sizeof(canonical.digest)));
}

}  // namespace

std::string fingerprint(std::string_view bytes) {
  return text_of(XXH3_128bits(bytes.data(), bytes.size()));
}

void Fingerprinter::Free::operator()(XXH3_state_s* state) const {
  XXH3_freeState(state);
}

Fingerprinter::Fingerprinter() : state_(XXH3_createState()) {
  if (!state_) throw std::bad_alloc();
  XXH3_128bits_reset(state_.get());
}

void Fingerprinter::add(std::span<const std::byte> bytes) {
  XXH3_128bits_update(state_.get(), bytes.data(), bytes.size());
}

std::string Fingerprinter::text() const {
  return text_of(XXH3_128bits_digest(state_.get()));
}

}  // namespace optimux::base

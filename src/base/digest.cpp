#include "base/digest.hpp"

#include <xxhash.h>

#include "base/text.hpp"

namespace optimux::base {

std::string fingerprint(std::string_view bytes) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes.data(), bytes.size()));
  return hex(std::string_view(reinterpret_cast<const char*>(canonical.digest), sizeof(canonical.digest)));
}

}  // namespace optimux::base

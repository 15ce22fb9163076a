#pragma once

#include <string>
#include <string_view>

namespace optimux::base {

/// 128-bit fingerprint of `bytes` as 32 lower-case hexadecimal digits. It tells different contents apart for caches and
/// ETags; it is no protection against somebody who makes two contents collide on purpose. XXH3 (xxHash 0.8): one pass
/// at memory speed, because a source of several megabytes is fingerprinted for every rendition.
std::string fingerprint(std::string_view bytes);

}  // namespace optimux::base

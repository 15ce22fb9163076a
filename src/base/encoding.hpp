#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace optimux::base {

/// Encodes the bytes of a URL, or of a part of one, that may not stand in it; its reserved characters and what is
/// encoded already stay (RFC 3986, section 2). It is what clients send when they are given such a URL.
std::string percent_encode_url(std::string_view url);

/// The bytes that hexadecimal digits of either case stand for; nothing for an odd number of them or anything else.
std::optional<std::string> hex_decode(std::string_view digits);

/// Base64 of RFC 4648 section 5, for URLs and file names: `-` and `_` instead of `+` and `/`, not padded.
std::string base64url_encode(std::string_view bytes);

}  // namespace optimux::base

#pragma once

#include <string_view>

namespace optimux::source {

/// `host` without the dot of the root at its end: `example.org.` and `example.org` are one name. Points into `host`.
std::string_view without_final_dot(std::string_view host);

/// Whether `text`, in lower case, is a name of at most 253 bytes: letters, digits, `-` and `_` between dots, the last
/// label not all digits and no hexadecimal number. What cannot be mistaken for an address.
bool is_host_name(std::string_view text);

}  // namespace optimux::source

#pragma once

#include <string>
#include <string_view>

namespace optimux::http {

/// One value of a `Link` field (RFC 8288) that asks for an image early: `<URL>; rel=preload; as=image`. Bytes that may
/// not stand in a URL are percent-encoded, so that a URL of any origin stays inside its brackets.
std::string preload_link(std::string_view url);

}  // namespace optimux::http

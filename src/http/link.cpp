#include "http/link.hpp"

#include "base/text.hpp"

namespace optimux::http {

std::string preload_link(std::string_view url) {
  // The reserved characters of RFC 3986 and the percent sign of what is encoded already.
  return '<' + base::percent_encode(url, ":/?#[]@!$&'()*+,;=%") + ">; rel=preload; as=image";
}

}  // namespace optimux::http

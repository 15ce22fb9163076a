#include "http/link.hpp"

#include "base/encoding.hpp"

namespace optimux::http {

std::string preload_link(std::string_view url) {
  return '<' + base::percent_encode_url(url) + ">; rel=preload; as=image";
}

}  // namespace optimux::http

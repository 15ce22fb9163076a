#include "apps/optimux/pool/admin_address.hpp"

namespace optimux::apps {

AdminAddress admin_address(std::string_view text) {
  constexpr std::string_view kUnix = "unix:";
  constexpr std::string_view kEveryAddress[] = {"*:", "0.0.0.0:", ":"};
  if (text.starts_with(kUnix)) return {"http://localhost", std::string(text.substr(kUnix.size()))};
  while (text.ends_with('/')) text.remove_suffix(1);
  if (text.find("://") != std::string_view::npos) return {std::string(text), ""};
  const bool is_port = text.find_first_not_of("0123456789") == std::string_view::npos;
  if (is_port) return {"http://127.0.0.1:" + std::string(text), ""};
  for (const std::string_view every : kEveryAddress) {
    if (text.starts_with(every)) return {"http://127.0.0.1:" + std::string(text.substr(every.size())), ""};
  }
  return {"http://" + std::string(text), ""};
}

}  // namespace optimux::apps

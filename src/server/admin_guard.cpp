#include "server/admin_guard.hpp"

#include <arpa/inet.h>

#include <array>
#include <utility>

#include "base/text.hpp"
#include "http/problem.hpp"
#include "server/listening_socket.hpp"

namespace optimux::server {
namespace {

constexpr std::string_view kLocalhost = "localhost";

bool is_address(int family, std::string_view text) {
  std::array<unsigned char, sizeof(in6_addr)> address{};
  return ::inet_pton(family, std::string(text).c_str(), address.data()) == 1;
}

/// `HOST:PORT`, `[V6]:PORT`, or either without the port.
std::string_view without_port(std::string_view host) {
  return host.substr(0, host.find(':', host.starts_with('[') ? host.find(']') : 0));
}

std::unique_ptr<Answer> misdirected(const RequestContext& context) {
  http::ResponseHead head;
  head.status = 421;
  head.headers.add("Content-Type", http::kProblemType);
  head.headers.add("Cache-Control", "no-store");
  return std::make_unique<TextAnswer>(
      std::move(head), http::write_problem({.type = "/errors/misdirected-request",
                                            .title = "Misdirected request",
                                            .status = 421,
                                            .detail = "Host: the admin listener is asked as localhost or by its "
                                                      "address; see admin_allow_remote",
                                            .request_id = context.id}));
}

}  // namespace

bool is_local_host(std::string_view host) {
  std::string_view name = without_port(host);
  if (name.starts_with('[')) return name.ends_with(']') && is_address(AF_INET6, name.substr(1, name.size() - 2));
  if (name.ends_with('.')) name.remove_suffix(1);
  if (is_address(AF_INET, name) || base::equals_ignoring_case(name, kLocalhost)) return true;
  return name.size() > kLocalhost.size() + 1 && name[name.size() - kLocalhost.size() - 1] == '.' &&
         base::equals_ignoring_case(name.substr(name.size() - kLocalhost.size()), kLocalhost);
}

Router::Guard admin_guard() {
  return [](const http::Request& request, const RequestContext& context) -> std::unique_ptr<Answer> {
    const auto host = request.headers.find("Host");  // Browsers always send it.
    const bool may_pass =
        !host || context.settings->admin_allow_remote || context.client.address == kUnixClient || is_local_host(*host);
    return may_pass ? nullptr : misdirected(context);
  };
}

}  // namespace optimux::server

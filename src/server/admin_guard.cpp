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

std::unique_ptr<Answer> refused(const http::Problem& problem) {
  http::ResponseHead head;
  head.status = problem.status;
  head.headers.add("Content-Type", http::kProblemType);
  head.headers.add("Cache-Control", "no-store");
  return std::make_unique<TextAnswer>(std::move(head), http::write_problem(problem));
}

std::unique_ptr<Answer> misdirected(const RequestContext& context) {
  return refused({.type = "/errors/misdirected-request",
                  .title = "Misdirected request",
                  .status = 421,
                  .detail = "Host: the admin listener is asked as localhost or by its address; see admin_allow_remote",
                  .request_id = context.id});
}

std::unique_ptr<Answer> of_another_site(const RequestContext& context) {
  return refused({.type = "/errors/cross-site-request",
                  .title = "Cross-site request",
                  .status = 403,
                  .detail = "the admin listener takes no requests from the pages of other sites",
                  .request_id = context.id});
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

bool is_from_another_site(const http::Request& request) {
  const auto site = request.headers.find("Sec-Fetch-Site");
  if (site && *site != "none" && *site != "same-origin") return true;
  const auto origin = request.headers.find("Origin");
  if (!origin) return false;
  const auto scheme_end = origin->find("://");
  const auto host = request.headers.find("Host");
  return scheme_end == std::string_view::npos || !host || origin->substr(scheme_end + 3) != *host;
}

Router::Guard admin_guard() {
  return [](const http::Request& request, const RequestContext& context) -> std::unique_ptr<Answer> {
    if (is_from_another_site(request)) return of_another_site(context);
    const auto host = request.headers.find("Host");  // Browsers always send it.
    const bool may_pass =
        !host || context.settings->admin_allow_remote || context.client.address == kUnixClient || is_local_host(*host);
    return may_pass ? nullptr : misdirected(context);
  };
}

}  // namespace optimux::server

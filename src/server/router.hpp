#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "http/message.hpp"
#include "server/answer.hpp"
#include "server/problem_answer.hpp"
#include "server/request_context.hpp"
#include "server/server_state.hpp"

namespace optimux::server {

/// One request at the door of a route. Valid until the answer has ended.
struct RouteCall {
  const http::Request& request;
  const RequestContext& context;
  std::string_view path;   ///< As sent, not decoded.
  std::string_view rest;   ///< Of the path, behind a route's prefix; empty for exact routes.
  std::string_view query;  ///< As sent, without the question mark.
};

struct Route {
  std::string_view name;    ///< In metrics and in the log.
  std::string path;         ///< Compared byte for byte with the path as sent.
  bool is_prefix = false;   ///< Whether something stands behind `path`.
  std::string_view method;  ///< `GET` stands for HEAD too.
  std::function<std::unique_ptr<Answer>(const RouteCall&)> handle;
  bool is_limited = false;  ///< Whether its requests count against the rate of their client.
};

/// The routes of one listener. Not thread-safe; changes nothing after it has been filled.
class Router {
 public:
  explicit Router(const ServerState& state) : state_(state) {}

  /// Looks at every request before the routes do; an answer is final. For listeners that not everybody may ask.
  using Guard = std::function<std::unique_ptr<Answer>(const http::Request&, const RequestContext&)>;
  void set_guard(Guard guard) { guard_ = std::move(guard); }

  /// Looks at requests of limited routes before these do; an answer is final.
  using Gate = std::function<std::unique_ptr<Answer>(const RequestContext&)>;
  void set_gate(Gate gate) { gate_ = std::move(gate); }

  void add(Route route) { routes_.push_back(std::move(route)); }

  struct Routed {
    std::string_view route;  ///< Name of the route, `none` if there is none.
    std::unique_ptr<Answer> answer;
  };
  /// Finds the route and has it answer: 404 if there is no such path, 405 with `Allow` if there is none for the method,
  /// 204 with `Allow` for OPTIONS.
  Routed answer(const http::Request& request, const RequestContext& context) const;

 private:
  static bool matches(const Route& route, std::string_view path);
  std::string allowed_methods(std::string_view path) const;
  const ServerState& state_;
  Guard guard_;
  Gate gate_;
  std::vector<Route> routes_;
};

}  // namespace optimux::server

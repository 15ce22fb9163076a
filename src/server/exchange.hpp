#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "http/message.hpp"
#include "server/answer.hpp"
#include "server/client.hpp"
#include "server/request_context.hpp"
#include "server/router.hpp"
#include "server/server_state.hpp"

namespace optimux::server {

/// One request and its answer, from the request's last byte to the answer's: what every protocol has to do for it. Adds
/// the fields that all answers carry, steps in when the answer outlasts its deadline, and writes the log line and the
/// metrics when it ends. Used in the loop's thread only.
class Exchange {
 public:
  /// Hands `request` to `router`. `stream` is that of HTTP/2 which brought it; 0 on HTTP/1.1.
  Exchange(ServerState& state, const Router& router, http::Request request, Client client, std::int32_t stream = 0);
  /// Answers bytes that are not a request with `error`.
  Exchange(ServerState& state, base::Error error, Client client, std::int32_t stream = 0);
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;
  /// Logs. An exchange that ends before `finish` was called is one whose client has left, 499 unless its head was sent,
  /// or one that was cut off, 503 unless its head was sent.
  ~Exchange();

  const http::Request& request() const { return request_; }

  /// As in `Answer`.
  std::optional<http::ResponseHead> take_head();
  /// The fields of a 103 that may go out now, once, after `take_head` had nothing: never before an answer that is at
  /// hand. As in `early_hints`.
  std::optional<http::Headers> take_hints();
  Answer::Window window(std::size_t max_pieces, Answer::Cut cut) { return answer_->window(max_pieces, cut); }
  void consume(std::size_t count);
  [[nodiscard]] bool wait(std::function<void()> wake) { return answer_->wait(std::move(wake)); }

  /// When to stop waiting for the answer, whatever those below do: the deadline, and a little more for them to say so.
  std::chrono::steady_clock::time_point last_moment() const;
  /// The last moment is over. Before the head: the answer becomes a 504. After it: the body is over, unfinished.
  void give_up();
  bool has_given_up() const { return given_up_.has_value(); }

  /// The server ends the connection before the answer has been sent whole: its drain timeout, or a hard stop.
  void cut_off();

  /// The answer has been sent whole.
  void finish() { is_finished_ = true; }

 private:
  void log_end();

  ServerState& state_;
  const http::Request request_;
  RequestContext context_;
  std::string_view route_ = "none";
  std::unique_ptr<Answer> answer_;
  std::optional<base::Error> given_up_;
  int status_ = 0;  ///< 0 until the head was taken.
  std::uint64_t body_bytes_ = 0;
  bool is_finished_ = false;
  bool has_hinted_ = false;  ///< Or must not.
};

}  // namespace optimux::server

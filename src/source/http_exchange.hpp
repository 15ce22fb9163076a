#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/byte_buffer.hpp"
#include "base/result.hpp"
#include "source/body_budget.hpp"
#include "source/curl_handles.hpp"
#include "source/curl_multi.hpp"
#include "source/first_bytes.hpp"
#include "source/http_response_head.hpp"
#include "source/http_settings.hpp"
#include "source/low_speed_watch.hpp"
#include "source/reactor.hpp"
#include "source/source_url.hpp"

namespace optimux::source {

/// What exchanges share. All of it outlives them.
struct HttpContext {
  const HttpSettings& settings;
  Reactor& reactor;
  CurlMulti& multi;
  std::shared_ptr<BodyBudget> bodies = std::make_shared<BodyBudget>();  ///< Shared by all copies of this context.
};

/// What is asked of a server.
struct HttpRequest {
  enum class Method { kGet, kHead, kPut, kDelete };

  HttpUrl url;                          ///< Its path is sent as it is, dot segments too.
  const curl_slist* headers = nullptr;  ///< Sent beside the usual ones; outlives the exchange.
  Method method = Method::kGet;
  std::shared_ptr<const base::ByteBuffer> body = {};  ///< Of a PUT; null: an empty one.
  bool takes_parts = false;          ///< The body of a partial answer (206) is taken as that of a whole one is …
  std::uint64_t max_part_bytes = 0;  ///< … if it has no more bytes than these; 0: than a whole one may have.
  bool takes_whole = true;           ///< The body of a whole answer is taken.
  bool keeps_explanations = false;   ///< The body of any other answer is kept up to 64 KiB, whole or not.
  IsOther is_other = {};             ///< Of a source's first bytes, as in `FetchRequest`.
  bool connects_anew = false;        ///< Neither an open connection nor an address from memory is used.
};

/// A server's answer. `body` is whole if it is a source's, and empty or an explanation otherwise.
struct HttpAnswer {
  HttpResponseHead head;
  base::ByteBuffer body;
};

/// One request to one URL, redirects not followed. Of the loop's thread alone.
class HttpExchange {
 public:
  using Done = std::function<void(base::Result<HttpAnswer>)>;

  /// `time_left` is what remains of the fetch's total time. `done` is called at most once, from the loop: with the
  /// answer, or with kForbiddenSource, kSourceTooLarge, kVideoSource, kOriginFailed, kOriginTimeout, kOverloaded or
  /// kInternal.
  HttpExchange(const HttpContext& context, HttpRequest request, std::chrono::milliseconds time_left, Done done);
  HttpExchange(const HttpExchange&) = delete;
  HttpExchange& operator=(const HttpExchange&) = delete;
  /// Ends the transfer at once, if it is still under way; `done` is not called then. Must not be called from inside a
  /// callback of libcurl.
  ~HttpExchange();

  /// Sends the request. Errors: kInternal, and `done` is not called.
  base::Status start();

  /// Whether the head of the answer has come.
  bool has_head() const { return head_.is_complete(); }

 private:
  bool set_options();
  bool set_request();
  bool set_isolation();
  bool set_callbacks();
  template <class T>
  bool set(CURLoption option, T value) {
    return curl_easy_setopt(easy_.get(), option, value) == CURLE_OK;
  }

  static std::size_t on_header(char* bytes, std::size_t size, std::size_t count, void* self);
  static std::size_t on_body(char* bytes, std::size_t size, std::size_t count, void* self);
  static curl_socket_t on_open(void* self, curlsocktype purpose, curl_sockaddr* address);
  static int on_connected(void* self, char* remote_address, char* local_address, int remote_port, int local_port);
  bool take_header(std::string_view line);
  bool take_body(const std::byte* bytes, std::size_t count);
  void watch_speed(std::size_t count);
  bool make_room(std::size_t needed);
  bool may_connect(const std::optional<IpAddress>& address);
  bool wants_body();
  std::uint64_t max_body_bytes() const;
  bool has_source() const;

  void on_timeout();
  void on_low_speed_timer();
  void stop_timers();
  void on_end(CURLcode code);
  base::Result<HttpAnswer> outcome(CURLcode code);
  base::Error transfer_error(CURLcode code) const;
  base::Error too_slow() const;
  std::string cause(const std::string& what) const;

  const HttpContext context_;
  const HttpRequest request_;
  const std::chrono::milliseconds time_left_;
  const Done done_;
  const CurlEasy easy_;
  std::array<char, CURL_ERROR_SIZE> error_text_{};
  Reactor::TimerId timer_ = 0;
  Reactor::TimerId low_speed_timer_ = 0;
  LowSpeedWatch low_speed_;
  FirstBytes first_bytes_;

  HttpResponseHead head_;
  BodyLease lease_;  ///< Of `body_`.
  base::ByteBuffer body_;
  bool head_refused_ = false;
  bool is_other_ = false;
  bool body_too_large_ = false;
  bool is_over_budget_ = false;
  bool is_too_slow_ = false;
  bool is_out_of_time_ = false;  ///< By our own timer. libcurl's ends nothing but connecting.
  std::string refusal_;          ///< Why an address was refused, if one was.
};

}  // namespace optimux::source

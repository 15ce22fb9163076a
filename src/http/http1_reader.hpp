#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "http/message.hpp"
#include "http/request_rules.hpp"

namespace optimux::http {

/// The reading half of an HTTP/1.1 connection (RFC 9112): bytes in, whole requests out, in order. No socket, thread or
/// clock; not thread-safe. Feeding byte by byte gives the same as feeding all at once.
///
/// Stricter than the grammar asks where leniency has been used for smuggling: bare CR or LF, NUL, folded lines, blanks
/// before the colon, repeated or listed Content-Length, Content-Length beside Transfer-Encoding, any coding but
/// `chunked`, a missing or repeated Host. After such an error the connection cannot be used any more, because nobody
/// can know where the next request begins.
///
/// Only POST and PUT have their body kept. That of any other method is framed and limited in the same way, but dropped
/// as it comes: `Request::body` stays empty.
class Http1Reader {
 public:
  explicit Http1Reader(const RequestLimits& limits);
  Http1Reader(const Http1Reader&) = delete;
  Http1Reader& operator=(const Http1Reader&) = delete;
  ~Http1Reader();

  /// Takes bytes as they come. Does nothing after a failure.
  void feed(std::string_view bytes);

  /// The next whole request; nothing when more bytes are needed or the reader has failed.
  std::optional<Request> take();

  /// The only thing that has been fed and not been taken, if that is one whole request; else nullptr. Valid until the
  /// next call of another function.
  const Request* sole_request() const;

  /// Requests that `take` would give now.
  std::size_t ready() const { return ready_.size(); }
  /// Bytes of them, heads and bodies.
  std::size_t ready_bytes() const { return ready_bytes_; }
  /// Bytes of all that has been fed and not been taken: `ready_bytes` and what there is of the next request.
  std::size_t held_bytes() const;
  /// Whether a request has begun and is not whole yet.
  bool is_mid_request() const;

  /// True once for each request whose client waits for `100 Continue` before it sends the body, when all requests
  /// before it have been taken. The caller then writes `kContinue`.
  bool take_continue();

  /// Makes `reason` the failure, unless there is one: no more is read, and what there is of the next request is
  /// forgotten.
  void refuse(base::Error reason);

  /// Why no more requests will come: kMalformedRequest, kUriTooLong, kHeadersTooLarge, kBodyTooLarge, or what `refuse`
  /// was given. Requests that were whole before can still be taken.
  const std::optional<base::Error>& failure() const { return failure_; }

 private:
  class Message;

  void parse_head();
  bool skip_empty_line();
  bool scan_head();
  void finish_head(std::size_t head_bytes);
  void parse_body();
  void finish_request();
  void fail(base::ErrorCode code, std::string detail);

  const RequestLimits limits_;
  std::string buffer_;          ///< Bytes not yet consumed.
  std::size_t scanned_ = 0;     ///< Of `buffer_`, already looked at for the end of the head.
  std::size_t first_line_ = 0;  ///< Length of the request line in `buffer_`, 0 while not known.
  bool skipped_empty_line_ = false;
  bool in_body_ = false;
  bool wants_continue_ = false;
  std::unique_ptr<Message> message_;
  std::deque<Request> ready_;
  std::size_t ready_bytes_ = 0;
  std::optional<base::Error> failure_;
};

/// The interim response that invites the body.
inline constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

}  // namespace optimux::http

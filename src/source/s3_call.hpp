#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/deadline.hpp"
#include "base/result.hpp"
#include "source/curl_handles.hpp"
#include "source/http_exchange.hpp"
#include "source/object_store.hpp"
#include "source/s3_context.hpp"
#include "source/s3_refusal.hpp"

namespace optimux::source {

/// One request to an object store with all its attempts:
///
///     credentials -> breaker -> exchange --+--> done
///          ^                               |
///          +--- wait, on a new connection -+   as long as the time and the number of attempts allow
///
/// The store's time limit holds for all attempts together. An attempt that has no answer after its share of what is
/// left is given up for the next one, unless it is the last, or a PUT, whose body takes time to send. A refusal for the
/// clock's sake is tried once more with the store's date, one for the credentials' sake with new ones.
///
/// Of the loop's thread alone.
class S3Call {
 public:
  using Done = std::function<void(base::Result<ObjectAnswer>)>;

  /// `payload_hash` is the SHA-256 of the body in hexadecimal digits. `done` is called at most once, perhaps from
  /// within `start`; the call may go then, but not before `done` returns.
  S3Call(S3Context& context, ObjectRequest request, std::string payload_hash, Done done);
  S3Call(const S3Call&) = delete;
  S3Call& operator=(const S3Call&) = delete;
  /// Ends it at once; `done` is not called then. Must not be called from inside a callback of libcurl.
  ~S3Call();

  void start();

 private:
  void ask_for_credentials();
  void send(const S3Credentials& credentials);
  base::Status start_exchange();
  void watch_for_answer();
  void on_no_answer();
  void on_answer(base::Result<HttpAnswer> answer);
  void take_refusal(const HttpAnswer& answer);
  bool is_done_by(const HttpResponseHead& head) const;
  bool correct_clock(const HttpResponseHead& head);
  bool renew_credentials();
  void repeat();
  void succeed(HttpAnswer answer);
  void fail(const base::Error& error);
  void attempt_failed(const base::Error& error);
  void send_again_after(std::chrono::milliseconds delay);
  void stop_timer();
  CircuitBreaker& breaker();
  void host_succeeded();
  void host_failed();
  std::chrono::milliseconds time_left() const;
  std::string place() const;

  S3Context& context_;
  const ObjectRequest request_;
  const std::string payload_hash_;
  const Done done_;
  S3Target target_;
  base::Deadline deadline_;
  S3Credentials credentials_;
  CurlList headers_;
  std::unique_ptr<HttpExchange> exchange_;
  Reactor::TimerId timer_ = 0;  ///< Of the wait for an answer, or for the next attempt.
  int attempts_ = 0;            ///< Sent so far, but for those repeated for clock or credentials.
  bool is_admitted_ = false;    ///< By the breaker, which is still to hear of the end.
  bool connects_anew_ = false;
  bool has_corrected_clock_ = false;
  bool has_renewed_credentials_ = false;
  const std::shared_ptr<int> life_ = std::make_shared<int>();  ///< Held weakly by who may call back late.
};

}  // namespace optimux::source

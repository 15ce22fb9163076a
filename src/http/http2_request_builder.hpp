#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "base/error.hpp"
#include "http/message.hpp"
#include "http/request_rules.hpp"

namespace optimux::http {

/// Puts the request of one HTTP/2 stream together, with the limits that hold for HTTP/1.1 too and the checks that the
/// library leaves to its caller: where `:authority` and `Host` disagree, what a target may be. The fields come checked
/// for what RFC 9113 section 8 forbids. A body is kept for methods that have a use for it, and counted for all.
///
/// After a refusal everything more is dropped. Not thread-safe.
class Http2RequestBuilder {
 public:
  /// `limits` must outlive the builder.
  explicit Http2RequestBuilder(const RequestLimits& limits) : limits_(limits) {}

  /// The next field of the head, pseudo-fields included.
  void add_field(std::string_view name, std::string_view value);
  /// The head is whole.
  void finish_head();
  bool has_head() const { return has_head_; }
  /// Bytes of the body. Only after the head.
  void add_body(std::span<const std::byte> bytes);

  /// Refuses the request for `reason`, unless it has been refused before: what there is of it is dropped, but
  /// for the method.
  void refuse(base::Error reason);
  /// Why it is refused: kMalformedRequest, kUriTooLong, kHeadersTooLarge, kBodyTooLarge, or what `refuse` was given.
  const std::optional<base::Error>& refusal() const { return refusal_; }

  /// Memory that the request takes so far, in bytes.
  std::size_t held_bytes() const { return size_of(request_); }
  const Request& request() const { return request_; }
  /// Whether it is a HEAD, refused or not.
  bool is_head() const { return request_.method == "HEAD"; }
  /// The request, whole and not refused. Once.
  Request take() { return std::move(request_); }

 private:
  void add_pseudo_field(std::string_view name, std::string_view value);
  void check_authority();

  const RequestLimits& limits_;
  Request request_;
  std::optional<std::string> authority_;
  std::size_t header_bytes_ = 0;
  std::size_t body_bytes_ = 0;
  bool has_head_ = false;
  std::optional<base::Error> refusal_;
};

}  // namespace optimux::http

#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "http/byte_range.hpp"
#include "http/message.hpp"
#include "server/answer.hpp"
#include "server/rendition_headers.hpp"
#include "server/request_context.hpp"
#include "server/server_state.hpp"
#include "service/rendition.hpp"

namespace optimux::server {

/// What the answers made from renditions have in common: which head they get. An error if a rendition fails before the
/// first byte, 304 if the client's copy is still right, 200 otherwise, or 206 or 416 if the client asks for a part of
/// what is finished. While its size is unknown the whole is sent to those too.
///
/// The head waits for the first byte, not for the encoder: one that holds its bytes back until its end can fail for as
/// long, and after a 200 nobody could be told. 304 for a tag that the client names needs no byte and waits for the
/// facts alone: such a tag comes from a 200. `*` and dates are met by what cannot be rendered too, and count only where
/// the answer would be a 200 (RFC 9110, section 13.2.1): they wait as a 200 does.
class ConditionalAnswer : public Answer {
 public:
  std::optional<http::ResponseHead> take_head() final;
  std::vector<std::string> early_links() const final;
  Window window(std::size_t max_pieces, Cut cut) final;
  void consume(std::size_t count) final;
  bool wait(std::function<void()> wake) final;
  AnswerReport report() const final;

 protected:
  /// `request` and `context` must outlive the answer. `first` is what times and outcome are told of.
  ConditionalAnswer(ServerState& state, const http::Request& request, const RequestContext& context,
                    const service::OpenedRendition& first, RenditionExtras extras);

  /// Whether bytes can follow a head now. Asked before `failure`.
  virtual bool is_ready() const = 0;
  /// Why there will be no more bytes than there are.
  virtual std::optional<base::Error> failure() const = 0;
  /// Of what is sent; an empty tag if not known yet. Never null.
  virtual std::shared_ptr<const service::RenditionFacts> facts() const = 0;
  /// Of what is sent. Only once `is_ready`.
  virtual std::string content_type() const = 0;
  /// Prepares the body, and says how many bytes it has, if that is known.
  virtual std::optional<std::uint64_t> begin_body() = 0;
  /// Whether a part of the body can be sent alone, once its size is known.
  virtual bool serves_parts() const { return false; }
  /// From now on the body is `part` of it alone. After `begin_body`, of an answer that serves parts.
  virtual void select_part(const http::ByteRange& part);
  // As in `Answer`, of the body.
  virtual Window body_window(std::size_t max_pieces, Cut cut) = 0;
  virtual void consume_body(std::size_t count) = 0;
  virtual bool wait_for_body(std::function<void()> wake) = 0;
  virtual void cancel_wait() = 0;

  ServerState& state() const { return state_; }
  const http::Request& request() const { return request_; }
  /// Whether the head was that of a 200 or 206.
  bool is_success() const { return has_head_ && !instead_; }

 private:
  service::CacheOutcome outcome() const { return service::outcome_by_now(outcome_, *first_); }
  http::ResponseHead problem(base::Error error, http::Headers fields = {});
  http::ResponseHead not_modified(http::Headers fields);
  http::ResponseHead success(http::Headers fields, std::string_view etag);
  http::ResponseHead part(http::Headers fields, const http::ByteRange& range, std::uint64_t size);
  http::ResponseHead unsatisfiable(std::uint64_t size);

  ServerState& state_;
  const http::Request& request_;
  const RequestContext& context_;
  const std::shared_ptr<service::Rendition> first_;
  const service::CacheOutcome outcome_;  ///< When the rendition was opened.
  const RenditionExtras extras_;
  std::unique_ptr<Answer> instead_;  ///< What is said instead of the picture: an error, or nothing (304).
  bool has_head_ = false;
  bool has_seen_facts_ = false;
};

}  // namespace optimux::server

#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "base/shared_body.hpp"
#include "http/message.hpp"
#include "server/answer.hpp"
#include "server/rendition_headers.hpp"
#include "server/request_context.hpp"
#include "server/server_state.hpp"
#include "service/rendition.hpp"

namespace optimux::server {

/// The answer with the bytes of the first of several renditions, sent from the body in which they are being made,
/// without a copy. Becomes 304 if the client's copy is still right, and an error if the rendition fails before its
/// first byte.
///
/// It holds the readers of the other renditions for as long as it lives, so that they are made too; once its own
/// rendition has been sent whole, they go to the `ReaderKeeper`. A client that leaves early takes them with it. A HEAD
/// is whole with its head, and hands over the first reader too.
class RenditionAnswer final : public Answer {
 public:
  /// `request` and `context` must outlive the answer; `opened` has at least one.
  RenditionAnswer(ServerState& state, const http::Request& request, const RequestContext& context,
                  std::vector<service::OpenedRendition> opened, RenditionExtras extras);
  ~RenditionAnswer() override;

  std::optional<http::ResponseHead> take_head() override;
  Window window(std::size_t max_pieces) override;
  void consume(std::size_t count) override;
  bool wait(std::function<void()> wake) override;
  AnswerReport report() const override;

 private:
  http::ResponseHead not_modified(http::Headers fields);
  http::ResponseHead success(http::Headers fields);

  ServerState& state_;
  const http::Request& request_;
  const RequestContext& context_;
  const std::shared_ptr<service::Rendition> rendition_;
  const service::CacheOutcome outcome_;
  const RenditionExtras extras_;
  base::SharedBody::Reader reader_;
  std::vector<base::SharedBody::Reader> companions_;
  std::unique_ptr<Answer> instead_;  ///< What is said instead of the rendition: an error, or nothing (304).
  bool has_head_ = false;
};

}  // namespace optimux::server

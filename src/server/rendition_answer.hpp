#pragma once

#include <memory>
#include <vector>

#include "base/shared_body.hpp"
#include "server/conditional_answer.hpp"

namespace optimux::server {

/// The answer with the bytes of the first of several renditions, sent from the body in which they are being made,
/// without a copy.
///
/// It holds the readers of the other renditions for as long as it lives, so that they are made too; once its own
/// rendition has been sent whole, they go to the `ReaderKeeper`. A client that leaves early takes them with it. A HEAD
/// is whole with its head, and hands over the first reader too.
class RenditionAnswer final : public ConditionalAnswer {
 public:
  /// `request` and `context` must outlive the answer; `opened` has at least one.
  RenditionAnswer(ServerState& state, const http::Request& request, const RequestContext& context,
                  std::vector<service::OpenedRendition> opened, RenditionExtras extras);
  ~RenditionAnswer() override;

 private:
  bool is_ready() const override;
  std::optional<base::Error> failure() const override { return rendition_->body()->error(); }
  std::shared_ptr<const service::RenditionFacts> facts() const override { return rendition_->shared_facts(); }
  std::string content_type() const override { return rendition_->body()->head()->content_type; }
  std::optional<std::uint64_t> begin_body() override;
  bool serves_parts() const override { return true; }
  void select_part(const http::ByteRange& part) override;
  Window body_window(std::size_t max_pieces, Cut cut) override;
  void consume_body(std::size_t count) override { reader_.consume(count); }
  bool wait_for_body(std::function<void()> wake) override { return reader_.wait(std::move(wake)); }
  void cancel_wait() override { reader_.cancel_wait(); }
  bool is_sent() const;

  const std::shared_ptr<service::Rendition> rendition_;
  base::SharedBody::Reader reader_;
  std::optional<std::uint64_t> part_end_;  ///< Offset behind the last byte that is sent, if not all are.
  std::vector<base::SharedBody::Reader> companions_;
};

}  // namespace optimux::server

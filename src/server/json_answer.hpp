#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/shared_body.hpp"
#include "server/conditional_answer.hpp"

namespace optimux::server {

/// All renditions as data URIs in one JSON document: `{"data": {"300x169.webp": "data:image/webp;base64,…"}}`, in the
/// order of the sizes; sizes that turn out to be the same stand there once. Waits until all are complete; if one fails,
/// it is the error of the whole. The document is encoded piece by piece while it is sent: never in memory as a whole,
/// and never long at a time. What is small is of the first phase, as text is; large documents are pictures after all.
class JsonAnswer final : public ConditionalAnswer {
 public:
  /// `request` and `context` must outlive the answer; `opened` has at least one.
  JsonAnswer(ServerState& state, const http::Request& request, const RequestContext& context,
             std::vector<service::OpenedRendition> opened, RenditionExtras extras);
  ~JsonAnswer() override;

 private:
  /// One entry of the document: the text before its bytes, and the bytes.
  struct Entry {
    std::string opening;
    base::SharedBody::Reader reader;
  };

  bool is_ready() const override;
  std::optional<base::Error> failure() const override;
  std::shared_ptr<const service::RenditionFacts> facts() const override;
  std::string content_type() const override { return "application/json"; }
  std::optional<std::uint64_t> begin_body() override;
  Window body_window(std::size_t max_pieces, Cut cut) override;
  void consume_body(std::size_t count) override { sent_ += count; }
  bool wait_for_body(std::function<void()> wake) override;
  void cancel_wait() override;
  void encode_more();

  std::vector<service::OpenedRendition> opened_;
  std::vector<Entry> entries_;
  base::Phase phase_ = base::Phase::kFull;
  std::size_t entry_ = 0;      ///< The one that is being encoded; `entries_.size()` when all are.
  bool is_opened_ = false;     ///< Whether the opening of `entry_` has been encoded.
  bool is_closed_ = false;     ///< Whether the end of the document has been encoded.
  std::size_t bytes_at_once_;  ///< Of a picture, to be encoded next.
  std::string encoded_;        ///< Encoded and not yet sent whole.
  std::size_t sent_ = 0;       ///< Of `encoded_`.
};

}  // namespace optimux::server

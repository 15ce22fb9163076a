#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/shared_body.hpp"
#include "http/message.hpp"
#include "server/answer.hpp"
#include "server/rendition_headers.hpp"
#include "server/request_context.hpp"
#include "server/server_state.hpp"
#include "service/rendition.hpp"

namespace optimux::server {

/// All renditions as data URIs in one JSON document: `{"data": {"300x169.webp": "data:image/webp;base64,…"}}`, in the
/// order of the sizes; sizes that turn out to be the same stand there once. Waits until all are complete; if one fails,
/// it is the error of the whole. The document is encoded piece by piece while it is sent: never in memory as a whole,
/// and never long at a time.
class JsonAnswer final : public Answer {
 public:
  /// `request` and `context` must outlive the answer; `opened` has at least one.
  JsonAnswer(ServerState& state, const http::Request& request, const RequestContext& context,
             std::vector<service::OpenedRendition> opened, RenditionExtras extras);
  ~JsonAnswer() override;

  std::optional<http::ResponseHead> take_head() override;
  Window window(std::size_t max_pieces) override;
  void consume(std::size_t count) override;
  bool wait(std::function<void()> wake) override;
  AnswerReport report() const override;

 private:
  /// One entry of the document: the text before its bytes, and the bytes.
  struct Entry {
    std::string opening;
    base::SharedBody::Reader reader;
  };

  bool is_complete() const;
  std::optional<base::Error> first_error() const;
  http::ResponseHead success();
  service::RenditionFacts combined_facts() const;
  void prepare_entries();
  std::uint64_t document_size() const;
  void encode_more();

  ServerState& state_;
  const http::Request& request_;
  const RequestContext& context_;
  const RenditionExtras extras_;
  std::vector<service::OpenedRendition> opened_;
  std::vector<Entry> entries_;
  std::size_t entry_ = 0;            ///< The one that is being encoded; `entries_.size()` when all are.
  bool is_opened_ = false;           ///< Whether the opening of `entry_` has been encoded.
  bool is_closed_ = false;           ///< Whether the end of the document has been encoded.
  std::string encoded_;              ///< Encoded and not yet sent whole.
  std::size_t sent_ = 0;             ///< Of `encoded_`.
  std::unique_ptr<Answer> instead_;  ///< An error, or nothing (304).
  bool has_head_ = false;
};

}  // namespace optimux::server

#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/phase.hpp"
#include "http/message.hpp"
#include "service/rendition.hpp"

namespace optimux::server {

/// What the log and the metrics want to know of an answer when it has ended.
struct AnswerReport {
  std::optional<service::CacheOutcome> cache;  ///< Unset for answers that no cache is asked for.
  service::RenditionTimings timings;           ///< Of the making; meaningless for hits.
  std::optional<base::Error> error;            ///< What went wrong, whether the client was told or cut off.
};

/// The answer to one request while it comes into being: first a head, then bytes, then an end. It knows no protocol, so
/// that HTTP/1.1 connections and HTTP/2 streams drive it in the same way. Used in the loop's thread only; dropping it
/// tells everybody below that nobody waits any more.
class Answer {
 public:
  /// Bytes that can be sent now. The pieces stay valid until the next call of `consume` or the end of the answer.
  struct Window {
    enum class State {
      kMore,    ///< More will come after these pieces; with no pieces: wait.
      kLast,    ///< These pieces, perhaps none, are the rest.
      kFailed,  ///< The rest will never come; there are no pieces.
    };
    std::vector<std::span<const std::byte>> pieces;
    State state = State::kMore;
    base::Phase phase = base::Phase::kFull;  ///< Of the first byte; of all of them if they were to be cut.
    /// The pieces stay valid until the end of the answer, and not only until the next `consume`.
    bool is_lasting = true;
  };
  /// Whether the pieces of a window end where a phase ends. To whoever sends one answer after another it would only
  /// make more and smaller writes.
  enum class Cut { kNowhere, kPhase };

  Answer() = default;
  Answer(const Answer&) = delete;
  Answer& operator=(const Answer&) = delete;
  virtual ~Answer() = default;

  /// The head, once, as soon as it is known; nothing before that and after it. Every answer gets to a head: a failure
  /// before it makes the head that of an error.
  virtual std::optional<http::ResponseHead> take_head() = 0;
  /// Values of `Link` that the head of a success will have, while that is being made and it looks as if it would be
  /// one; else nothing.
  virtual std::vector<std::string> early_links() const { return {}; }
  /// What can be sent now, in at most `max_pieces` pieces. Only after the head was taken.
  virtual Window window(std::size_t max_pieces, Cut cut) = 0;
  /// `count` bytes of the last window have been sent.
  virtual void consume(std::size_t count) = 0;
  /// Asks to be woken once when there is something new; `wake` may be called in any thread and must return at once.
  /// Returns false, and does not keep `wake`, if there is something already.
  [[nodiscard]] virtual bool wait(std::function<void()> wake) = 0;
  virtual AnswerReport report() const { return {}; }
};

/// An answer that is whole from the start. No picture: what it says is small and final, so it is of the first phase and
/// waits behind no preview.
class TextAnswer final : public Answer {
 public:
  TextAnswer(http::ResponseHead head, std::string body, std::optional<base::Error> error = std::nullopt);
  /// A text that many answers share: a client that stalls them all holds it once. Not nullptr.
  TextAnswer(http::ResponseHead head, std::shared_ptr<const std::string> body);

  std::optional<http::ResponseHead> take_head() override;
  Window window(std::size_t max_pieces, Cut cut) override;
  void consume(std::size_t count) override { sent_ += count; }
  bool wait(std::function<void()> wake) override;
  AnswerReport report() const override;

 private:
  std::optional<http::ResponseHead> head_;
  const std::shared_ptr<const std::string> body_;
  const std::optional<base::Error> error_;
  std::size_t sent_ = 0;
};

/// 200 with `body`, not to be stored by anybody.
std::unique_ptr<Answer> text_answer(std::string_view content_type, std::string body);

/// A status without a body, and with these fields.
std::unique_ptr<Answer> empty_answer(int status, http::Headers headers = {});

}  // namespace optimux::server

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_buffer.hpp"
#include "base/mutex.hpp"
#include "base/phase.hpp"
#include "base/result.hpp"

namespace optimux::base {

/// What is known of a body before its first byte.
struct BodyHead {
  std::string content_type;  ///< Of what is really encoded, as in `image/webp`.
  int width = 0;             ///< Pixels, upright; 0 when the body is no picture.
  int height = 0;            ///< Pixels of one frame; 0 when the body is no picture.
  int pages = 1;             ///< Frames of an animation.
  bool has_phases = false;   ///< The producer will say where they end; without it all bytes are kFull.
};

/// The one way that encoded bytes leave the media layer: append-only, one producer, any number of readers that each go
/// at their own pace, an end that is either complete or failed.
///
/// Life: pending -> started (head known) -> complete | failed; a body may fail from any state but complete. All calls
/// may come from any thread, except that the producer's calls come one after another. Nothing here blocks for longer
/// than a short mutex.
///
/// Memory: bytes are copied once (or not at all, by `adopt`) into blocks that never move, so a span that a reader holds
/// stays valid for as long as the body lives. Blocks start small and double up to 64 KiB, so that a thumbnail does not
/// cost a large block and a large picture does not cost many small ones.
class SharedBody : public std::enable_shared_from_this<SharedBody> {
 public:
  enum class State { kPending, kStarted, kComplete, kFailed };

  SharedBody() = default;
  SharedBody(const SharedBody&) = delete;
  SharedBody& operator=(const SharedBody&) = delete;

  // The producer's side.

  /// Announces the head. Called once, before the first `append`. Ignored once the body has failed.
  void start(BodyHead head) OPTIMUX_EXCLUDES(mutex_);
  /// Adds bytes (copied). Ignored once the body has failed, so that a cancelled producer may run out.
  void append(std::span<const std::byte> bytes) OPTIMUX_EXCLUDES(mutex_);
  /// Adds bytes that are there in one piece and never change, without a copy: they stay for as long as the body. Not
  /// null. Else as `append`.
  void adopt(std::shared_ptr<const ByteBuffer> bytes) OPTIMUX_EXCLUDES(mutex_);
  /// The same with `bytes` that a reader of the finished `other` sees.
  void append_of(const std::shared_ptr<const SharedBody>& other, std::span<const std::byte> bytes)
      OPTIMUX_EXCLUDES(mutex_);
  /// The bytes before `offset` that belong to no earlier phase are `phase`, as in `PhaseEnds::end`. Requires a head
  /// with `has_phases`; kFull is ended by the end of the body. May come before or after these bytes, and wakes nobody:
  /// a producer that marks bytes before it appends them has readers that never see a byte without its phase. Ignored
  /// once the body has failed.
  void end_phase(Phase phase, std::uint64_t offset) OPTIMUX_EXCLUDES(mutex_);
  /// The end: nothing is missing. Requires `start`. Ignored once the body has failed.
  void complete() OPTIMUX_EXCLUDES(mutex_);
  /// The end: what was appended is not the whole. Ignored once the body is complete or has failed.
  void fail(Error error) OPTIMUX_EXCLUDES(mutex_);
  /// Wakes all readers that wait, as any change does: something that belongs to the body beside its bytes is known now.
  void wake_readers() OPTIMUX_EXCLUDES(mutex_);

  // What anybody may ask.

  State state() const OPTIMUX_EXCLUDES(mutex_);
  bool is_finished() const {
    const State now = state();
    return now == State::kComplete || now == State::kFailed;
  }
  /// The head, once the body has started.
  std::optional<BodyHead> head() const OPTIMUX_EXCLUDES(mutex_);
  /// The reason, once the body has failed.
  std::optional<Error> error() const OPTIMUX_EXCLUDES(mutex_);
  /// Bytes appended so far.
  std::uint64_t size() const OPTIMUX_EXCLUDES(mutex_);
  /// The phase of the byte at `offset`, and where it ends: unset while that is unknown; the size for the last phase of
  /// a complete body.
  PhaseSpan phase_at(std::uint64_t offset) const OPTIMUX_EXCLUDES(mutex_);
  /// Where its phases end, as far as that is known.
  PhaseEnds phase_ends() const OPTIMUX_EXCLUDES(mutex_);
  /// Bytes of memory that the blocks take: what a cache has to count.
  std::uint64_t memory_size() const OPTIMUX_EXCLUDES(mutex_);
  /// Readers attached now.
  int reader_count() const OPTIMUX_EXCLUDES(mutex_);

  /// `callback` is called each time the last reader leaves before the end, in the thread of that reader, with no lock
  /// held. Set once, before the first reader attaches. New readers may have come by the time it runs: ask
  /// `reader_count()` under the lock that guards attaching.
  void on_abandoned(std::function<void()> callback) OPTIMUX_EXCLUDES(mutex_);

  /// One reader's place in the body. Movable; it keeps the body alive. Not thread-safe itself: one thread at a time.
  class Reader {
   public:
    Reader() = default;
    Reader(Reader&& other) noexcept;
    Reader& operator=(Reader&& other) noexcept;
    ~Reader();

    /// Bytes that can be read now from this reader's place on: one contiguous piece, empty when there is none yet or
    /// none any more. Valid for as long as the body lives.
    std::span<const std::byte> peek() const;
    /// Up to `max_pieces` pieces at once, for scattered writes.
    std::vector<std::span<const std::byte>> peek_many(std::size_t max_pieces) const;
    /// The phase of the bytes that a peek shows first. Asked for after a peek it holds for all of these bytes before
    /// its end, if the producer marks bytes before it appends them.
    PhaseSpan phase() const { return body_->phase_at(offset_); }
    /// Moves this reader's place. `count` is at most what the last peek showed.
    void consume(std::size_t count);
    /// Moves this reader's place to `offset`, which is at most the size of the body so far.
    void seek(std::uint64_t offset);
    /// This reader's place: the bytes consumed so far, unless it was moved.
    std::uint64_t offset() const { return offset_; }
    /// True when the body is complete and all of it has been consumed.
    bool at_end() const;

    /// Asks to be woken once: `wake` is called at the next change after what this reader has seen, namely the head,
    /// more bytes than consumed, the end, or the next `wake_readers`. It is called in the producer's thread with no
    /// lock held and must return at once (post to an event loop). Returns false, and does not keep `wake`, when there
    /// is already something to see: head known and not yet taken by `acknowledge_head`, bytes to read, or an end.
    [[nodiscard]] bool wait(std::function<void()> wake);
    /// From now on the head alone is no news to this reader.
    void acknowledge_head() { head_seen_ = true; }
    /// Forgets the `wake` given before. One that is being called at this moment may still be running.
    void cancel_wait();

    SharedBody& body() const { return *body_; }
    explicit operator bool() const { return body_ != nullptr; }

   private:
    friend class SharedBody;
    explicit Reader(std::shared_ptr<SharedBody> body, std::uint64_t id) : body_(std::move(body)), id_(id) {}
    void detach();

    std::shared_ptr<SharedBody> body_;
    std::uint64_t id_ = 0;
    std::uint64_t offset_ = 0;
    bool head_seen_ = false;
  };

  /// Adds a reader at the first byte, whatever the state. The body must be owned by a shared_ptr.
  Reader attach() OPTIMUX_EXCLUDES(mutex_);

 private:
  struct Block {
    std::unique_ptr<std::byte[]> own;   ///< Null: the bytes are shared with others, and it is full.
    std::shared_ptr<const void> owner;  ///< Of those.
    const std::byte* shared = nullptr;
    std::size_t capacity = 0;
    std::size_t used = 0;
    std::uint64_t begin = 0;  ///< Offset of its first byte in the body.
    const std::byte* bytes() const { return own ? own.get() : shared; }
  };
  struct Waiter {
    std::uint64_t reader = 0;
    std::function<void()> wake;
  };

  bool has_ended() const OPTIMUX_REQUIRES(mutex_) { return state_ == State::kComplete || state_ == State::kFailed; }
  void append_shared(std::shared_ptr<const void> owner, std::span<const std::byte> bytes, std::size_t memory)
      OPTIMUX_EXCLUDES(mutex_);
  void append_to_blocks(std::span<const std::byte> bytes) OPTIMUX_REQUIRES(mutex_);
  std::vector<Waiter> take_waiters() OPTIMUX_REQUIRES(mutex_);
  std::size_t block_at(std::uint64_t offset) const OPTIMUX_REQUIRES(mutex_);
  std::vector<std::span<const std::byte>> pieces_from(std::uint64_t offset, std::size_t max_pieces) const
      OPTIMUX_EXCLUDES(mutex_);
  bool add_waiter(Waiter waiter, std::uint64_t offset, bool head_seen) OPTIMUX_EXCLUDES(mutex_);
  void remove_waiter(std::uint64_t reader) OPTIMUX_REQUIRES(mutex_);
  void detach(std::uint64_t reader) OPTIMUX_EXCLUDES(mutex_);

  mutable Mutex mutex_;
  State state_ OPTIMUX_GUARDED_BY(mutex_) = State::kPending;
  std::optional<BodyHead> head_ OPTIMUX_GUARDED_BY(mutex_);
  std::optional<Error> error_ OPTIMUX_GUARDED_BY(mutex_);
  PhaseEnds phase_ends_ OPTIMUX_GUARDED_BY(mutex_);
  std::vector<Block> blocks_ OPTIMUX_GUARDED_BY(mutex_);
  std::uint64_t size_ OPTIMUX_GUARDED_BY(mutex_) = 0;
  std::uint64_t next_reader_ OPTIMUX_GUARDED_BY(mutex_) = 1;
  int readers_ OPTIMUX_GUARDED_BY(mutex_) = 0;
  std::vector<Waiter> waiters_ OPTIMUX_GUARDED_BY(mutex_);
  std::function<void()> on_abandoned_ OPTIMUX_GUARDED_BY(mutex_);
};

}  // namespace optimux::base

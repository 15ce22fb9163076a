#pragma once

#include <array>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <utility>

#include "media/byte_cursor.hpp"

// For the sources of this layer only.

namespace optimux::media {

/// A coroutine that reads from a `ByteFeed`. It runs at once up to its first wait, goes on inside of `ByteFeed::feed`,
/// and goes with this object wherever it stands. The feed must outlive it, and is not fed after it has gone.
class FeedReader {
 public:
  struct promise_type {  // NOLINT(readability-identifier-naming): the language's own
    FeedReader get_return_object() { return FeedReader(Handle::from_promise(*this)); }
    static std::suspend_never initial_suspend() noexcept { return {}; }
    static std::suspend_always final_suspend() noexcept { return {}; }
    static void return_void() {}
    static void unhandled_exception() { std::terminate(); }
  };

  FeedReader(FeedReader&& other) noexcept : handle_(std::exchange(other.handle_, {})) {}
  FeedReader& operator=(FeedReader&&) = delete;
  ~FeedReader() {
    if (handle_) handle_.destroy();
  }

  /// Whether it has read all that it wanted, or found what it does not understand.
  bool is_done() const { return handle_.done(); }

 private:
  using Handle = std::coroutine_handle<promise_type>;
  explicit FeedReader(Handle handle) : handle_(handle) {}

  Handle handle_;
};

/// The bytes of a stream as they come, in pieces of any size, for one `FeedReader`, which takes them apart as if they
/// were all there and is suspended where they are not. Where the pieces are cut therefore makes no difference. Not
/// thread-safe; nothing is copied but what `bytes` gathers.
class ByteFeed {
 public:
  /// As many as can be had together.
  static constexpr std::size_t kMostBytes = 64;

  ByteFeed() = default;
  ByteFeed(const ByteFeed&) = delete;
  ByteFeed& operator=(const ByteFeed&) = delete;

  /// The next piece: the reader runs until it has taken all of it or has ended.
  void feed(std::span<const std::byte> piece) {
    rest_ = piece;
    if (wait_ == nullptr || !wait_->poll()) return;
    wait_ = nullptr;
    std::exchange(reader_, {}).resume();
  }

  /// Bytes taken so far: the offset of the next one. Never beyond what was fed.
  std::uint64_t position() const { return position_; }

  /// What a reader waits for. `poll` takes what it can of the piece, and says whether that is all.
  class Wait {
   public:
    explicit Wait(ByteFeed& feed) : feed_(feed) {}
    virtual ~Wait() = default;
    Wait(const Wait&) = delete;
    Wait& operator=(const Wait&) = delete;

    virtual bool poll() = 0;
    bool await_ready() { return poll(); }
    void await_suspend(std::coroutine_handle<> reader) {
      feed_.wait_ = this;
      feed_.reader_ = reader;
    }

   protected:
    ByteFeed& feed() const { return feed_; }

   private:
    ByteFeed& feed_;
  };

  /// `co_await in.bytes(n)`: the next n bytes, at most `kMostBytes`, valid until the next wait.
  class Bytes final : public Wait {
   public:
    Bytes(ByteFeed& feed, std::size_t count) : Wait(feed), count_(count) {}
    bool poll() override;
    ByteCursor await_resume() const { return ByteCursor(std::span(feed().gathered_).first(count_)); }

   private:
    const std::size_t count_;
    std::size_t gathered_ = 0;
  };
  Bytes bytes(std::size_t count) { return {*this, count}; }

  /// `co_await in.skip(n)`: passes over the next n bytes.
  class Skip final : public Wait {
   public:
    Skip(ByteFeed& feed, std::uint64_t count) : Wait(feed), left_(count) {}
    bool poll() override;
    void await_resume() const {}

   private:
    std::uint64_t left_;
  };
  Skip skip(std::uint64_t count) { return {*this, count}; }

  /// `co_await in.find(b)`: passes over everything up to a byte b, and over that.
  class Find final : public Wait {
   public:
    Find(ByteFeed& feed, std::byte value) : Wait(feed), value_(value) {}
    bool poll() override;
    void await_resume() const {}

   private:
    const std::byte value_;
  };
  Find find(std::byte value) { return {*this, value}; }

  /// `co_await in.at_hand()`: the rest of the piece, one byte at least, without taking it; `take` does, up to all of
  /// it.
  class AtHand final : public Wait {
   public:
    using Wait::Wait;
    bool poll() override { return !feed().rest_.empty(); }
    std::span<const std::byte> await_resume() const { return feed().rest_; }
  };
  AtHand at_hand() { return AtHand(*this); }
  /// The same without waiting, so that there may be none.
  std::span<const std::byte> rest() const { return rest_; }
  void take(std::size_t count) {
    rest_ = rest_.subspan(count);
    position_ += count;
  }

 private:
  std::span<const std::byte> rest_;  ///< Of the piece.
  std::uint64_t position_ = 0;
  std::array<std::byte, kMostBytes> gathered_{};
  Wait* wait_ = nullptr;  ///< In the reader's frame, while it is suspended.
  std::coroutine_handle<> reader_;
};

}  // namespace optimux::media

#pragma once

#include <cstddef>
#include <functional>
#include <span>

namespace optimux::server {

/// One connection's way to its client, without blocking: plain TCP and Unix sockets, and TLS over them. Used in the
/// loop's thread only.
class Transport {
 public:
  enum class Result {
    kDone,        ///< `bytes` were moved, at least one.
    kWouldBlock,  ///< Nothing can be moved now.
    kClosed,      ///< Reading: the client has closed its side. Writing: nobody is there any more.
  };
  struct Outcome {
    Result result = Result::kWouldBlock;
    std::size_t bytes = 0;
  };
  using Pieces = std::span<const std::span<const std::byte>>;

  Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;
  virtual ~Transport() = default;

  /// Reads what is there, up to the size of `buffer`. Once nothing was there, or while a call of `when_readable` is
  /// pending, nothing is until that has called.
  virtual Outcome read(std::span<char> buffer) = 0;
  /// Writes as many bytes of `pieces`, in order, as the system takes. No copy is kept. What has been offered and not
  /// taken has to be offered again, unchanged and first, by the next call, with or without more behind it: TLS may
  /// have encrypted it already.
  virtual Outcome write(Pieces pieces) = 0;

  /// Calls `ready` once, later, when reading (writing) may succeed or has failed. One call may be pending for each
  /// direction.
  virtual void when_readable(std::function<void()> ready) = 0;
  virtual void when_writable(std::function<void()> ready) = 0;

  /// Calls `gone` once, later, when the client has closed its side or is gone, even while bytes that it has sent before
  /// are unread. One call may be pending.
  virtual void when_gone(std::function<void()> gone) = 0;

  /// From now on one TLS record carries at most `bytes` of what is written, 1 to 16,384. A client can use a record only
  /// when all of it is there, and each costs 22 bytes and more: small ones show first bytes sooner. 0, as at first: the
  /// transport chooses by what it has written lately. Nothing happens without TLS.
  virtual void set_record_limit(std::size_t bytes) { static_cast<void>(bytes); }

  /// Bytes that would leave this machine soon if they were written now: what the network has room for, less what waits
  /// already. Whoever can choose between bytes writes no more at once, because their order is settled then. An
  /// estimate; 64 KiB where nothing is known.
  virtual std::size_t room() const { return 65'536; }

  /// From now on the system holds at most about `bytes` that it has not sent, and takes more below half of it: whoever
  /// can choose between bytes wants the choice to be made late. Nothing happens where the system has no such limit.
  virtual void set_unsent_limit(std::size_t bytes) { static_cast<void>(bytes); }

  /// Tells the client that nothing more will be written and all of it was meant: a client of TLS can tell this from a
  /// connection that was cut off. All that was offered must have been taken.
  virtual void finish_writing() = 0;
  /// Ends both directions; pending calls of `ready` and `gone` do not come any more.
  virtual void close() = 0;
};

}  // namespace optimux::server

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/phase.hpp"
#include "http/calendar_wheel.hpp"
#include "http/fair_queue.hpp"
#include "http/index_set.hpp"

namespace optimux::http {

/// A stream of one connection, by the number that the protocol gives it.
using StreamId = std::int32_t;

/// What a client wishes for a response: the urgency and incremental of RFC 9218, and the weight of RFC 7540.
struct StreamPriority {
  int urgency = 3;           ///< 0 (most urgent) to 7 (background).
  bool incremental = false;  ///< Parts of the response are of use, so it may share the line with others.
  int weight = 16;           ///< Share among incremental streams: 1 to 256.

  friend bool operator==(const StreamPriority&, const StreamPriority&) = default;
};

/// Whose bytes go first. Under every policy the order is a function of the calls alone.
enum class SchedulingPolicy : std::uint8_t {
  kPhases,   ///< By phase, then by urgency: all heads, all first scans, all good ones, then the rest.
  kRfc9218,  ///< By urgency and incremental as RFC 9218 section 10 has it; phases and weights do not count.
  kFair,     ///< All streams share by weight; nothing else counts.
  kFifo,     ///< One response after another, by stream id.
};

/// Decides, across all responses open on one connection, whose bytes go out next.
///
/// The caller tells what each stream has to send (`append`), asks whose turn it is (`pick`), sends up to that many
/// bytes, and says how many it really were (`charge`). A stream is *sendable* when it has bytes and is not blocked;
/// only such streams are picked.
///
/// Order under `kPhases`: streams are in classes by the phase of their next byte and, within a phase, by urgency; the
/// best class with a sendable stream has the turn.
/// - In the phases head, first and good the streams of a class go one after another, by id: half of a preview is no
///   preview, so sharing would make all of them late.
/// - In phase full the incremental streams of a class share by weighted fair queueing in bytes (see `FairQueue`); those
///   that are not go one after another, by id. Where a class has both kinds, each kind gets half of the bytes, so that
///   neither starves (RFC 9218, section 10).
/// - 1/16 of the bytes goes to classes below the best one: of that, 15/16 to the best of them, and 1/16 to the ones
///   below in turn. While no class comes or goes, each has a turn in 16 * 16 * 30 quanta at the latest.
/// Under `kRfc9218` the classes are the urgencies and each is treated like one of phase full, with equal weights. Under
/// `kFair` and `kFifo` there is one class; in the first all streams share, in the second none does.
///
/// A body without phases is all `base::Phase::kFull` and thus goes behind the previews of all pictures. Where the page
/// needs it before its pictures (a document, a style sheet), append its bytes as an earlier phase.
///
/// What is scheduled is the bytes of bodies. Response headers, an end of stream that comes after its last byte, and
/// control frames are sent at once and need no turn.
///
/// Pure: no sockets, clock or protocol library. One thread at a time. Nothing blocks. Every operation takes constant
/// time, `open` on average and for rising ids (once in many calls it renumbers all streams). Calls for a stream that is
/// not open do nothing, so that late news of a stream that was reset needs no care.
class StreamScheduler {
 public:
  /// Most bytes of a turn: the largest payload of a DATA frame that every peer takes (RFC 9113, section 4.2).
  static constexpr std::size_t kQuantum = FairQueue<CalendarWheel>::kQuantum;
  /// Most streams open at once.
  static constexpr std::size_t kMaxStreams = 2'048;

  /// Whose turn it is.
  struct Pick {
    StreamId stream = 0;
    std::size_t bytes = 0;                   ///< Most bytes to send now: 1 to `kQuantum`.
    base::Phase phase = base::Phase::kFull;  ///< That of the first of them.

    friend bool operator==(const Pick&, const Pick&) = default;
  };

  explicit StreamScheduler(SchedulingPolicy policy = SchedulingPolicy::kPhases) : policy_(policy) {}

  /// Adds a stream that has nothing to send yet. Its id is not negative and not open, and at most `kMaxStreams - 1`
  /// others may be. Numbers of the priority beyond their ranges are taken as the nearest within.
  void open(StreamId id, StreamPriority priority = {});
  /// Forgets the stream and what it had to send, at any time.
  void close(StreamId id);

  /// `bytes` more of the body can be sent, all of them of `phase`; 0 changes nothing. Phases do not go back: bytes of a
  /// phase before one that was appended to this stream are taken as of the latter. Thus a piece of a body is appended
  /// in parts that are cut at the ends of phases.
  void append(StreamId id, std::uint64_t bytes, base::Phase phase);

  /// The stream cannot send for now (its flow-control window is empty) but keeps what it has to send.
  void block(StreamId id);
  /// The stream can send again. Streams are open unblocked; repeating either call changes nothing.
  void unblock(StreamId id);

  /// The stream has another priority from now on. It keeps its place in fair sharing: what it is ahead or behind by, in
  /// bytes, so that repeating a priority, or changing to and fro, wins nothing.
  void reprioritize(StreamId id, StreamPriority priority);

  /// Whose turn it is and how many bytes may be sent in it: no more than `most` (at least 1), `kQuantum` or what was
  /// appended, and under `kPhases` not beyond the end of the phase. Empty when no stream is sendable. Changes nothing:
  /// without another call between, it gives the same stream again.
  std::optional<Pick> pick(std::size_t most = kQuantum) const;
  /// `bytes` of the stream have been sent: usually of the one picked and as many as picked, but fewer, or bytes of
  /// another stream, are counted just as well. At most what it had to send.
  void charge(StreamId id, std::size_t bytes);

  SchedulingPolicy policy() const { return policy_; }
  bool is_open(StreamId id) const { return find(id) != nullptr; }
  /// Bytes appended to the stream and not yet charged; 0 when it is not open.
  std::uint64_t pending(StreamId id) const;
  /// The same of all streams.
  std::uint64_t pending() const { return pending_; }
  /// Streams open.
  std::size_t size() const { return indices_.size(); }
  /// Streams that have bytes and are not blocked.
  std::size_t sendable() const { return sendable_; }

 private:
  using Index = CalendarWheel::Item;  // of a stream in `streams_`

  static constexpr StreamId kNobody = -1;
  static constexpr std::size_t kUrgencies = 8;
  static constexpr std::size_t kClasses = base::kPhases * kUrgencies;

  struct Stream {
    StreamId id = kNobody;  // of nobody when the place is free
    StreamPriority priority;
    std::array<std::uint64_t, base::kPhases> waiting{};  // bytes to send, by phase
    std::uint64_t pending = 0;                           // the sum of them
    std::int64_t lag = 0;        // what fair sharing owes it, in bytes, while it does not take part
    Index rank = 0;              // place among all streams by id
    std::uint8_t phase = 0;      // of the next byte, or of the last one when there is none
    std::uint8_t latest = 0;     // of the last byte appended
    std::uint8_t own_class = 0;  // where it is while it is sendable,
    bool shares = false;         // and among which kind
    bool blocked = false;

    bool is_sendable() const { return pending > 0 && !blocked; }
  };

  // Streams that are equal but for their ids and weights.
  struct Class {
    IndexSet in_order;                                 // ranks of those that go one after another
    std::unique_ptr<FairQueue<CalendarWheel>> shared;  // those that share; made when the first one comes
    std::int64_t in_order_ahead = 0;                   // bytes that the first kind had more, while both are there

    bool has_shared() const { return shared != nullptr && !shared->empty(); }
    bool empty() const { return in_order.empty() && !has_shared(); }
    bool is_turn_in_order() const { return !has_shared() || (!in_order.empty() && in_order_ahead <= 0); }
    void count(bool in_order_sent, std::int64_t bytes);
  };

  // Gives a part of the bytes to those that are not the first: 1 byte of 16, a quantum at a time.
  class LowerShare {
   public:
    bool is_due() const { return owed_ >= kOthers * static_cast<std::int64_t>(kQuantum); }
    void upper_sent(std::int64_t bytes);
    void lower_sent(std::int64_t bytes);

   private:
    static constexpr std::int64_t kOthers = 15;
    std::int64_t owed_ = 0;
  };

  const Stream* find(StreamId id) const;
  Stream* find(StreamId id);
  Index index_of(const Stream& stream) const { return static_cast<Index>(&stream - streams_.data()); }
  std::uint8_t class_of(const Stream& stream) const;
  bool shares(const Stream& stream) const;
  int weight_of(const Stream& stream) const;

  Index take_place();
  void give_rank(Index index);
  void renumber();
  void let_go();

  void enter(Stream& stream);
  void leave(Stream& stream);
  void consume(Stream& stream, std::uint64_t bytes);
  void count_turn(const Stream& stream, std::int64_t bytes);
  std::size_t class_in_turn() const;
  Index stream_in_turn() const;

  SchedulingPolicy policy_;
  std::vector<Stream> streams_;
  std::vector<Index> free_places_;
  std::unordered_map<StreamId, Index> indices_;
  std::vector<Index> by_rank_;  // streams by rising id; with places of closed ones in between
  StreamId highest_ = kNobody;  // no id among them is higher
  std::array<Class, kClasses> classes_;
  std::uint32_t occupied_ = 0;  // a bit for each class with a sendable stream, the best one lowest
  LowerShare below_best_;       // what the classes below the best one get
  LowerShare below_second_;     // and of that, what those below the second one get, by turns
  std::size_t last_below_ = 0;  // which of those had the last turn
  std::uint64_t pending_ = 0;
  std::size_t sendable_ = 0;
  mutable Index picked_ = 0;  // the last one, where `find` looks first
};

}  // namespace optimux::http

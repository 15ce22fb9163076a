#include "http/stream_scheduler.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <utility>

namespace optimux::http {
namespace {

constexpr int kHighestUrgency = 7;
constexpr int kEqualWeight = 16;

constexpr std::uint8_t rank_of(base::Phase phase) {
  return static_cast<std::uint8_t>(phase);
}

constexpr std::uint8_t kFullRank = rank_of(base::Phase::kFull);

StreamPriority within_ranges(StreamPriority priority) {
  priority.urgency = std::clamp(priority.urgency, 0, kHighestUrgency);
  priority.weight = std::clamp(priority.weight, 1, FairQueue<CalendarWheel>::kMaxWeight);
  return priority;
}

std::size_t lowest(std::uint32_t bits) {
  return static_cast<std::size_t>(std::countr_zero(bits));
}

std::uint32_t without_lowest(std::uint32_t bits) {
  return bits & (bits - 1);
}

}  // namespace

void StreamScheduler::Class::count(bool in_order_sent, std::int64_t bytes) {
  constexpr auto kMost = static_cast<std::int64_t>(kQuantum);
  const bool both = has_shared() && !in_order.empty();
  const std::int64_t ahead = in_order_ahead + (in_order_sent ? bytes : -bytes);
  in_order_ahead = both ? std::clamp(ahead, -kMost, kMost) : 0;
}

// Nothing is saved up while nobody is there to take it: what is owed has an end on either side.
void StreamScheduler::LowerShare::upper_sent(std::int64_t bytes) {
  owed_ = std::min(owed_ + bytes, (kOthers + 1) * static_cast<std::int64_t>(kQuantum));
}

void StreamScheduler::LowerShare::lower_sent(std::int64_t bytes) {
  owed_ = std::max(owed_ - kOthers * bytes, -kOthers * static_cast<std::int64_t>(kQuantum));
}

void StreamScheduler::open(StreamId id, StreamPriority priority) {
  assert(id >= 0 && !is_open(id) && "a stream is open once");
  assert(size() < kMaxStreams && "the session advertises fewer streams");
  const Index index = take_place();
  streams_[index] = Stream{};
  streams_[index].id = id;
  streams_[index].priority = within_ranges(priority);
  indices_.emplace(id, index);
  give_rank(index);
}

void StreamScheduler::close(StreamId id) {
  Stream* const stream = find(id);
  if (stream == nullptr) return;
  if (stream->is_sendable()) leave(*stream);
  pending_ -= stream->pending;
  stream->id = kNobody;
  free_places_.push_back(index_of(*stream));
  indices_.erase(id);
  if (size() == 0) let_go();
}

void StreamScheduler::append(StreamId id, std::uint64_t bytes, base::Phase phase) {
  Stream* const stream = find(id);
  if (stream == nullptr || bytes == 0) return;
  const bool was_sendable = stream->is_sendable();
  stream->latest = std::max(stream->latest, rank_of(phase));
  if (stream->pending == 0) stream->phase = stream->latest;
  stream->waiting[stream->latest] += bytes;
  stream->pending += bytes;
  pending_ += bytes;
  if (!was_sendable && stream->is_sendable()) enter(*stream);
}

void StreamScheduler::block(StreamId id) {
  Stream* const stream = find(id);
  if (stream == nullptr || stream->blocked) return;
  if (stream->is_sendable()) leave(*stream);
  stream->blocked = true;
}

void StreamScheduler::unblock(StreamId id) {
  Stream* const stream = find(id);
  if (stream == nullptr || !stream->blocked) return;
  stream->blocked = false;
  if (stream->is_sendable()) enter(*stream);
}

void StreamScheduler::reprioritize(StreamId id, StreamPriority priority) {
  Stream* const stream = find(id);
  priority = within_ranges(priority);
  if (stream == nullptr || stream->priority == priority) return;
  const bool was_sendable = stream->is_sendable();
  if (was_sendable) leave(*stream);
  stream->priority = priority;
  if (was_sendable) enter(*stream);
}

std::optional<StreamScheduler::Pick> StreamScheduler::pick(std::size_t most) const {
  if (occupied_ == 0) return std::nullopt;
  picked_ = stream_in_turn();
  const Stream& stream = streams_[picked_];
  const std::uint64_t there = policy_ == SchedulingPolicy::kPhases ? stream.waiting[stream.phase] : stream.pending;
  const std::uint64_t bytes = std::min<std::uint64_t>({there, most, kQuantum});
  return Pick{stream.id, static_cast<std::size_t>(bytes), static_cast<base::Phase>(stream.phase)};
}

void StreamScheduler::charge(StreamId id, std::size_t bytes) {
  Stream* const stream = find(id);
  if (stream == nullptr || bytes == 0) return;
  assert(bytes <= stream->pending && "only what was appended can be sent");
  const bool takes_part = stream->is_sendable();
  if (takes_part) {
    count_turn(*stream, static_cast<std::int64_t>(bytes));
    if (stream->shares) classes_[stream->own_class].shared->charge(index_of(*stream), bytes);
  }
  const bool ends_phase = policy_ == SchedulingPolicy::kPhases && bytes >= stream->waiting[stream->phase];
  const bool moves = takes_part && (ends_phase || bytes == stream->pending);
  if (moves) leave(*stream);
  consume(*stream, bytes);
  pending_ -= bytes;
  if (moves && stream->is_sendable()) enter(*stream);
}

std::uint64_t StreamScheduler::pending(StreamId id) const {
  const Stream* const stream = find(id);
  return stream == nullptr ? 0 : stream->pending;
}

// The stream that is charged is nearly always the one that was picked: half of the time of a turn would be the search.
const StreamScheduler::Stream* StreamScheduler::find(StreamId id) const {
  if (id != kNobody && picked_ < streams_.size() && streams_[picked_].id == id) return &streams_[picked_];
  const auto found = indices_.find(id);
  return found == indices_.end() ? nullptr : &streams_[found->second];
}

StreamScheduler::Stream* StreamScheduler::find(StreamId id) {
  return const_cast<Stream*>(std::as_const(*this).find(id));
}

std::uint8_t StreamScheduler::class_of(const Stream& stream) const {
  const auto urgency = static_cast<std::uint8_t>(stream.priority.urgency);
  if (policy_ == SchedulingPolicy::kPhases) return static_cast<std::uint8_t>(stream.phase * kUrgencies + urgency);
  return policy_ == SchedulingPolicy::kRfc9218 ? urgency : std::uint8_t{0};
}

bool StreamScheduler::shares(const Stream& stream) const {
  switch (policy_) {
    case SchedulingPolicy::kPhases: return stream.priority.incremental && stream.phase == kFullRank;
    case SchedulingPolicy::kRfc9218: return stream.priority.incremental;
    case SchedulingPolicy::kFair: return true;
    case SchedulingPolicy::kFifo: break;
  }
  return false;
}

int StreamScheduler::weight_of(const Stream& stream) const {
  return policy_ == SchedulingPolicy::kRfc9218 ? kEqualWeight : stream.priority.weight;
}

StreamScheduler::Index StreamScheduler::take_place() {
  if (free_places_.empty()) {
    streams_.emplace_back();
    return static_cast<Index>(streams_.size() - 1);
  }
  const Index index = free_places_.back();
  free_places_.pop_back();
  return index;
}

// Ranks rise with the ids, so that a set of ranks finds the lowest id. Streams that close leave gaps; when there are
// more gaps than streams, and some, all are renumbered, which is thus paid for by as many calls of `open`.
void StreamScheduler::give_rank(Index index) {
  constexpr std::size_t kSomeGaps = 64;
  static_assert(2 * kMaxStreams <= IndexSet::kCapacity);
  const StreamId id = streams_[index].id;
  const std::size_t most = std::min(2 * size() + kSomeGaps, IndexSet::kCapacity);
  if (id < highest_ || by_rank_.size() >= most) return renumber();
  streams_[index].rank = static_cast<Index>(by_rank_.size());
  by_rank_.push_back(index);
  highest_ = id;
}

void StreamScheduler::renumber() {
  by_rank_.clear();
  for (const auto& [id, index] : indices_) by_rank_.push_back(index);
  std::ranges::sort(by_rank_, {}, [this](Index index) { return streams_[index].id; });
  highest_ = streams_[by_rank_.back()].id;
  for (Class& each : classes_) each.in_order.clear();
  for (std::size_t rank = 0; rank < by_rank_.size(); ++rank) {
    Stream& stream = streams_[by_rank_[rank]];
    stream.rank = static_cast<Index>(rank);
    if (stream.is_sendable() && !stream.shares) classes_[stream.own_class].in_order.insert(rank);
  }
}

// A connection that idles holds no wheels.
void StreamScheduler::let_go() {
  by_rank_.clear();
  highest_ = kNobody;
  for (Class& each : classes_) each.shared.reset();
}

void StreamScheduler::enter(Stream& stream) {
  stream.own_class = class_of(stream);
  stream.shares = shares(stream);
  Class& there = classes_[stream.own_class];
  if (stream.shares) {
    if (!there.shared) there.shared = std::make_unique<FairQueue<CalendarWheel>>();
    there.shared->join(index_of(stream), weight_of(stream), stream.lag);
  } else {
    there.in_order.insert(stream.rank);
  }
  occupied_ |= std::uint32_t{1} << stream.own_class;
  ++sendable_;
}

void StreamScheduler::leave(Stream& stream) {
  Class& there = classes_[stream.own_class];
  if (stream.shares)
    stream.lag = there.shared->leave(index_of(stream));
  else
    there.in_order.erase(stream.rank);
  if (there.empty()) occupied_ &= ~(std::uint32_t{1} << stream.own_class);
  --sendable_;
}

void StreamScheduler::consume(Stream& stream, std::uint64_t bytes) {
  stream.pending -= bytes;
  while (bytes > 0) {
    std::uint64_t& waiting = stream.waiting[stream.phase];
    const std::uint64_t part = std::min(bytes, waiting);
    waiting -= part;
    bytes -= part;
    if (bytes > 0) ++stream.phase;
  }
  while (stream.pending > 0 && stream.waiting[stream.phase] == 0) ++stream.phase;
}

void StreamScheduler::count_turn(const Stream& stream, std::int64_t bytes) {
  const std::size_t own_class = stream.own_class;
  classes_[own_class].count(!stream.shares, bytes);
  const std::uint32_t lower = without_lowest(occupied_);
  if (lower == 0) return;
  if (own_class == lowest(occupied_)) return below_best_.upper_sent(bytes);
  below_best_.lower_sent(bytes);
  if (without_lowest(lower) == 0) return;
  if (own_class == lowest(lower)) return below_second_.upper_sent(bytes);
  below_second_.lower_sent(bytes);
  last_below_ = own_class;
}

std::size_t StreamScheduler::class_in_turn() const {
  const std::uint32_t lower = without_lowest(occupied_);
  if (lower == 0 || !below_best_.is_due()) return lowest(occupied_);
  const std::uint32_t below = without_lowest(lower);
  if (below == 0 || !below_second_.is_due()) return lowest(lower);
  const std::uint32_t later = below & ~((std::uint32_t{2} << last_below_) - 1);
  return lowest(later != 0 ? later : below);
}

StreamScheduler::Index StreamScheduler::stream_in_turn() const {
  const Class& turn = classes_[class_in_turn()];
  return turn.is_turn_in_order() ? by_rank_[turn.in_order.first()] : turn.shared->front();
}

}  // namespace optimux::http

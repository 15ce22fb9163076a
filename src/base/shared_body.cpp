#include "base/shared_body.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

namespace optimux::base {
namespace {

constexpr std::size_t kSmallestBlock = 4'096;
constexpr std::size_t kLargestBlock = 65'536;

}  // namespace

void SharedBody::start(BodyHead head) {
  std::vector<Waiter> waiters;
  {
    MutexLock lock(mutex_);
    if (state_ == State::kFailed) return;
    assert(state_ == State::kPending && "a body starts once");
    head_ = std::move(head);
    state_ = State::kStarted;
    waiters = take_waiters();
  }
  for (const Waiter& waiter : waiters) waiter.wake();
}

void SharedBody::append(std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  std::vector<Waiter> waiters;
  {
    MutexLock lock(mutex_);
    if (state_ == State::kFailed) return;
    assert(state_ == State::kStarted && "bytes come between start and the end");
    append_to_blocks(bytes);
    waiters = take_waiters();
  }
  for (const Waiter& waiter : waiters) waiter.wake();
}

void SharedBody::adopt(std::shared_ptr<const ByteBuffer> bytes) {
  assert(bytes != nullptr && "there is something to adopt");
  const std::span<const std::byte> content(bytes->data(), bytes->size());
  const std::size_t memory = bytes->capacity();
  append_shared(std::move(bytes), content, memory);
}

void SharedBody::append_of(const std::shared_ptr<const SharedBody>& other, std::span<const std::byte> bytes) {
  append_shared(other, bytes, bytes.size());
}

void SharedBody::append_shared(std::shared_ptr<const void> owner, std::span<const std::byte> bytes,
                               std::size_t memory) {
  if (bytes.empty()) return;
  std::vector<Waiter> waiters;
  {
    MutexLock lock(mutex_);
    if (state_ == State::kFailed) return;
    assert(state_ == State::kStarted && "bytes come between start and the end");
    // Full whatever its capacity is: nothing is ever added to it.
    blocks_.push_back(Block{nullptr, std::move(owner), bytes.data(), memory, bytes.size(), size_});
    size_ += bytes.size();
    waiters = take_waiters();
  }
  for (const Waiter& waiter : waiters) waiter.wake();
}

void SharedBody::append_to_blocks(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    if (blocks_.empty() || !blocks_.back().own || blocks_.back().used == blocks_.back().capacity) {
      const auto wanted = std::clamp<std::uint64_t>(size_, kSmallestBlock, kLargestBlock);
      const auto capacity = std::max<std::size_t>(wanted, std::min(bytes.size(), kLargestBlock));
      // Not zeroed: every byte is written before `used` lets a reader see it.
      blocks_.push_back(
          Block{std::unique_ptr<std::byte[]>(new std::byte[capacity]), nullptr, nullptr, capacity, 0, size_});
    }
    Block& block = blocks_.back();
    const std::size_t count = std::min(bytes.size(), block.capacity - block.used);
    std::memcpy(block.own.get() + block.used, bytes.data(), count);
    block.used += count;
    size_ += count;
    bytes = bytes.subspan(count);
  }
}

void SharedBody::end_phase(Phase phase, std::uint64_t offset) {
  MutexLock lock(mutex_);
  if (state_ == State::kFailed) return;
  assert(head_ && head_->has_phases && "phases are announced");
  phase_ends_.end(phase, offset);
}

void SharedBody::complete() {
  std::vector<Waiter> waiters;
  {
    MutexLock lock(mutex_);
    if (state_ == State::kFailed) return;
    assert(state_ == State::kStarted && "a body completes after it has started");
    state_ = State::kComplete;
    waiters = take_waiters();
  }
  for (const Waiter& waiter : waiters) waiter.wake();
}

void SharedBody::fail(Error error) {
  std::vector<Waiter> waiters;
  {
    MutexLock lock(mutex_);
    if (has_ended()) return;
    state_ = State::kFailed;
    error_ = std::move(error);
    waiters = take_waiters();
  }
  for (const Waiter& waiter : waiters) waiter.wake();
}

void SharedBody::wake_readers() {
  std::vector<Waiter> waiters;
  {
    MutexLock lock(mutex_);
    waiters = take_waiters();
  }
  for (const Waiter& waiter : waiters) waiter.wake();
}

SharedBody::State SharedBody::state() const {
  MutexLock lock(mutex_);
  return state_;
}

std::optional<BodyHead> SharedBody::head() const {
  MutexLock lock(mutex_);
  return head_;
}

std::optional<Error> SharedBody::error() const {
  MutexLock lock(mutex_);
  return error_;
}

std::uint64_t SharedBody::size() const {
  MutexLock lock(mutex_);
  return size_;
}

PhaseSpan SharedBody::phase_at(std::uint64_t offset) const {
  MutexLock lock(mutex_);
  PhaseSpan span = head_ && head_->has_phases ? phase_ends_.at(offset) : PhaseSpan{};
  if (!span.end && state_ == State::kComplete) span.end = size_;
  return span;
}

PhaseEnds SharedBody::phase_ends() const {
  MutexLock lock(mutex_);
  return phase_ends_;
}

std::uint64_t SharedBody::memory_size() const {
  MutexLock lock(mutex_);
  std::uint64_t total = 0;
  for (const Block& block : blocks_) total += block.capacity;
  return total;
}

int SharedBody::reader_count() const {
  MutexLock lock(mutex_);
  return readers_;
}

void SharedBody::on_abandoned(std::function<void()> callback) {
  MutexLock lock(mutex_);
  on_abandoned_ = std::move(callback);
}

SharedBody::Reader SharedBody::attach() {
  MutexLock lock(mutex_);
  ++readers_;
  return Reader(shared_from_this(), next_reader_++);
}

void SharedBody::detach(std::uint64_t reader) {
  std::function<void()> abandoned;
  {
    MutexLock lock(mutex_);
    remove_waiter(reader);
    --readers_;
    if (readers_ == 0 && !has_ended()) abandoned = on_abandoned_;
  }
  if (abandoned) abandoned();
}

std::vector<SharedBody::Waiter> SharedBody::take_waiters() {
  return std::exchange(waiters_, {});
}

std::size_t SharedBody::block_at(std::uint64_t offset) const {
  const auto after = std::upper_bound(blocks_.begin(), blocks_.end(), offset,
                                      [](std::uint64_t value, const Block& block) { return value < block.begin; });
  return static_cast<std::size_t>(after - blocks_.begin()) - 1;
}

std::vector<std::span<const std::byte>> SharedBody::pieces_from(std::uint64_t offset, std::size_t max_pieces) const {
  std::vector<std::span<const std::byte>> pieces;
  MutexLock lock(mutex_);
  if (offset >= size_) return pieces;
  for (std::size_t i = block_at(offset); i < blocks_.size() && pieces.size() < max_pieces; ++i) {
    const Block& block = blocks_[i];
    const std::size_t skip = offset > block.begin ? static_cast<std::size_t>(offset - block.begin) : 0;
    if (skip < block.used) pieces.emplace_back(block.bytes() + skip, block.used - skip);
  }
  return pieces;
}

SharedBody::Reader::Reader(Reader&& other) noexcept
    : body_(std::move(other.body_)), id_(other.id_), offset_(other.offset_), head_seen_(other.head_seen_) {
  other.body_ = nullptr;
}

SharedBody::Reader& SharedBody::Reader::operator=(Reader&& other) noexcept {
  if (this != &other) {
    detach();
    body_ = std::exchange(other.body_, nullptr);
    id_ = other.id_;
    offset_ = other.offset_;
    head_seen_ = other.head_seen_;
  }
  return *this;
}

SharedBody::Reader::~Reader() {
  detach();
}

void SharedBody::Reader::detach() {
  if (const auto body = std::exchange(body_, nullptr)) body->detach(id_);
}

std::span<const std::byte> SharedBody::Reader::peek() const {
  const auto pieces = peek_many(1);
  return pieces.empty() ? std::span<const std::byte>() : pieces[0];
}

std::vector<std::span<const std::byte>> SharedBody::Reader::peek_many(std::size_t max_pieces) const {
  return body_->pieces_from(offset_, max_pieces);
}

void SharedBody::Reader::consume(std::size_t count) {
  offset_ += count;
  assert(offset_ <= body_->size() && "consumes what was peeked");
}

void SharedBody::Reader::seek(std::uint64_t offset) {
  assert(offset <= body_->size() && "there are bytes up to there");
  offset_ = offset;
}

bool SharedBody::Reader::at_end() const {
  MutexLock lock(body_->mutex_);
  return body_->state_ == State::kComplete && offset_ == body_->size_;
}

bool SharedBody::Reader::wait(std::function<void()> wake) {
  return body_->add_waiter(Waiter{id_, std::move(wake)}, offset_, head_seen_);
}

bool SharedBody::add_waiter(Waiter waiter, std::uint64_t offset, bool head_seen) {
  MutexLock lock(mutex_);
  const bool head_is_news = head_.has_value() && !head_seen;
  if (has_ended() || head_is_news || size_ > offset) return false;
  remove_waiter(waiter.reader);
  waiters_.push_back(std::move(waiter));
  return true;
}

void SharedBody::Reader::cancel_wait() {
  MutexLock lock(body_->mutex_);
  body_->remove_waiter(id_);
}

void SharedBody::remove_waiter(std::uint64_t reader) {
  std::erase_if(waiters_, [reader](const Waiter& waiter) { return waiter.reader == reader; });
}

}  // namespace optimux::base

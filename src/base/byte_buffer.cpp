#include "base/byte_buffer.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

namespace optimux::base {

ByteBuffer::ByteBuffer(std::span<const std::byte> bytes) {
  append(bytes);
}

ByteBuffer::ByteBuffer(ByteBuffer&& other) noexcept
    : stock_(std::move(other.stock_)),
      memory_(std::exchange(other.memory_, {})),
      size_(std::exchange(other.size_, 0)) {}

ByteBuffer& ByteBuffer::operator=(ByteBuffer&& other) noexcept {
  give_back();
  stock_ = std::move(other.stock_);
  memory_ = std::exchange(other.memory_, {});
  size_ = std::exchange(other.size_, 0);
  return *this;
}

void ByteBuffer::give_back() {
  if (stock_) stock_->give_back(std::exchange(memory_, {}));
}

// realloc(3) moves the pages of a large piece (mremap(2)) where a copy would write each of them anew.
void ByteBuffer::reserve(std::size_t capacity) {
  if (capacity <= memory_.capacity) return;
  if (stock_ && memory_.capacity == 0) memory_ = stock_->take(capacity);
  if (capacity <= memory_.capacity) return;
  void* const moved = std::realloc(memory_.bytes.get(), capacity);
  if (moved == nullptr) throw std::bad_alloc();
  static_cast<void>(memory_.bytes.release());
  memory_.bytes.reset(static_cast<std::byte*>(moved));
  memory_.capacity = capacity;
}

void ByteBuffer::resize(std::size_t size) {
  reserve(size);
  size_ = size;
}

void ByteBuffer::append(std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  if (bytes.size() > memory_.capacity - size_) reserve(std::max(size_ + bytes.size(), size_ + size_ / 2));
  std::memcpy(data() + size_, bytes.data(), bytes.size());
  size_ += bytes.size();
}

}  // namespace optimux::base

#include "base/byte_buffer.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

namespace optimux::base {

ByteBuffer::ByteBuffer(std::span<const std::byte> bytes) {
  append(bytes);
}

ByteBuffer::ByteBuffer(ByteBuffer&& other) noexcept
    : bytes_(std::move(other.bytes_)),
      size_(std::exchange(other.size_, 0)),
      capacity_(std::exchange(other.capacity_, 0)) {}

ByteBuffer& ByteBuffer::operator=(ByteBuffer&& other) noexcept {
  bytes_ = std::move(other.bytes_);
  size_ = std::exchange(other.size_, 0);
  capacity_ = std::exchange(other.capacity_, 0);
  return *this;
}

// realloc(3) moves the pages of a large piece (mremap(2)) where a copy would write each of them anew.
void ByteBuffer::reserve(std::size_t capacity) {
  if (capacity <= capacity_) return;
  void* const moved = std::realloc(bytes_.get(), capacity);
  if (moved == nullptr) throw std::bad_alloc();
  static_cast<void>(bytes_.release());
  bytes_.reset(static_cast<std::byte*>(moved));
  capacity_ = capacity;
}

void ByteBuffer::resize(std::size_t size) {
  reserve(size);
  size_ = size;
}

void ByteBuffer::append(std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  if (bytes.size() > capacity_ - size_) reserve(std::max(size_ + bytes.size(), size_ + size_ / 2));
  std::memcpy(data() + size_, bytes.data(), bytes.size());
  size_ += bytes.size();
}

}  // namespace optimux::base

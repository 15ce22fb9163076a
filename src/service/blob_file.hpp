#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/byte_buffer.hpp"
#include "service/disk_calls.hpp"
#include "source/descriptor.hpp"

namespace optimux::service {

/// What a `DiskStore` gives back.
struct Blob {
  std::string metadata;
  base::ByteBuffer payload;
  std::chrono::system_clock::time_point stamp;  ///< As its owner set it.
};

/// What is written into a blob's file.
struct BlobContent {
  std::string_view key;
  std::string_view metadata;
  std::span<const std::span<const std::byte>> payload;  ///< Pieces, in their order.
};

/// Largest key and largest metadata, in bytes.
inline constexpr std::size_t kMaxBlobText = 64 << 10;

/// How a file was read.
struct BlobReading {
  enum class State {
    kWhole,    ///< It is `blob`, and its checksum holds.
    kAbsent,   ///< There is no such file.
    kOther,    ///< A blob of another key, whose digest is the same.
    kDamaged,  ///< Not written by this code, cut off or changed since.
    kFault,    ///< The system failed, see `error_number`.
  };
  State state = State::kFault;
  int error_number = 0;
  std::uint64_t file_size = 0;                      ///< In bytes, once it was opened.
  std::chrono::system_clock::time_point last_used;  ///< The file's time of last access, once it was opened.
  Blob blob;
};

/// Reads the file `path` if it holds the blob of `key`, and checks every byte of it. Blocks.
BlobReading read_blob(DiskCalls& calls, const std::string& path, std::string_view key);

/// Writes a blob into an empty file. Returns 0 or an `errno`. Key and metadata are within `kMaxBlobText`. Blocks.
int write_blob(DiskCalls& calls, const source::Descriptor& file, const BlobContent& content);

/// Size in bytes of the file that `write_blob` makes.
std::uint64_t blob_file_size(const BlobContent& content);

/// Bytes that a file of `file_size` bytes takes on disk: file systems give out space in blocks, most of 4 KiB.
std::uint64_t bytes_on_disk(std::uint64_t file_size);

/// Conversions for file times.
timespec to_timespec(std::chrono::system_clock::time_point time);
std::chrono::system_clock::time_point to_time_point(timespec time);

}  // namespace optimux::service

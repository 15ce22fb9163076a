#include "service/blob_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cerrno>
#include <optional>
#include <utility>

#include "base/digest.hpp"

namespace optimux::service {
namespace {

using std::chrono::system_clock;
using State = BlobReading::State;

// The head of a file, all numbers little-endian (docs/adr/0005-disk-cache.md):
//   8 bytes  magic and version
//   4        bytes of the key
//   4        bytes of the metadata
//   8        bytes of the payload
//  32        checksum: the fingerprint of the 24 bytes above, key, metadata and payload, in hexadecimal digits
// Key, metadata and payload follow.
constexpr std::string_view kMagic = "optimux1";
constexpr std::size_t kNumbersSize = 24;
constexpr std::size_t kChecksumSize = 32;
constexpr std::size_t kHeadSize = kNumbersSize + kChecksumSize;
constexpr int kDamagedFile = -1;  ///< In the place of an `errno`: the file ends early.

using Numbers = std::array<char, kNumbersSize>;

void put_number(char* place, std::uint64_t number, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) place[i] = static_cast<char>(number >> (8 * i) & 0xff);
}

std::uint64_t take_number(const char* place, std::size_t bytes) {
  std::uint64_t number = 0;
  for (std::size_t i = bytes; i-- > 0;) number = number << 8 | static_cast<unsigned char>(place[i]);
  return number;
}

std::uint64_t payload_size(const BlobContent& content) {
  std::uint64_t size = 0;
  for (const auto& piece : content.payload) size += piece.size();
  return size;
}

Numbers numbers_of(const BlobContent& content) {
  Numbers numbers{};
  std::copy(kMagic.begin(), kMagic.end(), numbers.begin());
  put_number(numbers.data() + 8, content.key.size(), 4);
  put_number(numbers.data() + 12, content.metadata.size(), 4);
  put_number(numbers.data() + 16, payload_size(content), 8);
  return numbers;
}

std::string_view text_of(const Numbers& numbers) {
  return {numbers.data(), numbers.size()};
}

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

std::span<std::byte> bytes_of(std::string& text) {
  return std::as_writable_bytes(std::span(text));
}

int write_all(DiskCalls& calls, int file, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = calls.write(file, bytes);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return count < 0 ? errno : ENOSPC;
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return 0;
}

int read_all(DiskCalls& calls, int file, std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = calls.read(file, bytes);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return count < 0 ? errno : kDamagedFile;
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return 0;
}

/// One file while it is read.
class BlobReader {
 public:
  BlobReader(DiskCalls& calls, std::string_view key) : calls_(calls), key_(key) {}

  BlobReading read(const std::string& path) {
    file_ = source::Descriptor(calls_.open(path, O_RDONLY, 0));
    if (!file_) return ended(errno == ENOENT ? State::kAbsent : State::kFault, errno);
    struct stat status {};
    if (calls_.fstat(file_.get(), status) != 0) return ended(State::kFault, errno);
    if (!S_ISREG(status.st_mode)) return ended(State::kFault, EINVAL);
    reading_.file_size = static_cast<std::uint64_t>(status.st_size);
    reading_.last_used = to_time_point(status.st_atim);
    reading_.blob.stamp = to_time_point(status.st_mtim);
    return read_parts();
  }

 private:
  BlobReading read_parts() {
    std::string head(kHeadSize, '\0');
    if (const int error = fill(bytes_of(head)); error != 0) return failed(error);
    const auto sizes = sizes_of(head);
    if (!sizes) return ended(State::kDamaged);
    std::string key(sizes->key, '\0');
    if (const int error = fill(bytes_of(key)); error != 0) return failed(error);
    // Another's key is no damage, but then its checksum need not be asked for either.
    if (key != key_) return ended(State::kOther);
    Blob& blob = reading_.blob;
    blob.metadata.resize(sizes->metadata);
    blob.payload.resize(sizes->payload);
    if (const int error = fill(bytes_of(blob.metadata)); error != 0) return failed(error);
    if (const int error = fill({blob.payload.data(), blob.payload.size()}); error != 0) return failed(error);
    return ended(is_whole(head) ? State::kWhole : State::kDamaged);
  }

  struct Sizes {
    std::size_t key = 0;
    std::size_t metadata = 0;
    std::size_t payload = 0;
  };

  std::optional<Sizes> sizes_of(std::string_view head) const {
    if (!head.starts_with(kMagic)) return std::nullopt;
    const Sizes sizes{static_cast<std::size_t>(take_number(head.data() + 8, 4)),
                      static_cast<std::size_t>(take_number(head.data() + 12, 4)),
                      static_cast<std::size_t>(take_number(head.data() + 16, 8))};
    if (sizes.key > kMaxBlobText || sizes.metadata > kMaxBlobText || sizes.payload > reading_.file_size) {
      return std::nullopt;
    }
    const bool adds_up = kHeadSize + sizes.key + sizes.metadata + sizes.payload == reading_.file_size;
    return adds_up ? std::optional(sizes) : std::nullopt;
  }

  bool is_whole(std::string_view head) const {
    base::Fingerprinter checksum;
    checksum.add(head.substr(0, kNumbersSize));
    checksum.add(key_);
    checksum.add(reading_.blob.metadata);
    checksum.add({reading_.blob.payload.data(), reading_.blob.payload.size()});
    return checksum.text() == head.substr(kNumbersSize);
  }

  int fill(std::span<std::byte> bytes) { return read_all(calls_, file_.get(), bytes); }

  BlobReading failed(int error) { return error == kDamagedFile ? ended(State::kDamaged) : ended(State::kFault, error); }

  BlobReading ended(State state, int error = 0) {
    reading_.state = state;
    reading_.error_number = error;
    return std::move(reading_);
  }

  DiskCalls& calls_;
  const std::string_view key_;
  source::Descriptor file_;
  BlobReading reading_;
};

}  // namespace

BlobReading read_blob(DiskCalls& calls, const std::string& path, std::string_view key) {
  return BlobReader(calls, key).read(path);
}

int write_blob(DiskCalls& calls, const source::Descriptor& file, const BlobContent& content) {
  assert(content.key.size() <= kMaxBlobText && content.metadata.size() <= kMaxBlobText && "within the limits");
  const Numbers numbers = numbers_of(content);
  base::Fingerprinter checksum;
  checksum.add(text_of(numbers));
  checksum.add(content.key);
  checksum.add(content.metadata);
  for (const auto& piece : content.payload) checksum.add(piece);
  // One write for all that is small.
  std::string start(text_of(numbers));
  start.append(checksum.text()).append(content.key).append(content.metadata);
  int error = write_all(calls, file.get(), bytes_of(std::string_view(start)));
  for (const auto& piece : content.payload) {
    if (error == 0) error = write_all(calls, file.get(), piece);
  }
  return error;
}

std::uint64_t blob_file_size(const BlobContent& content) {
  return kHeadSize + content.key.size() + content.metadata.size() + payload_size(content);
}

std::uint64_t bytes_on_disk(std::uint64_t file_size) {
  constexpr std::uint64_t kBlock = 4096;
  return (file_size + kBlock - 1) / kBlock * kBlock;
}

timespec to_timespec(system_clock::time_point time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  const auto rest = std::chrono::duration_cast<std::chrono::nanoseconds>(time - seconds);
  timespec result{};
  result.tv_sec = seconds.time_since_epoch().count();
  result.tv_nsec = rest.count();
  return result;
}

system_clock::time_point to_time_point(timespec time) {
  const auto since_epoch = std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
  return system_clock::time_point(std::chrono::duration_cast<system_clock::duration>(since_epoch));
}

}  // namespace optimux::service

#pragma once

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "service/disk_store.hpp"
#include "unit/source/temporary_folder.hpp"

namespace optimux::service {

/// Calls of which the Nth of those that can be counted fails.
class FailingCalls final : public DiskCalls {
 public:
  /// The `number`-th call from now on, 1 being the next, fails with `error_number`, and those after it too if they are
  /// to; 0: none.
  void fail(int number, int error_number, bool also_later = false) {
    count_ = 0;
    failing_ = number;
    error_number_ = error_number;
    also_later_ = also_later;
  }
  /// Calls since the last `fail`.
  int count() const { return count_; }

  int open(const std::string& path, int flags, mode_t mode) override {
    return fails() ? -1 : DiskCalls::open(path, flags, mode);
  }
  ssize_t read(int file, std::span<std::byte> bytes) override { return fails() ? -1 : DiskCalls::read(file, bytes); }
  ssize_t write(int file, std::span<const std::byte> bytes) override {
    return fails() ? -1 : DiskCalls::write(file, bytes);
  }
  int fstat(int file, struct stat& status) override { return fails() ? -1 : DiskCalls::fstat(file, status); }
  int lstat(const std::string& path, struct stat& status) override {
    return fails() ? -1 : DiskCalls::lstat(path, status);
  }
  int flock(int file, int operation) override { return fails() ? -1 : DiskCalls::flock(file, operation); }
  int rename(const std::string& from, const std::string& to) override {
    return fails() ? -1 : DiskCalls::rename(from, to);
  }
  int unlink(const std::string& path) override { return fails() ? -1 : DiskCalls::unlink(path); }
  int mkdir(const std::string& path, mode_t mode) override { return fails() ? -1 : DiskCalls::mkdir(path, mode); }
  int set_times(const std::string& path, timespec accessed, timespec modified) override {
    return fails() ? -1 : DiskCalls::set_times(path, accessed, modified);
  }
  int statvfs(const std::string& path, struct statvfs& status) override {
    return fails() ? -1 : DiskCalls::statvfs(path, status);
  }
  int list(const std::string& path, std::vector<std::string>& names) override {
    return fails() ? -1 : DiskCalls::list(path, names);
  }

 private:
  bool fails() {
    ++count_;
    const bool does = failing_ != 0 && (count_ == failing_ || (also_later_ && count_ > failing_));
    if (does) errno = error_number_;
    return does;
  }

  int count_ = 0;
  int failing_ = 0;
  int error_number_ = 0;
  bool also_later_ = false;
};

/// A store in a fresh folder.
class DiskStoreFixture : public testing::Test {
 protected:
  static constexpr DiskStoreLimits kLimits{.capacity = 1 << 20, .min_free = 0, .keep_unused = {}};

  std::unique_ptr<DiskStore> make(const DiskStoreLimits& limits = kLimits) {
    auto store = DiskStore::make((folder / "store").string(), limits, *log, calls);
    EXPECT_TRUE(store) << (store ? "" : store.error().detail);
    return *std::move(store);
  }

  /// Blobs are called by their key; the group is what stands before the slash.
  static DiskStore::Key key(std::string_view text) { return {text, text.substr(0, text.find('/'))}; }

  static bool insert(DiskStore& store, std::string_view name, std::string_view payload,
                     std::chrono::system_clock::time_point stamp = std::chrono::system_clock::now()) {
    const std::vector<std::span<const std::byte>> pieces = {std::as_bytes(std::span(payload))};
    return store.insert(key(name), "metadata of " + std::string(name), pieces, stamp);
  }

  /// The payload; nothing if the blob is not there. Its metadata has to be right.
  static std::optional<std::string> find(DiskStore& store, std::string_view name) {
    const auto blob = store.find(key(name));
    if (!blob) return std::nullopt;
    EXPECT_EQ(blob->metadata, "metadata of " + std::string(name));
    return std::string(reinterpret_cast<const char*>(blob->payload.data()), blob->payload.size());
  }

  /// All regular files below the store's folder.
  std::vector<std::filesystem::path> files() const {
    std::vector<std::filesystem::path> found;
    if (!std::filesystem::exists(folder / "store")) return found;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder / "store")) {
      if (entry.is_regular_file()) found.push_back(entry.path());
    }
    return found;
  }
  static std::string content(const std::filesystem::path& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
  }
  static void overwrite(const std::filesystem::path& path, std::string_view bytes) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
  }

  source::TemporaryFolder folder;
  std::unique_ptr<base::LogSink> log = base::make_null_log();
  FailingCalls calls;
};

}  // namespace optimux::service

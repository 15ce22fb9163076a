#include "source/file_source.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cerrno>
#include <span>
#include <stop_token>
#include <utility>

#include "source/file_state.hpp"
#include "source/first_bytes.hpp"
#include "source/source_error.hpp"

namespace optimux::source {
namespace {

using base::ByteBuffer;
using base::Result;

// Small enough that a fetch nobody wants any more ends soon, large enough that the calls cost nothing beside the copy.
constexpr std::size_t kChunkBytes = 256 << 10;

// One file, read in the runner's thread.
class FileReading {
 public:
  FileReading(const FileSourceSettings& settings, const FetchRequest& request, std::stop_token stop)
      : settings_(settings),
        key_(request.locator.value),
        known_tag_(request.validators.etag),
        is_other_(request.is_other),
        stop_(std::move(stop)) {}

  Result<FetchedSource> run() {
    auto file = settings_.root.open(key_);
    if (!file) return base::fail(file.error());
    struct stat before {};
    if (::fstat(file->get(), &before) != 0) return fault("fstat");
    const bool is_known = facts_of_file(before).etag == known_tag_;
    if (auto asked = is_known ? base::Status() : ask_about(*file); !asked) return base::fail(asked.error());
    if (static_cast<std::uint64_t>(before.st_size) > settings_.max_source_bytes) return too_large();
    if (is_known) return FetchedSource{nullptr, facts_of_file(before), true};
    auto bytes = read_all(*file, static_cast<std::size_t>(before.st_size));
    if (!bytes) return base::fail(bytes.error());
    struct stat after {};
    if (::fstat(file->get(), &after) != 0) return fault("fstat");
    if (!is_same_file_state(before, after)) return base::fail(origin_failed("changed while it was read: " + key_));
    return FetchedSource{std::make_shared<const ByteBuffer>(std::move(*bytes)), facts_of_file(after)};
  }

 private:
  base::Status ask_about(const Descriptor& file) {
    if (!is_other_) return {};
    std::array<std::byte, FirstBytes::kEnough> first{};
    ssize_t count = -1;
    do {
      count = ::pread(file.get(), first.data(), first.size(), 0);
    } while (count < 0 && errno == EINTR);
    if (count < 0) return fault("read");
    const bool is_other = is_other_(std::span(first).first(static_cast<std::size_t>(count)));
    return is_other ? base::Status(base::fail(video_source("file " + key_))) : base::Status();
  }

  // Reads to the end, which may have moved since `expected` was asked for, but not past the limit. The one byte more is
  // for seeing the end without growing.
  Result<ByteBuffer> read_all(const Descriptor& file, std::size_t expected) {
    ByteBuffer bytes(settings_.buffers);
    bytes.resize(expected + 1);
    std::size_t used = 0;
    for (;;) {
      if (stop_.stop_requested()) return base::fail(base::ErrorCode::kCancelled, "the request was cancelled");
      if (used == bytes.size()) bytes.resize(used + kChunkBytes);
      const std::size_t wanted = std::min(bytes.size() - used, kChunkBytes);
      const ssize_t count = ::read(file.get(), bytes.data() + used, wanted);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return fault("read");
      if (count == 0) break;
      used += static_cast<std::size_t>(count);
      if (used > settings_.max_source_bytes) return too_large();
    }
    bytes.resize(used);
    return bytes;
  }

  tl::unexpected<base::Error> too_large() const {
    return base::fail(source_too_large(settings_.max_source_bytes, "file " + key_));
  }
  tl::unexpected<base::Error> fault(const std::string& call) const {
    return base::fail(source_fault(call + " " + key_ + ": " + system_message(errno)));
  }

  const FileSourceSettings& settings_;
  const std::string& key_;
  const std::string& known_tag_;  ///< Of the state that the asker has; empty if none.
  const IsOther& is_other_;
  const std::stop_token stop_;
};

}  // namespace

FileSource::FileSource(FileSourceSettings settings, Reactor& reactor, BlockingRunner runner)
    : settings_(std::make_shared<const FileSourceSettings>(std::move(settings))),
      pending_(std::make_shared<PendingFetches>(reactor)),
      runner_(std::move(runner)) {}

FileSource::~FileSource() {
  pending_->close();
}

void FileSource::fetch(FetchRequest request, FetchCallback callback) {
  assert(request.locator.kind == SourceLocator::Kind::kFile);
  std::stop_source released;
  const auto id = pending_->add(std::move(callback), request.deadline, request.stop,
                                [released](PendingFetches::Id) mutable { released.request_stop(); });
  // The work may outlive this object: it holds all that it needs, and its result finds nobody any more.
  const bool accepted = runner_(
      [settings = settings_, pending = pending_, id, request = std::move(request), stop = released.get_token()] {
        if (pending->contains(id)) pending->finish(id, FileReading(*settings, request, stop).run());
      });
  if (accepted) return;
  pending_->finish(id, base::fail(base::ErrorCode::kOverloaded, "too many files are being read",
                                  "the runner of blocking work refused"));
}

}  // namespace optimux::source

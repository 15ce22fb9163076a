#include "source/file_ranged_source.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <string>
#include <utility>

#include "source/file_state.hpp"
#include "source/source_error.hpp"

namespace optimux::source {
namespace {

using base::ByteBuffer;
using base::Result;

tl::unexpected<base::Error> fault(const std::string& what) {
  return base::fail(source_fault(what + ": " + system_message(errno)));
}

tl::unexpected<base::Error> too_many_reads() {
  return base::fail(base::ErrorCode::kOverloaded, "too many files are being read",
                    "the runner of blocking work refused");
}

/// One open file, and the state that it was opened in.
class OpenFile {
 public:
  OpenFile(Descriptor descriptor, const struct stat& status, std::string key)
      : descriptor_(std::move(descriptor)), status_(status), key_(std::move(key)) {}

  int descriptor() const { return descriptor_.get(); }
  std::uint64_t size() const { return static_cast<std::uint64_t>(status_.st_size); }
  SourceFacts facts() const { return facts_of_file(status_); }

  // The state is looked at after the bytes were read: what was written before that shows.
  Result<ByteBuffer> read(std::uint64_t offset, std::size_t count) const {
    ByteBuffer bytes;
    bytes.resize(count);
    for (std::size_t used = 0; used < count;) {
      const ssize_t got =
          ::pread(descriptor_.get(), bytes.data() + used, count - used, static_cast<off_t>(offset + used));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return fault("read " + key_);
      if (got == 0) return base::fail(source_changed("file " + key_ + " has become shorter"));
      used += static_cast<std::size_t>(got);
    }
    if (base::Status same = verify(); !same) return base::fail(same.error());
    return bytes;
  }

  base::Status verify() const {
    struct stat now {};
    if (::fstat(descriptor_.get(), &now) != 0) return fault("fstat " + key_);
    if (!is_same_file_state(status_, now)) return base::fail(source_changed("file " + key_ + " was written"));
    return {};
  }

 private:
  const Descriptor descriptor_;
  const struct stat status_;
  const std::string key_;
};

class LocalRangedFile final : public RangedFile {
 public:
  LocalRangedFile(std::shared_ptr<const OpenFile> file, ByteBuffer head, std::shared_ptr<PendingReads> reads,
                  BlockingRunner runner)
      : file_(std::move(file)),
        facts_(file_->facts()),
        head_(std::move(head)),
        reads_(std::move(reads)),
        runner_(std::move(runner)) {}

  std::uint64_t size() const override { return file_->size(); }
  const SourceFacts& facts() const override { return facts_; }
  std::span<const std::byte> head() const override { return {head_.data(), head_.size()}; }
  int descriptor() const override { return file_->descriptor(); }
  base::Status verify() const override { return file_->verify(); }

  void read(std::uint64_t offset, std::size_t count, base::Deadline deadline, std::stop_token stop,
            ReadCallback callback) override {
    assert(count > 0 && offset < size() && count <= size() - offset && "reads lie within the file");
    const auto id = reads_->add_unless_closed(std::move(callback), deadline, stop, [](PendingReads::Id) {});
    if (id == 0) return;
    const bool accepted = runner_([file = file_, reads = reads_, id, offset, count] {
      if (!reads->contains(id)) return;
      reads->finish(id, file->read(offset, count).map([](ByteBuffer&& bytes) {
        return std::make_shared<const ByteBuffer>(std::move(bytes));
      }));
    });
    if (!accepted) reads_->finish(id, too_many_reads());
  }

 private:
  const std::shared_ptr<const OpenFile> file_;  ///< Shared with reads under way.
  const SourceFacts facts_;
  const ByteBuffer head_;
  const std::shared_ptr<PendingReads> reads_;
  const BlockingRunner runner_;
};

Result<std::shared_ptr<RangedFile>> open_file(const FileRangedSettings& settings, const std::string& key,
                                              std::shared_ptr<PendingReads> reads, BlockingRunner runner) {
  auto descriptor = settings.root.open(key);
  if (!descriptor) return base::fail(descriptor.error());
  struct stat status {};
  if (::fstat(descriptor->get(), &status) != 0) return fault("fstat " + key);
  auto file = std::make_shared<const OpenFile>(*std::move(descriptor), status, key);
  if (file->size() > settings.max_video_bytes) {
    return base::fail(video_too_large(settings.max_video_bytes, "file " + key));
  }
  auto head = file->read(0, std::min<std::size_t>(file->size(), RangedFile::kHeadBytes));
  if (!head) return base::fail(head.error());
  return std::make_shared<LocalRangedFile>(std::move(file), *std::move(head), std::move(reads), std::move(runner));
}

}  // namespace

FileRangedSource::FileRangedSource(FileRangedSettings settings, Reactor& reactor, BlockingRunner runner)
    : settings_(std::make_shared<const FileRangedSettings>(std::move(settings))),
      opens_(std::make_shared<PendingOpens>(reactor)),
      reads_(std::make_shared<PendingReads>(reactor)),
      runner_(std::move(runner)) {}

FileRangedSource::~FileRangedSource() {
  opens_->close();
  reads_->close();
}

void FileRangedSource::open(FetchRequest request, OpenCallback callback) {
  assert(request.locator.kind == SourceLocator::Kind::kFile);
  const auto id = opens_->add(std::move(callback), request.deadline, request.stop, [](PendingOpens::Id) {});
  const bool accepted = runner_([settings = settings_, opens = opens_, reads = reads_, runner = runner_, id,
                                 key = std::move(request.locator.value)] {
    if (opens->contains(id)) opens->finish(id, open_file(*settings, key, reads, runner));
  });
  if (!accepted) opens_->finish(id, too_many_reads());
}

}  // namespace optimux::source

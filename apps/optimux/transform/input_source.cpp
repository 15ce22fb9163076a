#include "apps/optimux/transform/input_source.hpp"

#include "source/descriptor.hpp"
#include "source/source_error.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>
#include <utility>

namespace optimux::apps {
namespace {

using base::ByteBuffer;
using base::ErrorCode;
using base::Result;
using source::Descriptor;

constexpr std::size_t kChunkBytes = std::size_t{256} * 1024;

tl::unexpected<base::Error> cannot_read(const std::string& path) {
  const bool is_missing = errno == ENOENT || errno == ENOTDIR || errno == ENAMETOOLONG;
  return base::fail(is_missing ? ErrorCode::kNotFound : ErrorCode::kForbiddenSource,
                    "cannot read '" + path + "': " + source::system_message(errno));
}

/// Wakes a thread that waits for a descriptor. Any thread may raise it.
class WakeUp {
 public:
  WakeUp() : event_(::eventfd(0, EFD_CLOEXEC)) {}
  void raise() { ::eventfd_write(event_.get(), 1); }
  int descriptor() const { return event_.get(); }

 private:
  const Descriptor event_;
};

// A file is always ready; a pipe or a terminal may never be, and its read(2) could not be interrupted.
// Returns false when the wake-up came first.
bool wait_readable(const Descriptor& file, const WakeUp& wake_up) {
  std::array<pollfd, 2> events{{{file.get(), POLLIN, 0}, {wake_up.descriptor(), POLLIN, 0}}};
  while (::poll(events.data(), events.size(), -1) < 0 && errno == EINTR) continue;
  return events[1].revents == 0;
}

Descriptor open_input(const std::string& path) {
  if (path == "-") return Descriptor(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3));
  return Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
}

Result<ByteBuffer> read_input(const std::string& path, std::uint64_t limit, const WakeUp& wake_up) {
  const Descriptor file = open_input(path);
  struct stat status {};
  if (!file || ::fstat(file.get(), &status) != 0) return cannot_read(path);
  const auto too_large = [&] { return base::fail(source::source_too_large(limit, "input " + path)); };
  const auto expected = static_cast<std::uint64_t>(S_ISREG(status.st_mode) ? status.st_size : 0);
  if (expected > limit) return too_large();
  ByteBuffer bytes;
  bytes.resize(expected);
  for (std::size_t used = 0;;) {
    if (used == bytes.size()) bytes.resize(used + (used == expected && used > 0 ? 1 : kChunkBytes));
    if (!wait_readable(file, wake_up)) return base::fail(ErrorCode::kCancelled, "reading was cancelled");
    const ssize_t count = ::read(file.get(), bytes.data() + used, bytes.size() - used);
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count < 0) return cannot_read(path);
    used += static_cast<std::size_t>(count);
    if (used > limit) return too_large();
    if (count > 0) continue;
    bytes.resize(used);
    return bytes;
  }
}

}  // namespace

InputSource::InputSource(std::uint64_t max_source_bytes, source::Reactor& reactor, source::BlockingRunner runner)
    : max_source_bytes_(max_source_bytes),
      pending_(std::make_shared<source::PendingFetches>(reactor)),
      runner_(std::move(runner)) {}

InputSource::~InputSource() {
  pending_->close();
}

void InputSource::fetch(source::FetchRequest request, source::FetchCallback callback) {
  const auto wake_up = std::make_shared<WakeUp>();
  const auto id = pending_->add(std::move(callback), request.deadline, request.stop,
                                [wake_up](source::PendingFetches::Id) { wake_up->raise(); });
  const bool accepted =
      runner_([pending = pending_, limit = max_source_bytes_, wake_up, id, path = std::move(request.locator.value)] {
        if (!pending->contains(id)) return;
        pending->finish(id, read_input(path, limit, *wake_up).map([](ByteBuffer bytes) {
          return source::FetchedSource{std::make_shared<const ByteBuffer>(std::move(bytes)), {}};
        }));
      });
  if (!accepted) pending_->finish(id, base::fail(ErrorCode::kOverloaded, "too many inputs are being read at one time"));
}

}  // namespace optimux::apps

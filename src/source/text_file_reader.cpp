#include "source/text_file_reader.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "source/descriptor.hpp"
#include "source/source_error.hpp"

namespace optimux::source {
namespace {

using Text = base::Result<std::string>;

constexpr std::size_t kMaxBytes = 64 << 10;

Text read_file(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file && (errno == ENOENT || errno == ENOTDIR)) return base::fail(source_not_found(path + " is missing"));
  std::string text;
  std::array<char, 4096> piece{};
  for (ssize_t count = 1; count != 0;) {
    count = file ? ::read(file.get(), piece.data(), piece.size()) : -1;
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return base::fail(source_fault(path + ": " + system_message(errno)));
    text.append(piece.data(), static_cast<std::size_t>(count));
    if (text.size() > kMaxBytes) return base::fail(source_fault(path + ": larger than 64 KiB"));
  }
  return text;
}

}  // namespace

void TextFileReader::read(std::string path, Callback callback) {
  const std::weak_ptr<int> life = life_;
  const auto deliver = [life, callback = std::move(callback)](const Text& text) {
    if (!life.expired()) callback(text);
  };
  const bool accepted = runner_([&reactor = reactor_, path = std::move(path), deliver] {
    reactor.post([deliver, text = read_file(path)] { deliver(text); });
  });
  if (accepted) return;
  reactor_.post([deliver] {
    deliver(base::fail(base::ErrorCode::kOverloaded, "too many files are being read", "the runner refused"));
  });
}

}  // namespace optimux::source

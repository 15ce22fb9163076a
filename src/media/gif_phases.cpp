#include "media/gif_phases.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "media/gif_blocks.hpp"

namespace optimux::media {
namespace {

std::uint64_t colour_table_bytes(unsigned packed) {
  return (packed & 0x80U) != 0 ? std::uint64_t{3} << ((packed & 7U) + 1) : 0;
}

// Passes over blocks of up to 255 bytes and the empty one that ends them.
class SubBlocks final : public ByteFeed::Wait {
 public:
  using Wait::Wait;
  bool poll() override {
    while (!feed().rest().empty()) {
      const auto rest = feed().rest();
      if (left_ == 0) {
        left_ = std::to_integer<std::size_t>(rest[0]);
        feed().take(1);
        if (left_ == 0) return true;
      } else {
        const std::size_t count = std::min(left_, rest.size());
        feed().take(count);
        left_ -= count;
      }
    }
    return false;
  }
  void await_resume() const {}

 private:
  std::size_t left_ = 0;  ///< Of the block.
};

// Application extensions that say how often an animation is repeated.
bool is_loop(std::string_view application) {
  return application == "NETSCAPE2.0" || application == "ANIMEXTS1.0";
}

}  // namespace

FeedReader find_gif_phases(ByteFeed& in, PhaseFindings& found) {
  constexpr std::uint8_t kApplication = 0xff;
  constexpr std::size_t kApplicationBytes = 11;
  ByteCursor screen = co_await in.bytes(gif::kSignatureBytes + 7);
  screen.skip(gif::kSignatureBytes + 4);
  co_await in.skip(colour_table_bytes(screen.u8()));
  bool is_animation = false;
  while (true) {
    ByteCursor block = co_await in.bytes(1);
    const std::uint8_t label = block.u8();
    if (label == gif::kImage) break;
    if (label != gif::kExtension) co_return;
    ByteCursor extension = co_await in.bytes(2);
    const bool is_application = extension.u8() == kApplication;
    const std::size_t length = extension.u8();
    if (is_application && length == kApplicationBytes) {
      ByteCursor application = co_await in.bytes(kApplicationBytes);
      if (is_loop(application.text(kApplicationBytes))) is_animation = true;
    } else {
      co_await in.skip(length);
    }
    if (length > 0) co_await SubBlocks(in);
  }
  ByteCursor frame = co_await in.bytes(9);
  frame.skip(8);
  const unsigned packed = frame.u8();
  found.ends.push_back({base::Phase::kHead, in.position(), "header of the first frame", 0});
  if (is_animation) {
    co_await in.skip(colour_table_bytes(packed) + 1);
    co_await SubBlocks(in);
    found.ends.push_back({base::Phase::kGood, in.position(), "frame", 1});
  } else {
    found.ends.push_back({base::Phase::kGood, in.position(), "header of the first frame", 0});
  }
}

}  // namespace optimux::media

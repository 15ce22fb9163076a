#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>

#include "base/shared_body.hpp"
#include "server/event_loop.hpp"

namespace optimux::server {

/// Holds a place in renditions that no response sends: the further sizes that a response named in its `Link` field, and
/// those whose head alone was asked for. Their job would be cancelled if nobody waited for them, and the browser that
/// asks for them in a moment would wait for a second decode.
///
/// A response holds these readers itself while it is being sent, so a client that leaves early takes all its sizes with
/// it. When the response has ended well they come here, until they are finished. A rendition always finishes, because
/// its job has a deadline. Used in the loop's thread only.
class ReaderKeeper {
 public:
  /// `loop` must outlive the keeper.
  explicit ReaderKeeper(EventLoop& loop);
  ~ReaderKeeper();

  /// Keeps `reader` until its body is finished.
  void keep(base::SharedBody::Reader reader);
  /// Readers kept now.
  std::size_t size() const { return readers_->size(); }

 private:
  using Readers = std::unordered_map<std::uint64_t, base::SharedBody::Reader>;
  static void advance(EventLoop& loop, const std::shared_ptr<Readers>& readers, std::uint64_t id);

  EventLoop& loop_;
  std::shared_ptr<Readers> readers_;  ///< Shared with wake-ups on their way, which find it gone when the keeper is.
  std::uint64_t last_id_ = 0;
};

/// Moves `reader` past all that can be read, so that its next wait is for news.
void skip_available(base::SharedBody::Reader& reader);

}  // namespace optimux::server

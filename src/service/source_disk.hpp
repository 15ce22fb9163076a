#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "service/disk_store.hpp"
#include "source/reactor.hpp"
#include "source/source.hpp"

namespace optimux::service {

/// Sources in a folder, as they were fetched: below those in memory, and still there after a restart. It keeps what it
/// can and says nothing of what it cannot. The stamp of a blob is when its source was asked for or confirmed last.
///
/// Thread-safe; nothing blocks: all work runs through the runner, and may outlive this object.
class SourceDisk {
 public:
  using Clock = std::chrono::steady_clock;

  /// Sources that wait to be written keep their memory; beyond so many bytes they are not kept on disk.
  static constexpr std::uint64_t kMaxPendingBytes = 64 << 20;

  struct Kept {
    source::FetchedSource source;
    Clock::time_point asked;
  };
  /// Called once, from any thread, perhaps from inside `find`, with no lock held.
  using Found = std::function<void(std::optional<Kept>)>;
  /// Called once, from any thread, perhaps from inside `erase`, with no lock held. Errors: kOverloaded when it could
  /// not be taken on, kInternal when the disk failed.
  using Erased = std::function<void(const base::Status&)>;

  /// Has the folder scanned. `runner` must be callable for as long as this lives, and may hold work for longer.
  SourceDisk(std::shared_ptr<DiskStore> store, source::BlockingRunner runner);
  SourceDisk(const SourceDisk&) = delete;
  SourceDisk& operator=(const SourceDisk&) = delete;
  ~SourceDisk();

  /// Looks for what is kept of `place`, a locator's canonical text.
  void find(const std::string& place, Found found);

  /// Keeps `source`, which has bytes and was asked for at `asked`, in place of what was kept of `place`; nothing, if
  /// its origin forbids it.
  void insert(const std::string& place, const source::FetchedSource& source, Clock::time_point asked);

  /// What is kept of `place` with the facts `before` was confirmed by its origin, which was asked at `asked`: now it
  /// has those of `confirmed`. Its bytes are written again only where the facts differ.
  void confirm(const std::string& place, const source::SourceFacts& before, const source::FetchedSource& confirmed,
               Clock::time_point asked);

  /// Forgets what is kept of `place`, of all places for an empty text. Once `erased` says so, nothing of it is found
  /// any more, whatever was waiting to be written.
  void erase(
      const std::string& place, Erased erased = [](const base::Status&) {});

  DiskStoreFigures figures() const { return store_->figures(); }

 private:
  class Pending;

  const std::shared_ptr<DiskStore> store_;
  const source::BlockingRunner runner_;
  const std::shared_ptr<Pending> pending_;
};

}  // namespace optimux::service

#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "server/event_loop.hpp"
#include "server/file_descriptor.hpp"

namespace optimux::server {

/// Sees that files have been replaced or written, by inotify. A file is watched with every symbolic link on the way to
/// it, because that is how renewals put a new one in its place: certbot turns the link of the file, an orchestrator
/// that of a folder. What other machines do to a network file system is not seen. Loop's thread only.
class FileWatch {
 public:
  /// Several files are replaced together, and not at one moment: `changed` is called this much after the first of them.
  static constexpr std::chrono::milliseconds kSettleTime{500};

  /// `loop` must outlive the watch.
  FileWatch(EventLoop& loop, std::function<void()> changed, std::chrono::milliseconds settle_time = kSettleTime);
  FileWatch(const FileWatch&) = delete;
  FileWatch& operator=(const FileWatch&) = delete;
  ~FileWatch();

  /// From now on watches `paths` instead of those before. To be called again when something has changed, since links
  /// lead elsewhere then. Errors: kInternal when the system has no room for one more watch or a folder cannot be read;
  /// what could be watched is.
  base::Status watch(const std::vector<std::string>& paths);

 private:
  bool open();
  void read_events();
  void settle();

  EventLoop& loop_;
  const std::function<void()> changed_;
  const std::chrono::milliseconds settle_time_;
  FileDescriptor inotify_;
  std::map<int, std::set<std::string>> names_;  ///< Of the entries that matter in each watched folder.
  source::Reactor::TimerId timer_ = 0;
};

}  // namespace optimux::server

#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <unordered_map>

namespace optimux::server {

/// What the registry may ask of a connection. Calls only wake the connection; it acts when it runs next.
class TrackedConnection {
 public:
  TrackedConnection() = default;
  TrackedConnection(const TrackedConnection&) = delete;
  TrackedConnection& operator=(const TrackedConnection&) = delete;

  /// The server has begun to drain: finish what was asked, then close.
  virtual void drain() = 0;
  /// Close now, whatever is under way.
  virtual void abort() = 0;

 protected:
  ~TrackedConnection() = default;
};

/// All connections of a listener's kind, and which of them have been idle for longest. Used in the loop's thread only.
class ConnectionRegistry {
 public:
  /// `on_empty` is called each time the last connection has gone.
  explicit ConnectionRegistry(std::function<void()> on_empty) : on_empty_(std::move(on_empty)) {}

  void add(TrackedConnection& connection);
  void remove(TrackedConnection& connection);
  /// The connection waits for a request, or does not any more.
  void set_idle(TrackedConnection& connection, bool is_idle);

  std::size_t size() const { return connections_.size(); }
  std::size_t idle() const { return idle_.size(); }

  /// Closes the connection that has been idle for longest. False if none is idle. It counts no more from now on.
  bool close_oldest_idle();
  void drain_all();
  void abort_all();

 private:
  using IdleList = std::list<TrackedConnection*>;  ///< Oldest first.

  std::function<void()> on_empty_;
  std::unordered_map<TrackedConnection*, IdleList::iterator> connections_;  ///< `idle_.end()` for busy ones.
  IdleList idle_;
};

}  // namespace optimux::server

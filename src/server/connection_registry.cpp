#include "server/connection_registry.hpp"

#include <vector>

namespace optimux::server {

void ConnectionRegistry::add(TrackedConnection& connection) {
  connections_.emplace(&connection, idle_.end());
}

void ConnectionRegistry::remove(TrackedConnection& connection) {
  const auto found = connections_.find(&connection);
  if (found == connections_.end()) return;  // Closed for being idle.
  if (found->second != idle_.end()) idle_.erase(found->second);
  connections_.erase(found);
  if (connections_.empty()) on_empty_();
}

void ConnectionRegistry::set_idle(TrackedConnection& connection, bool is_idle) {
  const auto found = connections_.find(&connection);
  if (found == connections_.end() || (found->second != idle_.end()) == is_idle) return;
  if (is_idle) {
    found->second = idle_.insert(idle_.end(), &connection);
  } else {
    idle_.erase(found->second);
    found->second = idle_.end();
  }
}

bool ConnectionRegistry::close_oldest_idle() {
  if (idle_.empty()) return false;
  TrackedConnection& oldest = *idle_.front();
  set_idle(oldest, false);
  oldest.abort();
  return true;
}

void ConnectionRegistry::drain_all() {
  for (const auto& [connection, position] : connections_) connection->drain();
}

void ConnectionRegistry::abort_all() {
  for (const auto& [connection, position] : connections_) connection->abort();
}

}  // namespace optimux::server

#pragma once

#include <array>
#include <chrono>
#include <functional>
#include <optional>

namespace optimux::server {

/// Keys that session tickets are sealed with. They are random, live in memory only, and change: whoever steals one can
/// read the sessions of TLS 1.2 that were resumed with it, and not those of last week. A key seals tickets for one
/// period and opens them for one more. Loop's thread only.
class TicketKeys {
 public:
  using Clock = std::chrono::steady_clock;

  struct Key {
    std::array<unsigned char, 16> name{};  ///< Stands in the ticket.
    std::array<unsigned char, 32> cipher{};
    std::array<unsigned char, 32> mac{};
  };

  /// How long a key seals tickets, and a ticket is good for.
  static constexpr std::chrono::hours kPeriod{1};

  explicit TicketKeys(std::function<Clock::time_point()> now = &Clock::now) : now_(std::move(now)) {}
  TicketKeys(const TicketKeys&) = delete;
  TicketKeys& operator=(const TicketKeys&) = delete;
  ~TicketKeys();

  /// The key to seal with, valid until the next call; nullptr when the system gives no random bytes: no ticket then.
  const Key* sealing_key();
  /// The key named in a ticket, valid until the next call; nullptr when it is not known any more.
  const Key* find(const unsigned char* name);
  /// Whether tickets sealed with `key` should be replaced by new ones.
  bool is_old(const Key& key) const { return &key != current_ptr(); }

 private:
  const Key* current_ptr() const { return current_ ? &*current_ : nullptr; }
  void age();

  std::function<Clock::time_point()> now_;
  std::optional<Key> current_;
  std::optional<Key> previous_;
  Clock::time_point made_;  ///< The current key.
};

}  // namespace optimux::server

#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>
#include <vector>

namespace optimux::server {

/// How fast each client may ask: a bucket of tokens a client, kept as the one time at which it will be full again (the
/// generic cell rate algorithm, ITU-T I.371). An IPv6 client is its network of 64 bits, within which it has as many
/// addresses as it likes.
///
/// The table has a fixed size, and a request looks at eight places of it. A client that asks for the first time takes
/// the place of one whose bucket is full, or else the fullest: that one starts anew, so that nobody is ever refused for
/// what others do. Used in the loop's thread only.
class RateLimiter {
 public:
  using Clock = std::chrono::steady_clock;

  struct Limits {
    std::uint32_t rate = 0;   ///< Tokens a second; 0: there is no limit.
    std::uint32_t burst = 1;  ///< Tokens of a full bucket; 0 counts as 1.
  };

  /// Clients that are told apart at one time, in the best case.
  static constexpr std::size_t kPlaces = 65'536;

  explicit RateLimiter(const Limits& limits) { set_limits(limits); }

  /// From now on these hold. What clients have used stays, unless there is no limit any more.
  void set_limits(const Limits& limits);

  /// Takes a token of `client` (as in `Client::address`). Returns zero, or how long it has to wait for one; nothing is
  /// taken then.
  std::chrono::nanoseconds take(std::string_view client, Clock::time_point now);
  /// Gives back `share` of a token that was taken, from 0 to 1.
  void give_back(std::string_view client, double share);

 private:
  struct Place {
    std::uint64_t client = 0;
    std::int64_t full_at = 0;  ///< Nanoseconds of the clock; 0: never used.
  };
  static constexpr std::size_t kWays = 8;

  Place& place_of(std::uint64_t client);

  std::int64_t interval_ = 0;  ///< Nanoseconds for a token; 0: there is no limit.
  std::int64_t capacity_ = 0;  ///< The same for a full bucket.
  std::uint64_t seed_ = 0;     ///< So that nobody knows whom he shares his places with.
  std::vector<Place> places_;
};

}  // namespace optimux::server

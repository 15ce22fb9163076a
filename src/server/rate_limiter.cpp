#include "server/rate_limiter.hpp"

#include <algorithm>
#include <random>

#include "source/ip_address.hpp"

namespace optimux::server {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

std::int64_t nanoseconds(RateLimiter::Clock::time_point time) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count();
}

/// Whoever comes over a Unix socket is one client. As a number: what no address is.
constexpr std::uint64_t kNoAddress = std::uint64_t{0xFFFE} << 32;

/// The client as a number: the first 64 bits of an IPv6 address; IPv4 below a prefix that no IPv6 address has.
std::uint64_t number_of(std::string_view client) {
  const auto address = source::IpAddress::parse(client);
  if (!address) return kNoAddress;
  std::uint64_t number = address->is_v4() ? 0xFFFF : 0;
  for (int i = 0; i < (address->is_v4() ? 4 : 8); ++i) number = number << 8 | address->byte(i);
  return number;
}

/// Mixes all bits into the upper ones (the finaliser of SplitMix64).
std::uint64_t mixed(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EB;
  return value ^ (value >> 31);
}

}  // namespace

void RateLimiter::set_limits(const Limits& limits) {
  if (limits.rate == 0) {
    interval_ = 0;
    places_ = {};
    return;
  }
  interval_ = std::max<std::int64_t>(1, kSecond / limits.rate);
  capacity_ = interval_ * std::max<std::int64_t>(1, limits.burst);
  if (!places_.empty()) return;
  seed_ = std::uint64_t{std::random_device{}()} << 32 | std::random_device{}();
  places_.resize(kPlaces);
}

std::chrono::nanoseconds RateLimiter::take(std::string_view client, Clock::time_point now) {
  if (interval_ == 0) return {};
  const std::int64_t current = nanoseconds(now);
  Place& place = place_of(number_of(client));
  const std::int64_t full_at = std::max(place.full_at, current) + interval_;
  if (full_at - current > capacity_) return std::chrono::nanoseconds(full_at - current - capacity_);
  place.full_at = full_at;
  return {};
}

void RateLimiter::give_back(std::string_view client, double share) {
  if (interval_ == 0) return;
  place_of(number_of(client)).full_at -= static_cast<std::int64_t>(static_cast<double>(interval_) * share);
}

RateLimiter::Place& RateLimiter::place_of(std::uint64_t client) {
  const std::size_t set = static_cast<std::size_t>(mixed(client ^ seed_) % (kPlaces / kWays));
  const auto first = places_.begin() + static_cast<std::ptrdiff_t>(set * kWays);
  const auto last = first + kWays;
  const auto found =
      std::find_if(first, last, [client](const Place& place) { return place.client == client && place.full_at != 0; });
  if (found != last) return *found;
  Place& fullest = *std::min_element(
      first, last, [](const Place& left, const Place& right) { return left.full_at < right.full_at; });
  fullest = {client, 0};
  return fullest;
}

}  // namespace optimux::server

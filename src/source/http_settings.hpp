#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "source/address_policy.hpp"
#include "source/allow_list.hpp"
#include "source/connection_limits.hpp"

namespace optimux::source {

/// How HTTP origins are treated. Limits hold for each fetch; `max_bytes_under_way` alone is common to all, and counts
/// as no less than `max_source_bytes`.
struct HttpSettings {
  AddressPolicy policy;                              ///< Addresses that may be connected to.
  AllowList allowed;                                 ///< URLs that may be asked for, on every hop.
  std::uint64_t max_source_bytes = 64ull << 20;      ///< Of the body, after decoding.
  std::uint64_t max_bytes_under_way = 512ull << 20;  ///< Memory of all bodies that are coming in; beyond: kOverloaded.
  std::size_t max_header_bytes = 32 << 10;           ///< Of one answer's header lines.
  int max_redirects = 5;                             ///< Followed before the fetch fails; 0 follows none.
  std::chrono::milliseconds connect_timeout{3000};   ///< For name resolution, connecting and TLS, each hop.
  std::chrono::milliseconds total_timeout{5000};     ///< For all hops together.
  long low_speed_bytes_per_second = 1024;            ///< An origin whose body stays below this …
  std::chrono::seconds low_speed_time{3};  ///< … for as long, from its first byte on, is given up; 0: never.
  std::string ca_file;                     ///< PEM file of trusted authorities; empty: the system's.
  ConnectionLimits connections;
};

}  // namespace optimux::source

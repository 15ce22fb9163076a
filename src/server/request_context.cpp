#include "server/request_context.hpp"

#include <algorithm>
#include <cstdint>
#include <random>

namespace optimux::server {
namespace {

constexpr std::size_t kLongestRequestId = 64;

bool is_sane(std::string_view id) {
  return !id.empty() && id.size() <= kLongestRequestId && std::all_of(id.begin(), id.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '.' || c == '-' ||
           c == '_';
  });
}

}  // namespace

std::string choose_request_id(std::string_view from_client) {
  if (is_sane(from_client)) return std::string(from_client);
  thread_local std::mt19937_64 random(std::random_device{}());
  std::string id(16, '0');
  std::uint64_t number = random();
  for (char& digit : id) {
    digit = "0123456789abcdef"[number >> 60];
    number <<= 4;
  }
  return id;
}

}  // namespace optimux::server

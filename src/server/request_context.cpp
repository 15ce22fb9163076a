#include "server/request_context.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
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
  std::array<char, 17> text{};
  std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(random()));
  return std::string(text.data());
}

}  // namespace optimux::server

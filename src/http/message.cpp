#include "http/message.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace optimux::http {
namespace {

constexpr auto kPhrases = std::to_array<std::pair<int, std::string_view>>({
    {100, "Continue"},
    {kEarlyHints, "Early Hints"},
    {200, "OK"},
    {204, "No Content"},
    {206, "Partial Content"},
    {304, "Not Modified"},
    {400, "Bad Request"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {406, "Not Acceptable"},
    {413, "Content Too Large"},
    {414, "URI Too Long"},
    {415, "Unsupported Media Type"},
    {416, "Range Not Satisfiable"},
    {421, "Misdirected Request"},
    {422, "Unprocessable Content"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {499, "Client Closed Request"},
    {500, "Internal Server Error"},
    {502, "Bad Gateway"},
    {503, "Service Unavailable"},
    {504, "Gateway Timeout"},
});

}  // namespace

std::string_view reason_phrase(int status) {
  const auto* const found =
      std::find_if(kPhrases.begin(), kPhrases.end(), [status](const auto& row) { return row.first == status; });
  return found == kPhrases.end() ? std::string_view() : found->second;
}

bool status_has_body(int status) {
  return status >= 200 && status != 204 && status != 304;
}

}  // namespace optimux::http

// The request reader: no bytes crash it, and where they are cut makes no difference. The first byte is the cut.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "http/http1_reader.hpp"

namespace {

std::string read(std::string_view first, std::string_view second) {
  optimux::http::Http1Reader reader(
      {.max_uri_bytes = 64, .max_header_bytes = 512, .max_header_fields = 8, .max_body_bytes = 64});
  reader.feed(first);
  reader.feed(second);
  std::string seen;
  while (const auto request = reader.take())
    seen += request->method + ' ' + request->target + ' ' + request->body + '\n';
  return reader.failure() ? seen + std::string(optimux::base::name_of(reader.failure()->code)) : seen;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::size_t cut = data[0] < bytes.size() ? data[0] : bytes.size();
  if (read(bytes, "") != read(bytes.substr(0, cut), bytes.substr(cut))) std::abort();
  return 0;
}

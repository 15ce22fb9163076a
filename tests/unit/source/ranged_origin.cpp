#include "unit/source/ranged_origin.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <utility>

#include "base/text.hpp"

namespace optimux::source {

RangedContent RangedContent::of(std::string bytes) {
  const std::uint64_t size = bytes.size();
  auto shared = std::make_shared<const std::string>(std::move(bytes));
  return {size, [shared](ByteRange range) { return shared->substr(range.first, range.count); }};
}

RangedContent RangedContent::of_file(const std::string& path) {
  return {std::filesystem::file_size(path), [path](ByteRange range) {
            std::string bytes(range.count, '\0');
            std::ifstream file(path, std::ios::binary);
            file.seekg(static_cast<std::streamoff>(range.first));
            file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
            return bytes;
          }};
}

std::optional<ByteRange> asked_range(std::string_view request, std::uint64_t size) {
  constexpr std::string_view kField = "\r\nRange: bytes=";
  const std::size_t found = request.find(kField);
  if (found == std::string_view::npos) return std::nullopt;
  const std::string_view value = request.substr(found + kField.size());
  const std::size_t dash = value.find('-');
  const auto first = base::parse_number<std::uint64_t>(value.substr(0, dash));
  const auto last = base::parse_number<std::uint64_t>(value.substr(dash + 1, value.find('\r') - dash - 1));
  if (!first || *first >= size) return std::nullopt;
  return ByteRange{*first, std::min(last.value_or(size - 1), size - 1) - *first + 1};
}

OriginStub::Handler serve_ranges(RangedContent content, std::string headers, std::atomic<std::uint64_t>* sent) {
  return [content = std::move(content), headers = std::move(headers), sent](OriginConnection& connection,
                                                                            const std::string& request) {
    const auto range = asked_range(request, content.size);
    const std::string body = content.read(range.value_or(ByteRange{0, content.size}));
    if (sent != nullptr) *sent += body.size();
    if (!range) return connection.send(answer("200 OK", body, headers));
    const std::string extent = "Content-Range: bytes " + std::to_string(range->first) + "-" +
                               std::to_string(range->first + range->count - 1) + "/" + std::to_string(content.size) +
                               "\r\n";
    return connection.send(answer("206 Partial Content", body, headers + extent));
  };
}

}  // namespace optimux::source

#include "load/response_reader.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

#include "base/text.hpp"

namespace optimux::bench {
namespace {

constexpr std::string_view kHeadEnd = "\r\n\r\n";

}  // namespace

ResponseReader::State ResponseReader::feed(std::string_view bytes) {
  while (!bytes.empty()) {
    if (state_ == State::kHead) {
      read_head(bytes);
    } else if (state_ == State::kBody) {
      read_body(bytes);
    } else {
      state_ = State::kMalformed;
      break;
    }
  }
  return state_;
}

ResponseReader::State ResponseReader::end_of_stream() {
  keeps_alive_ = false;
  if (state_ == State::kBody && framing_ == Framing::kUntilClose) state_ = State::kComplete;
  return state_;
}

void ResponseReader::read_head(std::string_view& bytes) {
  const std::size_t before = line_.size();
  line_.append(bytes);
  const std::size_t end = line_.find(kHeadEnd, before < kHeadEnd.size() ? 0 : before - kHeadEnd.size());
  if (end == std::string::npos) {
    bytes = {};
    return;
  }
  bytes.remove_prefix(end + kHeadEnd.size() - before);
  line_.resize(end);
  read_head_fields();
  line_.clear();
}

void ResponseReader::read_head_fields() {
  constexpr std::string_view kVersion = "HTTP/1.1 ";
  const std::vector<std::string_view> lines = base::split(line_, '\n');
  const std::string_view first = lines.front();
  const auto status =
      first.starts_with(kVersion) ? base::parse_number<int>(first.substr(kVersion.size(), 3)) : std::nullopt;
  if (!status) {
    state_ = State::kMalformed;
    return;
  }
  status_ = *status;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::size_t colon = lines[i].find(':');
    if (colon == std::string_view::npos) continue;
    std::string_view value = lines[i].substr(colon + 1);
    if (value.ends_with('\r')) value.remove_suffix(1);
    read_field(lines[i].substr(0, colon), base::trim(value));
  }
  begin_body();
}

void ResponseReader::read_field(std::string_view name, std::string_view value) {
  if (base::equals_ignoring_case(name, "content-length")) {
    framing_ = Framing::kLength;
    remaining_ = base::parse_number<std::uint64_t>(value).value_or(std::numeric_limits<std::uint64_t>::max());
  } else if (base::equals_ignoring_case(name, "transfer-encoding")) {
    framing_ = Framing::kChunked;
  } else if (base::equals_ignoring_case(name, "connection")) {
    keeps_alive_ = !base::equals_ignoring_case(value, "close");
  } else if (base::equals_ignoring_case(name, "retry-after")) {
    has_retry_after_ = true;
  }
}

void ResponseReader::begin_body() {
  const bool is_interim = status_ < 200;
  if (is_interim) {
    state_ = State::kHead;
  } else if (status_ == 204 || status_ == 304 || (framing_ == Framing::kLength && remaining_ == 0)) {
    state_ = State::kComplete;
  } else {
    state_ = State::kBody;
  }
}

void ResponseReader::read_body(std::string_view& bytes) {
  if (framing_ == Framing::kChunked) {
    read_chunked(bytes);
  } else if (framing_ == Framing::kUntilClose) {
    count(bytes, bytes.size());
  } else {
    count(bytes, remaining_);
    if (remaining_ == 0) state_ = State::kComplete;
  }
}

void ResponseReader::count(std::string_view& bytes, std::uint64_t at_most) {
  const std::uint64_t taken = std::min<std::uint64_t>(bytes.size(), at_most);
  body_bytes_ += taken;
  remaining_ -= std::min(remaining_, taken);
  bytes.remove_prefix(taken);
}

void ResponseReader::read_chunked(std::string_view& bytes) {
  if (chunk_part_ == ChunkPart::kData) {
    count(bytes, remaining_);
    if (remaining_ == 0) chunk_part_ = ChunkPart::kDataEnd;
    return;
  }
  const std::size_t end = bytes.find('\n');
  line_.append(bytes.substr(0, end));
  bytes.remove_prefix(end == std::string_view::npos ? bytes.size() : end + 1);
  if (end == std::string_view::npos) return;
  if (line_.ends_with('\r')) line_.pop_back();
  finish_chunk_line();
  line_.clear();
}

void ResponseReader::finish_chunk_line() {
  if (chunk_part_ == ChunkPart::kSize) {
    const auto [end, error] = std::from_chars(line_.data(), line_.data() + line_.size(), remaining_, 16);
    if (error != std::errc() || end == line_.data()) {
      state_ = State::kMalformed;
    } else {
      chunk_part_ = remaining_ == 0 ? ChunkPart::kTrailer : ChunkPart::kData;
    }
  } else if (!line_.empty() && chunk_part_ == ChunkPart::kDataEnd) {
    state_ = State::kMalformed;
  } else if (chunk_part_ == ChunkPart::kDataEnd) {
    chunk_part_ = ChunkPart::kSize;
  } else if (line_.empty()) {
    state_ = State::kComplete;
  }
}

}  // namespace optimux::bench

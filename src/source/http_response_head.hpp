#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "source/source.hpp"

namespace optimux::source {

/// What this product needs to know of an origin's status line and headers. Fed with lines as they arrive; interim
/// answers (1xx) are passed over.
class HttpResponseHead {
 public:
  /// `max_bytes` counts all lines of one answer.
  explicit HttpResponseHead(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  /// Takes one line, with or without its line end; an empty one ends the head. Lines after that (trailers) are ignored.
  /// Returns false when the head has become too large or contradicts itself: nothing it says is to be trusted then.
  bool add_line(std::string_view line);

  bool is_complete() const { return complete_; }
  int status() const { return status_; }
  /// True for 301, 302, 303, 307 and 308 (RFC 9110, section 15.4).
  bool is_redirect() const;
  /// True for 301 and 308.
  bool is_permanent_redirect() const { return status_ == 301 || status_ == 308; }
  /// True for 200 and 203: the answers whose body is the whole source. Not for 206, which is a part.
  bool has_source() const { return status_ == 200 || status_ == 203; }
  /// True for 304: what was asked for with validators is still in their state.
  bool is_not_modified() const { return status_ == 304; }
  /// True for 206: the body is a part of the source.
  bool is_part() const { return status_ == 206; }
  /// The value of one of the headers that are kept for those who ask: `content-type`, `content-range`, `date`, and
  /// whatever begins with `x-amz-`. `name` in lower case. Empty if there is none.
  std::string_view field(std::string_view name) const;
  /// All headers that are kept, names in lower case; of several with one name the first.
  const std::map<std::string, std::string, std::less<>>& fields() const { return fields_; }
  /// The `Location` header, empty if none.
  const std::string& location() const { return location_; }
  /// Bytes of the body as sent, if the origin says so.
  std::optional<std::uint64_t> content_length() const { return content_length_; }
  /// True when the body is compressed or otherwise encoded.
  bool is_encoded() const { return encoded_; }
  /// True when the end of the body can be told from the end of the connection.
  bool is_framed() const { return framed_by_protocol_ || chunked_ || content_length_.has_value(); }
  /// What the head says of the source, once it is complete; `place` is not its affair.
  const SourceFacts& facts() const { return facts_; }

 private:
  void start(std::string_view status_line);
  void finish();
  bool add_field(std::string_view name, std::string_view value);
  bool add_content_length(std::string_view value);
  void add_fact(std::string_view name, std::string_view value);

  std::size_t max_bytes_;
  std::size_t bytes_ = 0;
  bool complete_ = false;
  int status_ = 0;
  std::string location_;
  std::optional<std::uint64_t> content_length_;
  bool encoded_ = false;
  bool chunked_ = false;
  std::map<std::string, std::string, std::less<>> fields_;
  bool framed_by_protocol_ = false;  ///< HTTP/2 ends each body by itself.
  FreshnessFields freshness_;
  SourceFacts facts_;
};

}  // namespace optimux::source

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace optimux::bench {

/// The reading half of an HTTP/1.1 client (RFC 9112) without pipelining: bytes in, one response after the other. It
/// counts the body and keeps none of it. No socket, no clock; not thread-safe.
class ResponseReader {
 public:
  enum class State {
    kHead,       ///< The head is not whole yet.
    kBody,       ///< The head is known, the body is not whole.
    kComplete,   ///< As long as the head or the last chunk said; `next` starts over.
    kMalformed,  ///< No response, or bytes after its end.
  };

  /// Takes bytes as they come and returns the state after them.
  State feed(std::string_view bytes);
  /// The peer has closed. A body without a length is complete now; whatever else was under way is cut off.
  State end_of_stream();
  /// Forgets the response and waits for the next one.
  void next() { *this = ResponseReader(); }

  State state() const { return state_; }
  int status() const { return status_; }
  std::uint64_t body_bytes() const { return body_bytes_; }
  bool keeps_alive() const { return keeps_alive_; }
  bool has_retry_after() const { return has_retry_after_; }

 private:
  enum class Framing { kLength, kChunked, kUntilClose };
  enum class ChunkPart { kSize, kData, kDataEnd, kTrailer };

  void read_head(std::string_view& bytes);
  void read_head_fields();
  void read_field(std::string_view name, std::string_view value);
  void begin_body();
  void read_body(std::string_view& bytes);
  void read_chunked(std::string_view& bytes);
  void finish_chunk_line();
  void count(std::string_view& bytes, std::uint64_t at_most);

  State state_ = State::kHead;
  std::string line_;  ///< The head, or the line of a chunk, as far as it has come.
  int status_ = 0;
  bool keeps_alive_ = true;
  bool has_retry_after_ = false;
  Framing framing_ = Framing::kUntilClose;
  ChunkPart chunk_part_ = ChunkPart::kSize;
  std::uint64_t remaining_ = 0;  ///< Bytes of the body, or of the chunk, that are still to come.
  std::uint64_t body_bytes_ = 0;
};

}  // namespace optimux::bench

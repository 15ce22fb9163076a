#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "http/headers.hpp"
#include "server/file_descriptor.hpp"

namespace optimux::server {

/// What a client saw of one response.
struct ClientResponse {
  int status = 0;
  http::Headers headers;
  std::string body;
  bool is_whole = false;  ///< The body ended as its framing says.
};

/// A blocking client for tests, over a loopback or Unix socket. Anything that takes longer than 30 seconds fails.
class HttpClient {
 public:
  /// `url` as a server tells it: `http://127.0.0.1:PORT`, `http://[::1]:PORT` or `unix:PATH`.
  explicit HttpClient(const std::string& url, int receive_buffer = 0);

  bool is_connected() const { return static_cast<bool>(socket_); }
  void send(std::string_view bytes);
  /// `METHOD TARGET` with a Host field, and with these further lines (each ending with CRLF).
  void request(std::string_view method, std::string_view target, std::string_view more_lines = "");
  /// Reads up to the end of the next head; the body stays unread.
  ClientResponse read_head();
  /// Reads the next response. `to_head` tells that a HEAD was sent.
  ClientResponse read_response(bool to_head = false);
  /// Sends and reads.
  ClientResponse get(std::string_view target, std::string_view more_lines = "");
  /// Reads at least `count` bytes of what comes, raw; fewer when the connection ends before.
  std::string read_raw(std::size_t count);
  /// True when the server has closed the connection and nothing was left to read.
  bool at_end();
  /// Breaks the connection at once (RST), or tells the server that no more will be sent.
  void reset();
  void finish_sending();

 private:
  bool fill();
  std::string take_line();
  std::string take(std::size_t count);
  void read_body(ClientResponse& response);

  FileDescriptor socket_;
  std::string buffer_;
};

}  // namespace optimux::server

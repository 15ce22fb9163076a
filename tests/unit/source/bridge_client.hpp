#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "source/descriptor.hpp"
#include "source/range_bridge.hpp"

namespace optimux::source {

/// One connection to a bridge that does what a test says. Blocks; gives up after ten seconds.
class BridgeClient {
 public:
  /// Connects to `port` of 127.0.0.1, from `address`.
  explicit BridgeClient(int port, const std::string& address = "127.0.0.1");

  bool is_connected() const { return is_connected_; }
  /// False when the bridge has gone.
  bool send(std::string_view bytes);
  /// An answer's head, blank line included; what there is where the bridge ends before.
  std::string read_head();
  /// `count` bytes; fewer where the bridge ends before.
  std::string read(std::size_t count);
  /// All up to the end.
  std::string read_all();
  /// How the connection has ended, after one of the above: `closed`, `reset`, `open`.
  std::string end() const;

 private:
  bool receive_byte(char& byte);

  const Descriptor socket_;
  bool is_connected_ = false;
  int last_error_ = 0;
  bool has_ended_ = false;
};

/// The value of `Proxy-Authorization` that the child of this bridge sends.
std::string authorization_of(const RangeBridge& bridge);

/// The head of a GET of what the bridge serves, as its child sends it. `fields` are whole lines.
std::string child_request(const RangeBridge& bridge, std::string_view fields = "");

}  // namespace optimux::source

#include "unit/source/bridge_client.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/text.hpp"

namespace optimux::source {
namespace {

sockaddr_in address_of(const std::string& address, int port) {
  sockaddr_in result{};
  result.sin_family = AF_INET;
  result.sin_port = htons(static_cast<std::uint16_t>(port));
  ::inet_pton(AF_INET, address.c_str(), &result.sin_addr);
  return result;
}

}  // namespace

BridgeClient::BridgeClient(int port, const std::string& address)
    : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  const timeval patience{10, 0};
  ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  ::setsockopt(socket_.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  const sockaddr_in from = address_of(address, 0);
  const sockaddr_in to = address_of("127.0.0.1", port);
  is_connected_ = ::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&from), sizeof from) == 0 &&
                  ::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0;
}

bool BridgeClient::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

std::string BridgeClient::read_head() {
  std::string head;
  for (char byte = 0; head.size() < 4 || head.substr(head.size() - 4) != "\r\n\r\n"; head.push_back(byte)) {
    if (!receive_byte(byte)) break;
  }
  return head;
}

std::string BridgeClient::read(std::size_t count) {
  std::string bytes(count, '\0');
  std::size_t used = 0;
  while (used < count) {
    const ssize_t received = ::recv(socket_.get(), bytes.data() + used, count - used, 0);
    if (received <= 0) {
      last_error_ = received < 0 ? errno : 0;
      has_ended_ = true;
      break;
    }
    used += static_cast<std::size_t>(received);
  }
  bytes.resize(used);
  return bytes;
}

std::string BridgeClient::read_all() {
  std::string all;
  for (std::string piece = read(4096); !piece.empty(); piece = read(4096)) {
    all += piece;
    if (has_ended_) break;
  }
  return all;
}

bool BridgeClient::receive_byte(char& byte) {
  const std::string one = read(1);
  if (!one.empty()) byte = one[0];
  return !one.empty();
}

std::string BridgeClient::end() const {
  if (!has_ended_ || last_error_ == EAGAIN) return "open";
  return last_error_ == 0 ? "closed" : "reset";
}

std::string authorization_of(const RangeBridge& bridge) {
  const std::string& environment = bridge.environment();
  const std::size_t begin = environment.find("//") + 2;
  return "Basic " + base::base64_encode(environment.substr(begin, environment.find('@') - begin));
}

std::string child_request(const RangeBridge& bridge, std::string_view fields) {
  return "GET http://input:80/media HTTP/1.1\r\nHost: input\r\nProxy-Authorization: " + authorization_of(bridge) +
         "\r\n" + std::string(fields) + "\r\n";
}

}  // namespace optimux::source

#include "load/client_connection.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace optimux::bench {
namespace {

// Written once a request; the server's routes and limits see an ordinary client.
std::string request_text(const std::string& target) {
  return "GET " + target + " HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: optimux-load\r\nAccept: */*\r\n\r\n";
}

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

bool would_block(int error) {
  return error == EAGAIN || error == EINTR;
}

}  // namespace

bool ClientConnection::begin(std::size_t target_index, const std::string& target, std::int64_t due) {
  busy_ = true;
  request_ = request_text(target);
  written_ = 0;
  reader_.next();
  sample_ = Sample{.target = target_index, .due = due, .sent = clock_.now()};
  if (descriptor_ < 0 && !open()) {
    finish(Outcome::kRefused);
    return false;
  }
  const bool ended = write();
  return !ended;
}

bool ClientConnection::on_ready() {
  if (!busy_) {  // Closed by the server while nothing was under way, which is its right.
    close();
    return false;
  }
  if (wants_write() && write()) return true;
  return read();
}

void ClientConnection::give_up() {
  finish(Outcome::kTimedOut);
  close();
}

bool ClientConnection::open() {
  descriptor_ = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (descriptor_ < 0) return false;
  const int on = 1;
  ::setsockopt(descriptor_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  const sockaddr_in address = loopback(port_);
  const int connected = ::connect(descriptor_, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  if (connected == 0 || errno == EINPROGRESS) return true;
  close();
  return false;
}

// True when the request ended here, which is when the connection failed.
bool ClientConnection::write() {
  while (wants_write()) {
    const ssize_t sent = ::send(descriptor_, request_.data() + written_, request_.size() - written_, MSG_NOSIGNAL);
    if (sent < 0 && (would_block(errno) || errno == ENOTCONN)) return false;
    if (sent < 0) return finish(errno == ECONNREFUSED ? Outcome::kRefused : Outcome::kCutOff);
    written_ += static_cast<std::size_t>(sent);
  }
  return false;
}

bool ClientConnection::read() {
  std::array<char, 256 * 1024> buffer;
  for (;;) {
    const ssize_t count = ::recv(descriptor_, buffer.data(), buffer.size(), 0);
    if (count < 0 && would_block(errno)) return false;
    if (count < 0) return finish(errno == ECONNREFUSED ? Outcome::kRefused : Outcome::kCutOff);
    const auto state = count == 0 ? reader_.end_of_stream()
                                  : reader_.feed(std::string_view(buffer.data(), static_cast<std::size_t>(count)));
    note(clock_.now(), state);
    if (state == ResponseReader::State::kComplete) return finish(Outcome::kComplete);
    if (state == ResponseReader::State::kMalformed) return finish(Outcome::kMalformed);
    if (count == 0) return finish(Outcome::kCutOff);
  }
}

void ClientConnection::note(std::int64_t now, ResponseReader::State state) {
  if (sample_.head == 0) sample_.head = now;
  if (sample_.first == 0 && (reader_.body_bytes() > 0 || state == ResponseReader::State::kComplete))
    sample_.first = now;
}

bool ClientConnection::finish(Outcome outcome) {
  busy_ = false;
  sample_.outcome = outcome;
  sample_.last = clock_.now();
  sample_.status = reader_.status();
  sample_.bytes = reader_.body_bytes();
  sample_.retry_after = reader_.has_retry_after();
  if (outcome != Outcome::kComplete || !reader_.keeps_alive()) close();
  return true;
}

void ClientConnection::close() {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
}

}  // namespace optimux::bench

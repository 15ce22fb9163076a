#include "unit/server/http_client.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <array>
#include <cstring>

#include "base/text.hpp"
#include "server/listen_address.hpp"

namespace optimux::server {
namespace {

FileDescriptor connect_to(const std::string& url, int receive_buffer) {
  const bool is_unix = url.starts_with("unix:");
  const auto address = parse_listen_address("url", is_unix ? url : url.substr(std::strlen("http://")));
  if (!address) return {};
  sockaddr_storage target{};
  socklen_t length = 0;
  if (address->kind == ListenAddress::Kind::kUnix) {
    sockaddr_un path{};
    path.sun_family = AF_UNIX;
    std::memcpy(path.sun_path, address->host.c_str(), address->host.size() + 1);
    std::memcpy(&target, &path, length = sizeof(path));
  } else if (address->kind == ListenAddress::Kind::kIpv4) {
    sockaddr_in v4{};
    v4.sin_family = AF_INET;
    v4.sin_port = htons(address->port);
    inet_pton(AF_INET, address->host.c_str(), &v4.sin_addr);
    std::memcpy(&target, &v4, length = sizeof(v4));
  } else {
    sockaddr_in6 v6{};
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(address->port);
    inet_pton(AF_INET6, address->host.c_str(), &v6.sin6_addr);
    std::memcpy(&target, &v6, length = sizeof(v6));
  }
  FileDescriptor descriptor(socket(target.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const timeval patience{30, 0};
  setsockopt(descriptor.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
  setsockopt(descriptor.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
  if (receive_buffer > 0) {
    setsockopt(descriptor.get(), SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof(receive_buffer));
  }
  if (connect(descriptor.get(), reinterpret_cast<const sockaddr*>(&target), length) != 0) return {};
  return descriptor;
}

}  // namespace

HttpClient::HttpClient(const std::string& url, int receive_buffer) : socket_(connect_to(url, receive_buffer)) {}

void HttpClient::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

void HttpClient::request(std::string_view method, std::string_view target, std::string_view more_lines) {
  send(std::string(method) + ' ' + std::string(target) + " HTTP/1.1\r\nHost: localhost\r\n" + std::string(more_lines) +
       "\r\n");
}

ClientResponse HttpClient::get(std::string_view target, std::string_view more_lines) {
  request("GET", target, more_lines);
  return read_response();
}

bool HttpClient::fill() {
  std::array<char, 16384> bytes{};
  const ssize_t count = recv(socket_.get(), bytes.data(), bytes.size(), 0);
  if (count <= 0) return false;
  buffer_.append(bytes.data(), static_cast<std::size_t>(count));
  return true;
}

std::string HttpClient::take_line() {
  std::size_t end = 0;
  while ((end = buffer_.find("\r\n")) == std::string::npos) {
    if (!fill()) return {};
  }
  return take(end + 2).substr(0, end);
}

std::string HttpClient::take(std::size_t count) {
  while (buffer_.size() < count) {
    if (!fill()) break;
  }
  std::string taken = buffer_.substr(0, count);
  buffer_.erase(0, count);
  return taken;
}

std::string HttpClient::read_raw(std::size_t count) {
  return take(count);
}

bool HttpClient::at_end() {
  return buffer_.empty() && !fill();
}

ClientResponse HttpClient::read_head() {
  ClientResponse response;
  const std::string status_line = take_line();
  if (status_line.size() < 12) return response;
  response.status = base::parse_number<int>(status_line.substr(9, 3)).value_or(0);
  for (std::string line = take_line(); !line.empty(); line = take_line()) {
    const std::size_t colon = line.find(':');
    response.headers.add(line.substr(0, colon), base::trim(std::string_view(line).substr(colon + 1)));
  }
  return response;
}

ClientResponse HttpClient::read_response(bool to_head) {
  ClientResponse response = read_head();
  if (to_head || response.status == 204 || response.status == 304) {
    response.is_whole = response.status != 0;
  } else {
    read_body(response);
  }
  return response;
}

void HttpClient::read_body(ClientResponse& response) {
  if (response.headers.has_token("Transfer-Encoding", "chunked")) {
    while (true) {
      const std::string line = take_line();
      if (line.empty()) return;
      const std::size_t size = std::strtoul(line.c_str(), nullptr, 16);
      response.body += take(size);
      if (!take_line().empty()) return;
      if (size == 0) break;
    }
    response.is_whole = true;
  } else if (const auto length = response.headers.find("Content-Length")) {
    const auto count = base::parse_number<std::size_t>(*length).value_or(0);
    response.body = take(count);
    response.is_whole = response.body.size() == count;
  } else {
    while (fill()) continue;
    response.body = take(buffer_.size());
    response.is_whole = true;
  }
}

void HttpClient::reset() {
  const linger at_once{1, 0};
  setsockopt(socket_.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
  socket_.close();
}

void HttpClient::finish_sending() {
  shutdown(socket_.get(), SHUT_WR);
}

}  // namespace optimux::server

#include "unit/source/origin_stub.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <system_error>
#include <utility>

#include "base/text.hpp"

namespace optimux::source {
namespace {

constexpr std::string_view kHeadEnd = "\r\n\r\n";
constexpr char kTlsHandshake = 0x16;  // RFC 8446, section 5.1

int bind_to(const Descriptor& socket, const std::string& address) {
  if (address.find(':') != std::string::npos) {
    sockaddr_in6 v6{};
    v6.sin6_family = AF_INET6;
    ::inet_pton(AF_INET6, address.c_str(), &v6.sin6_addr);
    return ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&v6), sizeof v6);
  }
  sockaddr_in v4{};
  v4.sin_family = AF_INET;
  ::inet_pton(AF_INET, address.c_str(), &v4.sin_addr);
  return ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&v4), sizeof v4);
}

int port_of(const Descriptor& socket) {
  sockaddr_in6 address{};  // The port has the same place in both families.
  socklen_t size = sizeof address;
  if (::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0) std::abort();
  return ntohs(address.sin6_port);
}

// OpenSSL writes without MSG_NOSIGNAL. Only this thread looks away: a signal in the loop's thread would be a fault of
// ours.
void ignore_broken_pipes() {
  sigset_t signals;
  ::sigemptyset(&signals);
  ::sigaddset(&signals, SIGPIPE);
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

}  // namespace

OriginConnection::OriginConnection(Descriptor socket, const TlsIdentity* identity) : socket_(std::move(socket)) {
  if (identity == nullptr) return;
  tls_.reset(SSL_new(identity->server_context()));
  SSL_set_fd(tls_.get(), socket_.get());
}

bool OriginConnection::accept() {
  return !tls_ || SSL_accept(tls_.get()) == 1;
}

ssize_t OriginConnection::receive(char* bytes, std::size_t size) {
  return tls_ ? SSL_read(tls_.get(), bytes, static_cast<int>(size)) : ::recv(socket_.get(), bytes, size, 0);
}

ssize_t OriginConnection::transmit(std::string_view bytes) {
  if (tls_) return SSL_write(tls_.get(), bytes.data(), static_cast<int>(bytes.size()));
  return ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
}

std::string OriginConnection::read_request() {
  std::string head;
  char byte = 0;
  while (head.size() < kHeadEnd.size() || head.substr(head.size() - kHeadEnd.size()) != kHeadEnd) {
    if (receive(&byte, 1) != 1) return {};
    head.push_back(byte);
    if (head[0] == kTlsHandshake) break;
  }
  return head;
}

std::string OriginConnection::read_body(std::size_t count) {
  std::string body(count, '\0');
  std::size_t used = 0;
  while (used < count) {
    const ssize_t received = receive(body.data() + used, count - used);
    if (received <= 0) break;
    used += static_cast<std::size_t>(received);
  }
  body.resize(used);
  return body;
}

bool OriginConnection::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = transmit(bytes);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

void OriginConnection::stall() {
  std::array<char, 1024> ignored{};
  while (receive(ignored.data(), ignored.size()) > 0) {
  }
}

void OriginConnection::reset() {
  const linger at_once{1, 0};
  ::setsockopt(socket_.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  drop();
}

void OriginConnection::close() {
  if (socket_ && tls_) SSL_shutdown(tls_.get());
  drop();
}

void OriginConnection::drop() {
  const std::lock_guard lock(mutex_);
  socket_.reset();
}

void OriginConnection::interrupt() {
  const std::lock_guard lock(mutex_);
  if (socket_) ::shutdown(socket_.get(), SHUT_RDWR);
}

OriginStub::OriginStub(Handler handler, const std::string& address, const TlsIdentity* identity)
    : handler_(std::move(handler)),
      address_(address),
      identity_(identity),
      listener_(::socket(address.find(':') == std::string::npos ? AF_INET : AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  if (bind_to(listener_, address) != 0 || ::listen(listener_.get(), 64) != 0) {
    throw std::system_error(errno, std::system_category(), "listen on " + address);
  }
  port_ = port_of(listener_);
  acceptor_ = std::thread([this] { accept_all(); });
}

OriginStub::~OriginStub() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  ::shutdown(listener_.get(), SHUT_RDWR);
  acceptor_.join();
  for (Session& session : sessions_) session.connection.interrupt();
  for (Session& session : sessions_) session.thread.join();
}

void OriginStub::accept_all() {
  for (;;) {
    Descriptor socket(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    const std::lock_guard lock(mutex_);
    if (!socket || stopping_) return;
    ++connection_count_;
    Session& session = sessions_.emplace_back(std::move(socket), identity_);
    session.thread = std::thread([this, &session] { serve(session); });
  }
}

void OriginStub::serve(Session& session) {
  ignore_broken_pipes();
  const bool accepted = session.connection.accept();
  while (accepted) {
    const std::string request = session.connection.read_request();
    if (request.empty()) break;
    {
      const std::lock_guard lock(mutex_);
      requests_.push_back(request);
    }
    if (!handler_(session.connection, request)) break;
  }
  session.connection.close();
}

std::string OriginStub::url(std::string_view path, std::string_view host) const {
  std::string name(host.empty() ? std::string_view(address_) : host);
  if (name.find(':') != std::string::npos) name = "[" + name + "]";
  return (identity_ ? "https://" : "http://") + name + ":" + std::to_string(port_) + std::string(path);
}

std::vector<std::string> OriginStub::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

std::string answer(std::string_view status, std::string_view body, std::string_view headers) {
  std::string text = "HTTP/1.1 " + std::string(status) + "\r\n" + std::string(headers);
  text += "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n";
  return text.append(body);
}

OriginStub::Handler always(std::string bytes) {
  return
      [bytes = std::move(bytes)](OriginConnection& connection, const std::string&) { return connection.send(bytes); };
}

std::string path_of(std::string_view request) {
  const auto words = base::split(request.substr(0, request.find('\r')), ' ');
  return words.size() > 1 ? std::string(words[1]) : std::string();
}

bool has_field(std::string_view request, std::string_view field) {
  for (std::string_view line : base::split(request, '\n')) {
    if (base::equals_ignoring_case(line.substr(0, field.size()), field)) return true;
  }
  return false;
}

}  // namespace optimux::source

#include "source/range_bridge.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/random.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <list>
#include <string_view>
#include <utility>

#include "base/mutex.hpp"
#include "base/text.hpp"
#include "source/bridge_connection.hpp"
#include "source/source_error.hpp"

namespace optimux::source {
namespace {

constexpr std::string_view kUser = "job";
constexpr std::size_t kSecretBytes = 32;
// What is dropped of a flood comes again after a second; the child would too.
constexpr int kBacklog = 1024;
// A flood of connections is taken in portions: others want the loop too.
constexpr int kAcceptsInARow = 64;
// Until descriptors may be had again.
constexpr std::chrono::milliseconds kAcceptPause{100};

tl::unexpected<base::Error> fault(const std::string& call) {
  return base::fail(source_fault("bridge: " + call + ": " + system_message(errno)));
}

base::Result<std::string> draw_secret() {
  std::array<char, kSecretBytes> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) return fault("getrandom");
  return base::hex({bytes.data(), bytes.size()});
}

sockaddr_in loopback() {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

/// A socket that listens on a free port of 127.0.0.1.
base::Result<Descriptor> listen_on_loopback(int send_buffer_bytes) {
  Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket) return fault("socket");
  const sockaddr_in address = loopback();
  // Connections have both of their listener. The last bytes of an answer are not to wait for an acknowledgement.
  const int at_once = 1;
  if (::setsockopt(socket.get(), SOL_SOCKET, SO_SNDBUF, &send_buffer_bytes, sizeof send_buffer_bytes) != 0 ||
      ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof at_once) != 0) {
    return fault("setsockopt");
  }
  if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) return fault("bind");
  if (::listen(socket.get(), kBacklog) != 0) return fault("listen");
  return socket;
}

base::Result<int> port_of(const Descriptor& socket) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  if (::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0) return fault("getsockname");
  return ntohs(address.sin_port);
}

bool is_loopback(const sockaddr_in& address) {
  return address.sin_family == AF_INET && address.sin_addr.s_addr == htonl(INADDR_LOOPBACK);
}

}  // namespace

/// The listener and its connections. Of the loop's thread, but for what is said to be of any.
class RangeBridge::Inner : public std::enable_shared_from_this<RangeBridge::Inner> {
 public:
  Inner(Reactor& reactor, const RangeBridgeSettings& settings, const std::string& secret, Descriptor listener, int port)
      : context_{reactor, settings, "Basic " + base::base64_encode(std::string(kUser) + ":" + secret), nullptr},
        listener_(std::move(listener)),
        port_(port),
        environment_("http_proxy=http://" + std::string(kUser) + ":" + secret + "@127.0.0.1:" + std::to_string(port)) {}

  /// Once, before anything else; any thread.
  void read_from(std::shared_ptr<RangedFile> file, base::Deadline deadline) {
    const RangeReader::Limits limits{context_.settings.min_read_bytes, context_.settings.max_read_bytes,
                                     context_.settings.kept_bytes};
    context_.reader = std::make_shared<RangeReader>(std::move(file), deadline, limits,
                                                    [weak = weak_from_this()](const std::optional<base::Error>& error) {
                                                      if (const auto self = weak.lock()) self->on_news(error);
                                                    });
  }

  void listen() {
    context_.reactor.watch(listener_.get(), Reactor::kRead, [weak = weak_from_this()](unsigned) {
      if (const auto self = weak.lock()) self->accept_some();
    });
  }

  void close() {
    context_.reader->close();
    if (pause_ != 0) context_.reactor.cancel_timer(std::exchange(pause_, 0));
    context_.reactor.watch(listener_.get(), Reactor::kNone, {});
    listener_.reset();
    cut_all();
  }

  // Of any thread.
  int port() const { return port_; }
  const std::string& environment() const { return environment_; }
  std::optional<base::Error> first_error() const {
    const base::MutexLock lock(mutex_);
    return first_error_;
  }
  Figures figures() const {
    const BridgeCounters& counters = context_.counters;
    return {counters.connections,  counters.requests,     counters.refused,
            counters.source_reads, counters.source_bytes, counters.sent_bytes};
  }

 private:
  using Connection = std::shared_ptr<BridgeConnection>;

  void accept_some() {
    for (int accepts = 0; accepts < kAcceptsInARow; ++accepts) {
      sockaddr_in peer{};
      socklen_t size = sizeof peer;
      Descriptor socket(
          ::accept4(listener_.get(), reinterpret_cast<sockaddr*>(&peer), &size, SOCK_CLOEXEC | SOCK_NONBLOCK));
      if (!socket) return on_no_connection(errno);
      if (has_failed_ || !is_loopback(peer) || !make_room()) {
        ++context_.counters.refused;
        continue;
      }
      add(std::move(socket));
    }
  }

  // A connection that has gone before it was taken is no reason to stop; one that cannot be taken would keep the loop
  // busy for as long as it waits.
  void on_no_connection(int error_number) {
    if (error_number == EAGAIN || error_number == ECONNABORTED) return;
    context_.reactor.watch(listener_.get(), Reactor::kNone, {});
    pause_ = context_.reactor.start_timer(kAcceptPause, [weak = weak_from_this()] {
      const auto self = weak.lock();
      if (!self) return;
      self->pause_ = 0;
      self->listen();
    });
  }

  // Who has shown the secret keeps its place; of the others the one that has waited longest makes room.
  bool make_room() {
    if (connections_.size() < context_.settings.max_connections) return true;
    const auto stranger = std::find_if(connections_.begin(), connections_.end(),
                                       [](const Connection& connection) { return !connection->is_trusted(); });
    if (stranger == connections_.end()) return false;
    ++context_.counters.refused;
    const Connection evicted = *stranger;
    evicted->close(true);
    return true;
  }

  void add(Descriptor socket) {
    ++context_.counters.connections;
    const auto place = connections_.emplace(connections_.end());
    *place = std::make_shared<BridgeConnection>(context_, std::move(socket), [this, place] {
      connections_.erase(place);  // The caller holds it for as long as it runs.
    });
    const Connection connection = *place;
    connection->start();
  }

  void on_news(const std::optional<base::Error>& error) {
    context_.counters.source_reads = context_.reader->reads();
    context_.counters.source_bytes = context_.reader->bytes();
    if (error) return fail(*error);
    const std::list<Connection> connections = connections_;
    for (const Connection& connection : connections) connection->resume();
  }

  // By way of the loop: this may run inside of a connection.
  void fail(const base::Error& error) {
    {
      const base::MutexLock lock(mutex_);
      if (!first_error_) first_error_ = error;
    }
    has_failed_ = true;
    context_.reactor.post([weak = weak_from_this()] {
      if (const auto self = weak.lock()) self->cut_all();
    });
  }

  void cut_all() {
    const std::list<Connection> connections = connections_;
    for (const Connection& connection : connections) connection->close(true);
  }

  BridgeContext context_;
  Descriptor listener_;
  const int port_;
  const std::string environment_;
  std::list<Connection> connections_;  ///< Oldest first.
  Reactor::TimerId pause_ = 0;
  bool has_failed_ = false;
  mutable base::Mutex mutex_;
  std::optional<base::Error> first_error_ OPTIMUX_GUARDED_BY(mutex_);
};

base::Result<std::unique_ptr<RangeBridge>> RangeBridge::make(std::shared_ptr<RangedFile> file, Reactor& reactor,
                                                             base::Deadline deadline, RangeBridgeSettings settings) {
  auto secret = draw_secret();
  if (!secret) return base::fail(secret.error());
  auto listener = listen_on_loopback(settings.send_buffer_bytes);
  if (!listener) return base::fail(listener.error());
  const auto port = port_of(*listener);
  if (!port) return base::fail(port.error());
  auto inner = std::make_shared<Inner>(reactor, settings, *secret, *std::move(listener), *port);
  inner->read_from(std::move(file), deadline);
  reactor.post([inner] { inner->listen(); });
  return std::unique_ptr<RangeBridge>(new RangeBridge(reactor, std::move(inner)));
}

RangeBridge::RangeBridge(Reactor& reactor, std::shared_ptr<Inner> inner)
    : reactor_(reactor), inner_(std::move(inner)) {}

RangeBridge::~RangeBridge() {
  reactor_.post([inner = inner_] { inner->close(); });
}

const char* RangeBridge::url() {
  return "http://input/media";
}

const std::string& RangeBridge::environment() const {
  return inner_->environment();
}

int RangeBridge::port() const {
  return inner_->port();
}

std::optional<base::Error> RangeBridge::first_error() const {
  return inner_->first_error();
}

RangeBridge::Figures RangeBridge::figures() const {
  return inner_->figures();
}

}  // namespace optimux::source

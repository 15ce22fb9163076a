#include "load/load_generator.hpp"

#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

namespace optimux::bench {
namespace {

constexpr std::int64_t kMicrosecondsInMillisecond = 1'000;
constexpr std::int64_t kLateCheckInterval = 50 * kMicrosecondsInMillisecond;

}  // namespace

LoadGenerator::LoadGenerator(const LoadOptions& options) : options_(options), poll_(::epoll_create1(EPOLL_CLOEXEC)) {
  if (poll_ >= 0) return;
  std::perror("epoll_create1");
  std::abort();
}

LoadGenerator::~LoadGenerator() {
  ::close(poll_);
}

std::vector<Sample> LoadGenerator::run() {
  for (;;) {
    begin_due();
    if (samples_.size() == begun_ && !may_begin(clock_.now())) return std::move(samples_);
    wait_and_handle();
    end_late();
  }
}

// Whether another request will ever be sent, at `now` or later.
bool LoadGenerator::may_begin(std::int64_t now) const {
  if (options_.requests > 0 && begun_ >= options_.requests) return false;
  const std::int64_t end = std::chrono::microseconds(options_.duration).count();
  return end == 0 || std::max(now, next_due()) < end;
}

std::int64_t LoadGenerator::next_due() const {
  return options_.rate > 0 ? static_cast<std::int64_t>(static_cast<double>(begun_) * 1e6 / options_.rate) : 0;
}

void LoadGenerator::begin_due() {
  for (std::int64_t now = clock_.now(); may_begin(now) && next_due() <= now; now = clock_.now()) {
    ClientConnection* connection = idle_connection();
    if (connection == nullptr) return;
    begin_on(*connection, options_.rate > 0 ? next_due() : now);
  }
}

// The one that was used last, so that an open loop keeps no more connections than it needs.
ClientConnection* LoadGenerator::idle_connection() {
  if (idle_.empty() && connections_.size() < options_.connections) {
    connections_.push_back(std::make_unique<ClientConnection>(options_.port, clock_));
    idle_.push_back(connections_.back().get());
  }
  if (idle_.empty()) return nullptr;
  ClientConnection* connection = idle_.back();
  idle_.pop_back();
  return connection;
}

void LoadGenerator::begin_on(ClientConnection& connection, std::int64_t due) {
  const std::size_t index = begun_++ % options_.targets.size();
  const int before = connection.descriptor();
  const bool is_under_way = connection.begin(index, options_.targets[index], due);
  watch(connection, before);
  if (is_under_way) return;
  samples_.push_back(connection.sample());
  idle_.push_back(&connection);
}

// Tells the poll what has become of the connection's descriptor. The kernel forgets closed ones by itself.
void LoadGenerator::watch(ClientConnection& connection, int descriptor_before) {
  if (connection.descriptor() < 0) return;
  epoll_event event{};
  event.events = EPOLLIN | (connection.wants_write() ? EPOLLOUT : 0U);
  event.data.ptr = &connection;
  const int operation = connection.descriptor() == descriptor_before ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;
  ::epoll_ctl(poll_, operation, connection.descriptor(), &event);
}

void LoadGenerator::wait_and_handle() {
  std::array<epoll_event, 256> events;
  const std::int64_t wait = wait_time(clock_.now());
  const timespec timeout{.tv_sec = wait / 1'000'000, .tv_nsec = wait % 1'000'000 * 1'000};
  const int count = ::epoll_pwait2(poll_, events.data(), static_cast<int>(events.size()), &timeout, nullptr);
  for (int i = 0; i < count; ++i) handle(*static_cast<ClientConnection*>(events[static_cast<std::size_t>(i)].data.ptr));
}

void LoadGenerator::handle(ClientConnection& connection) {
  const bool was_writing = connection.wants_write();
  const bool ended = connection.on_ready();
  if (ended) {
    samples_.push_back(connection.sample());
    idle_.push_back(&connection);
  }
  if (was_writing) watch(connection, connection.descriptor());
}

void LoadGenerator::end_late() {
  const std::int64_t now = clock_.now();
  if (now < next_late_check_) return;
  next_late_check_ = now + kLateCheckInterval;
  const std::int64_t limit = std::chrono::microseconds(options_.timeout).count();
  for (const auto& connection : connections_) {
    if (connection->is_idle() || now - connection->sample().sent < limit) continue;
    connection->give_up();
    samples_.push_back(connection->sample());
    idle_.push_back(connection.get());
  }
}

// Microseconds until something has to be done although nothing happens on a socket.
std::int64_t LoadGenerator::wait_time(std::int64_t now) const {
  const bool has_free_connection = !idle_.empty() || connections_.size() < options_.connections;
  std::int64_t until = next_late_check_;
  if (has_free_connection && may_begin(now)) until = std::min(until, next_due());
  return std::max<std::int64_t>(until - now, 0);
}

}  // namespace optimux::bench

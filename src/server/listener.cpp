#include "server/listener.hpp"

#include <utility>

namespace optimux::server {
namespace {

/// Connections accepted before others get a turn.
constexpr int kAcceptsInOneTurn = 64;
/// More than a kernel keeps queued; it bounds the last round only.
constexpr int kMostQueued = 65'536;
/// Rest when the process has run out of descriptors: accepting again at once would spin.
constexpr std::chrono::milliseconds kPause{100};

}  // namespace

Listener::Listener(EventLoop& loop, base::LogSink& log, ListeningSocket socket, std::string url, Admit admit)
    : loop_(loop), log_(log), socket_(std::move(socket)), url_(std::move(url)), admit_(std::move(admit)) {}

Listener::~Listener() {
  if (is_watched_) loop_.reactor().watch(socket_.descriptor(), source::Reactor::kNone, nullptr);
  if (pause_timer_ != 0) loop_.reactor().cancel_timer(pause_timer_);
}

void Listener::start() {
  is_watched_ = true;
  loop_.reactor().watch(socket_.descriptor(), source::Reactor::kRead, [this](unsigned) { accept_some(); });
}

void Listener::accept_some() {
  if (!accept_up_to(kAcceptsInOneTurn)) pause();
}

/// False when the process has run out of something.
bool Listener::accept_up_to(int count) {
  for (int i = 0; i < count; ++i) {
    AcceptedSocket connection;
    const auto outcome = socket_.accept(connection);
    if (outcome == ListeningSocket::AcceptOutcome::kExhausted) return false;
    if (outcome == ListeningSocket::AcceptOutcome::kNone) break;
    admit_(std::move(connection));
  }
  return true;
}

void Listener::pause() {
  log_.warning("cannot accept connections", {{"address", url_}, {"pause_ms", kPause.count()}});
  loop_.reactor().watch(socket_.descriptor(), source::Reactor::kNone, nullptr);
  is_watched_ = false;
  pause_timer_ = loop_.reactor().start_timer(kPause, [this] {
    pause_timer_ = 0;
    start();
  });
}

void Listener::close_after_queued() {
  accept_up_to(kMostQueued);
}

}  // namespace optimux::server

#include "source/curl_multi.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <cassert>
#include <chrono>
#include <string>
#include <utility>

#include "source/source_error.hpp"

namespace optimux::source {
namespace {

// libcurl wants this once a process, before anything else; since 7.84 it may come from any thread.
CURLcode initialize_library() {
  static const CURLcode kResult = curl_global_init(CURL_GLOBAL_DEFAULT);
  return kResult;
}

}  // namespace

base::Result<std::unique_ptr<CurlMulti>> CurlMulti::make(Reactor& reactor, const ConnectionLimits& limits) {
  if (initialize_library() != CURLE_OK) return base::fail(source_fault("libcurl cannot be initialized"));
  CurlMultiHandle handle(curl_multi_init());
  if (!handle) return base::fail(source_fault("libcurl: out of memory"));
  std::unique_ptr<CurlMulti> multi(new CurlMulti(reactor, std::move(handle)));
  if (!multi->set_up(limits)) return base::fail(source_fault("libcurl refuses an option of its multi interface"));
  return multi;
}

CurlMulti::~CurlMulti() {
  assert(transfers_.empty() && "transfers end before their multi handle");
  handle_.reset();  // Closes idle connections, through `on_close`.
  if (timer_ != 0) reactor_.cancel_timer(timer_);
}

bool CurlMulti::set_up(const ConnectionLimits& limits) {
  bool ok = true;
  const auto set = [&](CURLMoption option, auto value) {
    ok = ok && curl_multi_setopt(handle_.get(), option, value) == CURLM_OK;
  };
  set(CURLMOPT_SOCKETFUNCTION, &CurlMulti::on_socket);
  set(CURLMOPT_SOCKETDATA, this);
  set(CURLMOPT_TIMERFUNCTION, &CurlMulti::on_timer);
  set(CURLMOPT_TIMERDATA, this);
  set(CURLMOPT_MAX_TOTAL_CONNECTIONS, limits.max_connections);
  set(CURLMOPT_MAX_HOST_CONNECTIONS, limits.max_connections_per_host);
  set(CURLMOPT_MAXCONNECTS, limits.max_idle_connections);
  set(CURLMOPT_PIPELINING, CURLPIPE_MULTIPLEX);
  return ok;
}

base::Status CurlMulti::add(CURL* easy, Done done) {
  transfers_.emplace(easy, std::move(done));
  const CURLMcode code = curl_multi_add_handle(handle_.get(), easy);
  if (code == CURLM_OK) return {};
  transfers_.erase(easy);
  return base::fail(source_fault(std::string("libcurl: ") + curl_multi_strerror(code)));
}

void CurlMulti::remove(CURL* easy) {
  if (transfers_.erase(easy) == 0) return;
  curl_multi_remove_handle(handle_.get(), easy);
}

curl_socket_t CurlMulti::open_socket(CURL* easy, const curl_sockaddr& address) {
  const curl_socket_t socket = ::socket(address.family, address.socktype | SOCK_CLOEXEC, address.protocol);
  if (socket >= 0) openers_[socket] = easy;
  return socket;
}

bool CurlMulti::adopt_sockets(CURL* easy) {
  return curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, &CurlMulti::on_close) == CURLE_OK &&
         curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, this) == CURLE_OK;
}

int CurlMulti::on_socket(CURL*, curl_socket_t socket, int what, void* self, void*) {
  auto& multi = *static_cast<CurlMulti*>(self);
  switch (what) {
    case CURL_POLL_IN: multi.watch(socket, Reactor::kRead); break;
    case CURL_POLL_OUT: multi.watch(socket, Reactor::kWrite); break;
    case CURL_POLL_INOUT: multi.watch(socket, Reactor::kRead | Reactor::kWrite); break;
    default: multi.forget(socket); break;
  }
  return 0;
}

int CurlMulti::on_timer(CURLM*, long delay_ms, void* self) {
  static_cast<CurlMulti*>(self)->restart_timer(delay_ms);
  return 0;
}

int CurlMulti::on_close(void* self, curl_socket_t socket) {
  auto& multi = *static_cast<CurlMulti*>(self);
  const auto opener = multi.openers_.extract(socket);
  if (!opener.empty()) multi.nudge(opener.mapped());
  multi.forget(socket);
  return ::close(socket);
}

void CurlMulti::watch(curl_socket_t socket, unsigned interest) {
  watched_.insert(socket);
  reactor_.watch(socket, interest, [this, socket](unsigned ready) {
    act(socket, ((ready & Reactor::kRead) ? CURL_CSELECT_IN : 0) | ((ready & Reactor::kWrite) ? CURL_CSELECT_OUT : 0));
  });
}

void CurlMulti::forget(curl_socket_t socket) {
  if (watched_.erase(socket) != 0) reactor_.watch(socket, Reactor::kNone, {});
}

// libcurl has one timer, and forbids to act on it from inside this call: a delay of 0 goes through the reactor too.
void CurlMulti::restart_timer(long delay_ms) {
  if (timer_ != 0) reactor_.cancel_timer(std::exchange(timer_, 0));
  if (delay_ms < 0) return;
  timer_ = reactor_.start_timer(std::chrono::milliseconds(delay_ms), [this] {
    timer_ = 0;
    act(CURL_SOCKET_TIMEOUT, 0);
  });
}

void CurlMulti::act(curl_socket_t socket, int ready) {
  int running = 0;
  curl_multi_socket_action(handle_.get(), socket, ready, &running);
  report_ends();
  run_nudged();
}

// libcurl 7.88 (lib/connect.c, is_connected) prepares the attempt at a name's next address when one has failed, but
// starts it only when a socket or a timer wakes the transfer, which may take half of the connect timeout. Unpausing is
// its documented way to have a transfer looked at soon; what was never paused must be paused first.
void CurlMulti::run_nudged() {
  for (CURL* const easy : std::exchange(nudged_, {})) {
    if (transfers_.count(easy) == 0) continue;
    curl_easy_pause(easy, CURLPAUSE_RECV);
    curl_easy_pause(easy, CURLPAUSE_CONT);
  }
}

// One message at a time: what `done` does may add and remove transfers, and with them messages.
void CurlMulti::report_ends() {
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(handle_.get(), &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    CURL* const easy = message->easy_handle;
    const CURLcode result = message->data.result;
    const Done done = std::move(transfers_.at(easy));
    remove(easy);
    done(result);
  }
}

}  // namespace optimux::source

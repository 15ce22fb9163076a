#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>

#include "base/result.hpp"
#include "source/connection_limits.hpp"
#include "source/curl_handles.hpp"
#include "source/reactor.hpp"

namespace optimux::source {

/// libcurl's multi interface, driven by a reactor (curl_multi_socket_action): all transfers of one connection pool,
/// none of which blocks. Of the loop's thread alone, but for making it.
class CurlMulti {
 public:
  using Done = std::function<void(CURLcode result)>;

  /// `reactor` must outlive the object. Errors: kInternal when libcurl cannot be set up.
  static base::Result<std::unique_ptr<CurlMulti>> make(Reactor& reactor, const ConnectionLimits& limits);
  CurlMulti(const CurlMulti&) = delete;
  CurlMulti& operator=(const CurlMulti&) = delete;
  /// All transfers were removed before.
  ~CurlMulti();

  /// Starts the transfer that `easy` describes. `done` is called once, from the loop, when it has ended and is removed;
  /// not if it is removed before. `easy` stays the caller's. Errors: kInternal, and `done` is not called.
  base::Status add(CURL* easy, Done done);

  /// Ends a transfer at once. Ignored when it has ended. Must not be called from inside a callback of libcurl.
  void remove(CURL* easy);

  /// Has the transfer run once more, soon. For callbacks of libcurl that refuse an address: it then goes on to the next
  /// one of the same name, but only when something wakes it.
  void nudge(CURL* easy) { nudged_.insert(easy); }

  /// Opens the socket that libcurl asks for on behalf of `easy`; CURL_SOCKET_BAD when the process may not have another
  /// one.
  curl_socket_t open_socket(CURL* easy, const curl_sockaddr& address);

  /// Makes connections of `easy` close their sockets through this object, so that the reactor forgets them in time.
  /// False when libcurl refuses.
  bool adopt_sockets(CURL* easy);

 private:
  CurlMulti(Reactor& reactor, CurlMultiHandle handle) : reactor_(reactor), handle_(std::move(handle)) {}
  bool set_up(const ConnectionLimits& limits);

  static int on_socket(CURL* easy, curl_socket_t socket, int what, void* self, void* socket_data);
  static int on_timer(CURLM* multi, long delay_ms, void* self);
  static int on_close(void* self, curl_socket_t socket);
  void watch(curl_socket_t socket, unsigned interest);
  void forget(curl_socket_t socket);
  void restart_timer(long delay_ms);
  void act(curl_socket_t socket, int ready);
  void run_nudged();
  void report_ends();

  Reactor& reactor_;
  CurlMultiHandle handle_;
  std::map<CURL*, Done> transfers_;
  std::set<curl_socket_t> watched_;
  std::map<curl_socket_t, CURL*> openers_;  ///< The transfer that each open socket was opened for; it may have ended.
  std::set<CURL*> nudged_;
  Reactor::TimerId timer_ = 0;
};

}  // namespace optimux::source

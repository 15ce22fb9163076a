#include "apps/optimux/pool/sweep/url_job.hpp"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <netinet/in.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <string>

namespace optimux::apps {
namespace {

using base::ErrorCode;

struct CloseHandle {
  void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
};

/// One connection and its settings. On the heap, since libcurl keeps pointers to it.
class Fetcher {
 public:
  Fetcher(UrlJob job, const JobRules& rules);
  Fetcher(const Fetcher&) = delete;
  Fetcher& operator=(const Fetcher&) = delete;
  ~Fetcher() = default;

  JobRun fetch();

 private:
  static curl_socket_t open_socket(void* fetcher, curlsocktype purpose, curl_sockaddr* address);
  static std::size_t discard(char*, std::size_t size, std::size_t count, void*) { return size * count; }
  base::Status status_of(CURLcode code) const;

  const UrlJob job_;
  const bool may_leave_the_host_;
  const std::unique_ptr<CURL, CloseHandle> handle_;
  bool was_refused_ = false;
};

void initialise_curl() {
  static std::once_flag once;
  std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
}

Fetcher::Fetcher(UrlJob job, const JobRules& rules)
    : job_(std::move(job)), may_leave_the_host_(rules.may_leave_the_host), handle_(curl_easy_init()) {
  CURL* const handle = handle_.get();
  if (handle == nullptr) return;
  curl_easy_setopt(handle, CURLOPT_URL, job_.url.c_str());
  curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(handle, CURLOPT_FOLLOWLOCATION, 0L);
  curl_easy_setopt(handle, CURLOPT_PROXY, "");
  curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(handle, CURLOPT_TIMEOUT_MS, static_cast<long>(std::clamp(rules.timeout * 1e3, 1.0, 3.6e6)));
  curl_easy_setopt(handle, CURLOPT_USERAGENT, "optimux-pool-sweep");
  curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, &Fetcher::discard);
  curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, &Fetcher::open_socket);
  curl_easy_setopt(handle, CURLOPT_OPENSOCKETDATA, this);
}

curl_socket_t Fetcher::open_socket(void* fetcher, curlsocktype /*purpose*/, curl_sockaddr* address) {
  auto& self = *static_cast<Fetcher*>(fetcher);
  self.was_refused_ = !self.may_leave_the_host_ && !is_loopback(address->addr);
  if (self.was_refused_) return CURL_SOCKET_BAD;
  return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

JobRun Fetcher::fetch() {
  if (handle_ == nullptr) return {base::fail(ErrorCode::kInternal, "libcurl cannot be started"), 0};
  was_refused_ = false;
  return {status_of(curl_easy_perform(handle_.get())), 0};
}

base::Status Fetcher::status_of(CURLcode code) const {
  if (was_refused_ && code != CURLE_OK) {
    return base::fail(ErrorCode::kForbiddenSource,
                      job_.url + " is not on this machine; --i-own-this-host allows to load another");
  }
  if (code == CURLE_OPERATION_TIMEDOUT)
    return base::fail(ErrorCode::kOriginTimeout, job_.url + " did not answer in time");
  if (code != CURLE_OK) return base::fail(ErrorCode::kOriginFailed, job_.url + ": " + curl_easy_strerror(code));
  long answer = 0;
  curl_easy_getinfo(handle_.get(), CURLINFO_RESPONSE_CODE, &answer);
  if (answer < 400) return {};
  return base::fail(ErrorCode::kOriginFailed, job_.url + " answered " + std::to_string(answer));
}

}  // namespace

bool is_loopback(const sockaddr& address) {
  if (address.sa_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(address);
    return (ntohl(v4.sin_addr.s_addr) >> 24) == 127;
  }
  if (address.sa_family != AF_INET6) return false;
  return IN6_IS_ADDR_LOOPBACK(&reinterpret_cast<const sockaddr_in6&>(address).sin6_addr);
}

JobBody make_url_body(const UrlJob& job, const JobRules& rules) {
  initialise_curl();
  return [fetcher = std::make_shared<Fetcher>(job, rules)] { return fetcher->fetch(); };
}

}  // namespace optimux::apps

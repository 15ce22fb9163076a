#include "apps/optimux/pool/http_get.hpp"

#include <curl/curl.h>

#include <memory>

namespace optimux::apps {
namespace {

using base::ErrorCode;

constexpr std::size_t kLargestBody = std::size_t{16} << 20;
constexpr long kTimeoutMilliseconds = 10'000;

struct CloseHandle {
  void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
};

std::size_t append(char* bytes, std::size_t size, std::size_t count, void* body) {
  auto& text = *static_cast<std::string*>(body);
  if (text.size() + size * count > kLargestBody) return CURL_WRITEFUNC_ERROR;
  text.append(bytes, size * count);
  return size * count;
}

base::Status status_of(CURL* handle, CURLcode code, const std::string& asked) {
  if (code == CURLE_OPERATION_TIMEDOUT) return base::fail(ErrorCode::kOriginTimeout, asked + " did not answer in time");
  if (code == CURLE_WRITE_ERROR) return base::fail(ErrorCode::kSourceTooLarge, asked + " answered more than 16 MiB");
  if (code != CURLE_OK) return base::fail(ErrorCode::kOriginFailed, asked + ": " + curl_easy_strerror(code));
  long answer = 0;
  curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &answer);
  if (answer == 200) return {};
  return base::fail(ErrorCode::kOriginFailed, asked + " answered " + std::to_string(answer));
}

}  // namespace

base::Result<std::string> http_get(const std::string& url, const std::string& unix_socket) {
  const std::unique_ptr<CURL, CloseHandle> handle(curl_easy_init());
  if (handle == nullptr) return base::fail(ErrorCode::kInternal, "libcurl cannot be started");
  std::string body;
  curl_easy_setopt(handle.get(), CURLOPT_URL, url.c_str());
  if (!unix_socket.empty()) curl_easy_setopt(handle.get(), CURLOPT_UNIX_SOCKET_PATH, unix_socket.c_str());
  curl_easy_setopt(handle.get(), CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(handle.get(), CURLOPT_PROXY, "");
  curl_easy_setopt(handle.get(), CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(handle.get(), CURLOPT_TIMEOUT_MS, kTimeoutMilliseconds);
  curl_easy_setopt(handle.get(), CURLOPT_WRITEFUNCTION, append);
  curl_easy_setopt(handle.get(), CURLOPT_WRITEDATA, &body);
  const CURLcode code = curl_easy_perform(handle.get());
  const std::string asked = unix_socket.empty() ? url : "unix:" + unix_socket;
  if (const base::Status status = status_of(handle.get(), code, asked); !status) return base::fail(status.error());
  return body;
}

}  // namespace optimux::apps

#pragma once

#include <memory>

#include <curl/curl.h>

namespace optimux::source {

struct CurlEasyDeleter {
  void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
};
struct CurlMultiDeleter {
  void operator()(CURLM* handle) const { curl_multi_cleanup(handle); }
};
struct CurlUrlDeleter {
  void operator()(CURLU* handle) const { curl_url_cleanup(handle); }
};
struct CurlListDeleter {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
struct CurlTextDeleter {
  void operator()(char* text) const { curl_free(text); }
};

/// Owners of libcurl's handles and of the texts that it hands out.
using CurlEasy = std::unique_ptr<CURL, CurlEasyDeleter>;
using CurlMultiHandle = std::unique_ptr<CURLM, CurlMultiDeleter>;
using CurlUrl = std::unique_ptr<CURLU, CurlUrlDeleter>;
using CurlList = std::unique_ptr<curl_slist, CurlListDeleter>;
using CurlText = std::unique_ptr<char, CurlTextDeleter>;

}  // namespace optimux::source

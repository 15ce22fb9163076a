// What it costs to read a request: one of a command-line client, one of a browser, and many in one piece.
#include "http/http1_reader.hpp"

#include <string>

#include <benchmark/benchmark.h>

namespace optimux::http {
namespace {

std::string plain_request() {
  return "GET /optimux/assets/photo.jpg?sizes=300x0&format=webp&quality=60 HTTP/1.1\r\n"
         "Host: 127.0.0.1:8811\r\nUser-Agent: client/1.0\r\nAccept: */*\r\n\r\n";
}

std::string browser_request() {
  return "GET /optimux/assets/photo.jpg?sizes=300x0,600x0&format=auto&quality=60&fit=cover HTTP/1.1\r\n"
         "Host: images.example.org\r\n"
         "User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0\r\n"
         "Accept: image/avif,image/webp,image/png,image/svg+xml,image/*;q=0.8,*/*;q=0.5\r\n"
         "Accept-Language: en-GB,en;q=0.5\r\nAccept-Encoding: gzip, deflate, br\r\n"
         "Connection: keep-alive\r\nReferer: https://www.example.org/a/page/with/a/long/path\r\n"
         "Sec-Fetch-Dest: image\r\nSec-Fetch-Mode: no-cors\r\nSec-Fetch-Site: same-site\r\n"
         "If-None-Match: \"0123456789abcdef0123456789abcdef\"\r\nCache-Control: max-age=0\r\n\r\n";
}

void read_all(benchmark::State& state, const std::string& bytes, std::int64_t requests) {
  const RequestLimits limits;
  for (auto _ : state) {
    Http1Reader reader(limits);
    reader.feed(bytes);
    for (auto request = reader.take(); request; request = reader.take())
      benchmark::DoNotOptimize(request->target.data());
  }
  state.SetItemsProcessed(state.iterations() * requests);
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes.size()));
}

void http1_reader_plain(benchmark::State& state) {
  read_all(state, plain_request(), 1);
}
BENCHMARK(http1_reader_plain);

void http1_reader_browser(benchmark::State& state) {
  read_all(state, browser_request(), 1);
}
BENCHMARK(http1_reader_browser);

void http1_reader_pipelined_16(benchmark::State& state) {
  std::string bytes;
  for (int i = 0; i < 16; ++i) bytes += plain_request();
  read_all(state, bytes, 16);
}
BENCHMARK(http1_reader_pipelined_16);

}  // namespace
}  // namespace optimux::http

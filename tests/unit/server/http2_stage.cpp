#include "unit/server/http2_stage.hpp"

#include <chrono>
#include <thread>
#include <utility>

#include "server/docs_routes.hpp"
#include "server/health_routes.hpp"
#include "server/preload_route.hpp"
#include "server/rendition_routes.hpp"

namespace optimux::server {

/// The connection's end of the wire.
class Http2Stage::Network final : public Transport {
 public:
  explicit Network(Http2Stage& stage) : stage_(stage) {}
  ~Network() override { stage_.wire.is_closed = true; }

  Outcome read(std::span<char> buffer) override {
    stage_.listen();
    std::string& input = stage_.wire.input;
    if (input.empty()) return {stage_.wire.is_cut ? Result::kClosed : Result::kWouldBlock, 0};
    const std::size_t count = input.copy(buffer.data(), buffer.size());
    input.erase(0, count);
    return {Result::kDone, count};
  }

  Outcome write(Pieces pieces) override {
    Http2Wire& network = stage_.wire;
    if (network.is_stuck) return {Result::kWouldBlock, 0};
    if (++network.writes >= network.failing_write && network.failing_write > 0) return {Result::kClosed, 0};
    std::size_t left = network.bytes_a_write;
    std::size_t written = 0;
    for (const auto& piece : pieces) {
      const std::size_t count = std::min(left, piece.size());
      stage_.peer.feed({reinterpret_cast<const char*>(piece.data()), count});
      left -= count;
      written += count;
    }
    network.sizes.push_back(written);
    return {Result::kDone, written};
  }

  void when_readable(std::function<void()> ready) override { stage_.readable_ = std::move(ready); }
  void when_writable(std::function<void()> ready) override { stage_.writable_ = std::move(ready); }
  void when_gone(std::function<void()>) override {}
  std::size_t room() const override { return stage_.wire.room; }
  void finish_writing() override { stage_.wire.is_cut = true; }
  void close() override { stage_.wire.is_closed = true; }

 private:
  Http2Stage& stage_;
};

Http2Stage::Http2Stage(const ServerSettings& settings, const http::Http2Peer::Settings& client)
    : state(loop, settings, backend, log), router(state), registry([] {}), peer(client) {
  add_rendition_routes(router, state);
  add_preload_route(router, state);
  add_health_routes(router, state);
  add_docs_routes(router, state);
}

Http2Stage::~Http2Stage() {
  registry.abort_all();
  while (registry.size() > 0) loop.run_ready();
}

void Http2Stage::start(std::optional<Http2Upgrade> upgrade, std::optional<base::Error> refusal) {
  Arrival arrival;
  arrival.transport = std::make_unique<Network>(*this);
  arrival.client.address = "test";
  arrival.refusal = std::move(refusal);
  start_http2_connection({state, router, registry}, std::move(arrival), std::move(upgrade));
  settle();
}

void Http2Stage::settle() {
  for (int quiet = 0; quiet < 3; ++quiet) {
    loop.run_ready();
    listen();
    const bool has_news = !wire.input.empty() || wire.is_cut;
    if (has_news && readable_) {
      std::exchange(readable_, nullptr)();
      quiet = 0;
    }
  }
}

void Http2Stage::listen() {
  const std::string said = peer.take();
  if (!wire.is_mute) wire.input += said;
}

bool Http2Stage::settle_until(const std::function<bool()>& condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    settle();
    std::this_thread::yield();
  }
  return true;
}

void Http2Stage::unstick() {
  wire.is_stuck = false;
  if (writable_) std::exchange(writable_, nullptr)();
  settle();
}

void Http2Stage::drain() {
  state.draining_since = std::chrono::steady_clock::now();
  registry.drain_all();
  settle();
}

std::string Http2Stage::metrics() {
  return state.metrics.page(backend, {}, false);
}

}  // namespace optimux::server

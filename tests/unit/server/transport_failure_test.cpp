#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "server/connection_registry.hpp"
#include "server/health_routes.hpp"
#include "server/http1_connection.hpp"
#include "server/rendition_routes.hpp"
#include "unit/server/fake_backend.hpp"
#include "unit/server/recording_log.hpp"

namespace optimux::server {
namespace {

/// What happened at a scripted client.
struct Scene {
  std::string to_server;                 ///< What the client sends, then it waits.
  std::string to_client;                 ///< What it got.
  std::size_t bytes_a_write = 1u << 30;  ///< That the system takes at once.
  int writes = 0;
  int failing_write = 0;  ///< The client is gone from this write on; 0: never.
  bool blocks_between_writes = false;
  bool is_closed = false;
};

/// A transport without a socket: every call is seen and may fail.
class ScriptedTransport final : public Transport {
 public:
  ScriptedTransport(EventLoop& loop, Scene& scene) : loop_(loop), scene_(scene) {}
  ~ScriptedTransport() override { scene_.is_closed = true; }

  Outcome read(std::span<char> buffer) override {
    if (scene_.to_server.empty()) return {is_finished_ ? Result::kClosed : Result::kWouldBlock, 0};
    const std::size_t count = scene_.to_server.copy(buffer.data(), buffer.size());
    scene_.to_server.erase(0, count);
    return {Result::kDone, count};
  }
  Outcome write(Pieces pieces) override {
    if (scene_.blocks_between_writes && !std::exchange(may_write_, false)) return {Result::kWouldBlock, 0};
    if (++scene_.writes >= scene_.failing_write && scene_.failing_write > 0) return {Result::kClosed, 0};
    std::size_t left = scene_.bytes_a_write;
    std::size_t written = 0;
    for (const auto& piece : pieces) {
      const std::size_t count = std::min(left, piece.size());
      scene_.to_client.append(reinterpret_cast<const char*>(piece.data()), count);
      left -= count;
      written += count;
    }
    return {Result::kDone, written};
  }
  void when_readable(std::function<void()>) override {}
  void when_writable(std::function<void()> ready) override {
    may_write_ = true;
    loop_.post(std::move(ready));
  }
  void when_gone(std::function<void()>) override {}
  void finish_writing() override { is_finished_ = true; }
  void close() override { scene_.is_closed = true; }

 private:
  EventLoop& loop_;
  Scene& scene_;
  bool may_write_ = true;
  bool is_finished_ = false;
};

/// Plays a scene to its end.
void play(Scene& scene) {
  EventLoop loop;
  FakeBackend backend;
  backend.set_content(std::string(1000, 'x'));
  RecordingLog log;
  ServerState state(loop, {}, backend, log);
  Router router(state);
  add_rendition_routes(router, state);
  add_health_routes(router, state);
  ConnectionRegistry registry([] {});
  start_http1_connection({state, router, registry},
                         {std::make_unique<ScriptedTransport>(loop, scene), {"test"}, {}, {}});
  loop.run_ready();
  registry.abort_all();
  while (registry.size() > 0) loop.run_ready();
}

const std::string kRequests =
    "GET /optimux/assets/a HTTP/1.1\r\nHost: a\r\n\r\n"
    "GET /optimux/ping HTTP/1.1\r\nHost: a\r\n\r\n"
    "GET /optimux/assets/a?encoder=json HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";

/// Answers differ in their dates, ids and ages, so only what has none of them is compared.
std::string without_passing_fields(const std::string& bytes) {
  std::string text;
  std::size_t begin = 0;
  while (begin < bytes.size()) {
    const std::size_t end = std::min(bytes.find('\n', begin), bytes.size() - 1);
    const std::string line = bytes.substr(begin, end - begin + 1);
    if (!line.starts_with("Date:") && !line.starts_with("X-Request-Id:")) text += line;
    begin = end + 1;
  }
  return text;
}

TEST(TransportFailure, ShortWritesGiveTheSameBytes) {
  Scene whole{.to_server = kRequests};
  play(whole);
  EXPECT_TRUE(whole.is_closed);
  for (const std::size_t size : {1u, 7u, 100u}) {
    for (const bool blocks : {false, true}) {
      Scene slow{.to_server = kRequests, .bytes_a_write = size, .blocks_between_writes = blocks};
      play(slow);
      EXPECT_EQ(without_passing_fields(slow.to_client), without_passing_fields(whole.to_client)) << size;
      EXPECT_TRUE(slow.is_closed);
    }
  }
}

TEST(TransportFailure, ClientGoneAtAnyWriteEndsTheConnection) {
  int failing = 1;
  while (true) {
    Scene scene{.to_server = kRequests, .bytes_a_write = 300, .failing_write = failing, .blocks_between_writes = true};
    play(scene);
    EXPECT_TRUE(scene.is_closed);
    if (scene.writes < failing) break;  // It got through without reaching the one that fails.
    EXPECT_EQ(scene.writes, failing);   // Nothing is written after the failure.
    ++failing;
  }
  EXPECT_GT(failing, 10);
}

}  // namespace
}  // namespace optimux::server

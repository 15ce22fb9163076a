// The connection over a network that is slow, or breaks at any of its writes.
#include <string>

#include <gtest/gtest.h>

#include "unit/server/http2_stage.hpp"

namespace optimux::server {
namespace {

/// Several answers of several kinds, with a reset in between.
void play(Http2Stage& stage) {
  stage.backend.set_content(std::string(40'000, 'x'));
  stage.start();
  stage.peer.get("/optimux/assets/a");
  stage.peer.get("/optimux/ping");
  const auto taken_back = stage.peer.get("/optimux/assets/b");
  stage.peer.get("/optimux/assets/a?encoder=json");
  stage.settle();
  if (!stage.response(taken_back).is_ended) stage.peer.reset(taken_back);
  stage.peer.request("HEAD", "/optimux/assets/a");
  stage.settle();
}

TEST(Http2Transport, ShortWritesGiveTheSameAnswers) {
  Http2Stage whole;
  play(whole);
  for (const std::size_t size : {1u, 7u, 100u, 5'000u}) {
    Http2Stage slow;
    slow.wire.bytes_a_write = size;
    play(slow);
    for (const std::int32_t stream : {1, 3, 7, 9}) {
      EXPECT_EQ(slow.response(stream).body, whole.response(stream).body) << size;
      EXPECT_EQ(slow.response(stream).status, 200) << size;
      EXPECT_TRUE(slow.response(stream).is_ended) << size;
    }
    EXPECT_EQ(slow.peer.failure(), "");
  }
}

TEST(Http2Transport, ClientGoneAtAnyWriteEndsTheConnection) {
  int failing = 1;
  while (true) {
    Http2Stage stage;
    stage.wire.bytes_a_write = 10'000;
    stage.wire.failing_write = failing;
    play(stage);
    if (stage.wire.writes < failing) break;  // It got through without reaching the one that fails.
    EXPECT_TRUE(stage.is_closed());
    EXPECT_EQ(stage.wire.writes, failing);  // Nothing is written after the failure.
    EXPECT_EQ(stage.registry.size(), 0u);
    ++failing;
  }
  EXPECT_GT(failing, 10);
}

}  // namespace
}  // namespace optimux::server

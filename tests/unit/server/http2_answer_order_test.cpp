// Which of the answers on a connection go out first, by what they are.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "unit/server/http2_stage.hpp"

namespace optimux::server {
namespace {

constexpr std::string_view kAsset = "/optimux/assets/photo.jpg?sizes=300x0";

TEST(Http2AnswerOrder, WhatIsNoPictureGoesBeforePictures) {
  Http2Stage stage({}, {.initial_window = 1 << 20, .opens_windows = false});
  stage.backend.set_content(std::string(300'000, 'x'));
  stage.wire.is_stuck = true;
  stage.start();
  const auto picture = stage.peer.get(kAsset);
  const auto large = stage.peer.get("/optimux/assets/photo.jpg?encoder=json&sizes=300x0");
  const auto missing = stage.peer.get("/nowhere");
  const auto text = stage.peer.get("/optimux/ping");
  stage.settle();
  stage.unstick();
  stage.peer.open_window(0, 1 << 20);
  stage.settle();
  std::vector<std::int32_t> order;
  for (const auto& frame : stage.peer.data_frames()) {
    if (order.empty() || order.back() != frame.stream) order.push_back(frame.stream);
  }
  EXPECT_EQ(order, (std::vector<std::int32_t>{missing, text, picture, large}));
}

TEST(Http2AnswerOrder, SmallJsonIsNoPictureEither) {
  Http2Stage stage;
  stage.wire.is_stuck = true;
  stage.start();
  const auto picture = stage.peer.get(kAsset);
  const auto json = stage.peer.get("/optimux/assets/photo.jpg?encoder=json&sizes=300x0");
  stage.settle();
  stage.unstick();
  ASSERT_EQ(stage.peer.data_frames().size(), 2u);
  EXPECT_EQ(stage.peer.data_frames().front().stream, json);
  EXPECT_TRUE(stage.response(picture).is_ended);
}

}  // namespace
}  // namespace optimux::server

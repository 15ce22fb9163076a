#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "unit/http/http2_link.hpp"

namespace optimux::http {
namespace {

using base::Phase;

/// Random bodies, windows, priorities and resets: nothing gets lost, doubled or stuck, and nobody waits for ever.
class Http2Random : public testing::TestWithParam<unsigned> {};

TEST_P(Http2Random, EveryBodyArrivesWhole) {
  std::mt19937 random(GetParam());
  const auto up_to = [&random](int most) { return std::uniform_int_distribution<int>(0, most)(random); };
  const auto policy = static_cast<SchedulingPolicy>(up_to(3));
  Http2Link link({}, {.initial_window = static_cast<std::uint32_t>(up_to(3'000)), .opens_windows = up_to(1) == 0},
                 policy);
  link.settle();
  const int count = 1 + up_to(40);
  for (int i = 0; i < count; ++i) {
    link.peer.get("/a", {{"priority", "u=" + std::to_string(up_to(7)) + (up_to(1) == 0 ? ", i" : "")}});
  }
  link.to_server();
  std::map<StreamId, std::string> bodies;
  for (const StreamId stream : link.requests()) {
    std::vector<std::pair<Phase, std::string>> parts;
    for (int phase = 0; phase < 4; ++phase) {
      if (phase < 3 && up_to(2) == 0) continue;
      parts.emplace_back(static_cast<Phase>(phase),
                         std::string(static_cast<std::size_t>(up_to(9'000)), static_cast<char>('a' + up_to(25))));
      bodies[stream] += parts.back().second;
    }
    // A part without bytes that is not the last would be a supply of nothing.
    std::erase_if(parts, [&](const auto& part) { return part.second.empty() && &part != &parts.back(); });
    link.answer_in_phases(stream, parts);
  }
  std::set<StreamId> reset;
  for (int round = 0; round < 20'000 && link.session.open_streams() > 0; ++round) {
    link.produce(1 + static_cast<std::size_t>(up_to(20'000)));
    link.to_client();
    const StreamId stream = 1 + 2 * up_to(count - 1);
    switch (up_to(5)) {
      case 0: link.peer.priority_update(stream, "u=" + std::to_string(up_to(7))); break;
      case 1: link.peer.priority(stream, 220, true); break;
      case 2:
        if (up_to(20) == 0 && !link.peer.response(stream).is_ended && reset.insert(stream).second) {
          link.peer.reset(stream);
        }
        break;
      default:
        link.peer.open_window(0, 1 + up_to(20'000));
        for (StreamId id = 1; id < 2 * count; id += 2) {
          if (!link.peer.response(id).is_ended && !reset.contains(id)) link.peer.open_window(id, 1 + up_to(5'000));
        }
    }
    link.now += std::chrono::milliseconds(100);
    link.to_server();
    ASSERT_FALSE(link.session.is_terminated()) << link.session.goodbye()->reason;
    link.events();
  }
  link.produce();
  link.to_client();
  EXPECT_EQ(link.session.open_streams(), 0u);
  EXPECT_EQ(link.peer.failure(), "");
  for (const auto& [stream, body] : bodies) {
    if (reset.contains(stream)) continue;
    EXPECT_EQ(link.peer.response(stream).body, body) << stream;
    EXPECT_TRUE(link.peer.response(stream).is_ended) << stream;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, Http2Random, testing::Range(1u, 41u));

}  // namespace
}  // namespace optimux::http

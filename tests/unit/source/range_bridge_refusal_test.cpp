// Whom a bridge does not serve, and what they cost.

#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "unit/source/range_bridge_fixture.hpp"

namespace optimux::source {
namespace {

using std::chrono::milliseconds;
using RangeBridgeRefusalTest = RangeBridgeFixture;

TEST_F(RangeBridgeRefusalTest, RefusesWhoHasNoSecretAndEveryOtherUrl) {
  const std::string good = authorization_of(*bridge_);
  const std::string with = "\r\nProxy-Authorization: " + good + "\r\n\r\n";
  std::string wrong = good;
  wrong.back() = wrong.back() == 'A' ? 'B' : 'A';
  const std::vector<std::pair<std::string, std::string>> cases{
      {"407", "GET http://input/media HTTP/1.1\r\n\r\n"},
      {"407", "CONNECT 127.0.0.1:22 HTTP/1.1\r\n\r\n"},
      {"407", "GET http://input/media HTTP/1.1\r\nProxy-Authorization: " + wrong + "\r\n\r\n"},
      {"405", "CONNECT input:80 HTTP/1.1" + with},
      {"403", "GET http://127.0.0.1/ HTTP/1.1" + with},
      {"403", "GET http://input/other HTTP/1.1" + with},
      {"400", request("Range: bytes=0-100,50-200\r\n")},
      {"416", request("Range: bytes=3000000-\r\n")},
      {"400", "\x16\x03\x01\r\n\r\n"}};
  for (const auto& [status, text] : cases) EXPECT_EQ(ask(text).substr(0, 12), "HTTP/1.1 " + status) << text;
  EXPECT_EQ(bridge_->figures().refused, 9u);
  EXPECT_EQ(bridge_->figures().requests, 0u);
  EXPECT_EQ(bridge_->figures().source_reads, 0u);
}

TEST_F(RangeBridgeRefusalTest, RefusesAHeadThatIsTooLarge) {
  EXPECT_EQ(ask("GET http://input/media HTTP/1.1\r\nX: " + std::string(4096, 'x')).substr(0, 12), "HTTP/1.1 431");
  BridgeClient flood = client();
  flood.send(std::string(1 << 20, 'x'));
  flood.read_all();
  EXPECT_NE(flood.end(), "open");
}

TEST_F(RangeBridgeRefusalTest, RefusesWhoComesFromAnotherAddress) {
  BridgeClient stranger(bridge_->port(), "127.0.0.2");
  EXPECT_TRUE(stranger.is_connected());
  stranger.send(request(""));
  EXPECT_EQ(stranger.read_all(), "");
  EXPECT_NE(stranger.end(), "open");
  EXPECT_EQ(bridge_->figures().connections, 0u);
}

TEST_F(RangeBridgeRefusalTest, WhoIsSlowWithItsRequestIsPutOut) {
  RangeBridgeSettings settings;
  settings.head_time = milliseconds(50);
  make(settings);
  BridgeClient silent = client();
  BridgeClient slow = client();
  slow.send("GET http://input/media HTTP/1.1\r\n");
  EXPECT_EQ(silent.read_all(), "");
  EXPECT_EQ(silent.end(), "closed");
  EXPECT_EQ(slow.read_all(), "");
  EXPECT_NE(slow.end(), "open");
  BridgeClient idle = client();
  ASSERT_TRUE(idle.send(request("Range: bytes=0-0\r\n")));
  idle.read_head();
  EXPECT_EQ(idle.read_all().size(), 1u) << "the time counts for the next request too";
  EXPECT_EQ(idle.end(), "closed");
}

TEST_F(RangeBridgeRefusalTest, AThousandConnectionsDoNotKeepTheChildOut) {
  RangeBridgeSettings settings;
  settings.head_time = std::chrono::minutes(1);
  make(settings);
  BridgeClient child = client();
  ASSERT_TRUE(child.send(request("Range: bytes=0-9\r\n")));
  child.read_head();
  EXPECT_EQ(child.read(10).size(), 10u);
  const std::size_t before = count_descriptors();
  {
    std::list<BridgeClient> flood;
    for (int i = 0; i < 1000; ++i) flood.emplace_back(bridge_->port());
    until([this] { return bridge_->figures().connections >= 1001; });
    EXPECT_LE(count_descriptors(), before + 1000 + RangeBridgeSettings{}.max_connections);

    BridgeClient seeking = client();
    ASSERT_TRUE(seeking.send(request("Range: bytes=10-19\r\n")));
    seeking.read_head();
    EXPECT_EQ(seeking.read(10), ManualRangedFile::content(10, 10));
    ASSERT_TRUE(child.send(request("Range: bytes=20-29\r\n")));
    child.read_head();
    EXPECT_EQ(child.read(10), ManualRangedFile::content(20, 10)) << "who has shown the secret keeps its place";
  }
  EXPECT_GE(bridge_->figures().refused, 990u);
}

TEST_F(RangeBridgeRefusalTest, NobodyTakesThePlaceOfWhoHasShownTheSecret) {
  RangeBridgeSettings settings;
  settings.max_connections = 1;
  make(settings);
  BridgeClient child = client();
  ASSERT_TRUE(child.send(request("Range: bytes=0-0\r\n")));
  child.read_head();
  child.read(1);
  EXPECT_EQ(ask(request("")), "");
  ASSERT_TRUE(child.send(request("Range: bytes=7-7\r\n")));
  child.read_head();
  EXPECT_EQ(child.read(1)[0], ManualRangedFile::byte_at(7));
}

TEST_F(RangeBridgeRefusalTest, WithoutDescriptorsConnectionsWaitAndAreServedLater) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const int next = ::dup(STDIN_FILENO);  // The lowest that is free: the client's.
  ::close(next);
  const rlimit one_more{static_cast<rlim_t>(next) + 1, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &one_more), 0);
  BridgeClient child = client();
  ASSERT_TRUE(child.send(request("Range: bytes=5-5\r\n")));
  for (int turn = 0; turn < 3; ++turn) loop_->run([] {});
  EXPECT_EQ(bridge_->figures().connections, 0u);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  child.read_head();
  EXPECT_EQ(child.read(1)[0], ManualRangedFile::byte_at(5));
}

TEST_F(RangeBridgeRefusalTest, ABridgeThatWaitsForDescriptorsLeavesNoTimer) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const int next = ::dup(STDIN_FILENO);
  ::close(next);
  const rlimit one_more{static_cast<rlim_t>(next) + 1, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &one_more), 0);
  BridgeClient child = client();
  for (int turn = 0; turn < 3; ++turn) loop_->run([] {});
  bridge_.reset();
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(child.read_all(), "");
  EXPECT_NE(child.end(), "open");
}

TEST_F(RangeBridgeRefusalTest, WithoutDescriptorsThereIsNoBridge) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none{3, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  const auto refused = RangeBridge::make(std::make_shared<ManualRangedFile>(1), loop_->reactor(), {});
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(outcome_of(refused), "internal");
}

}  // namespace
}  // namespace optimux::source

#include "source/range_bridge.hpp"

#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "unit/source/range_bridge_fixture.hpp"

namespace optimux::source {
namespace {

using RangeBridgeTest = RangeBridgeFixture;

TEST_F(RangeBridgeTest, TheChildIsToldInItsEnvironment) {
  EXPECT_STREQ(RangeBridge::url(), "http://input/media");
  const std::string& environment = bridge_->environment();
  EXPECT_EQ(environment.substr(0, 22), "http_proxy=http://job:");
  EXPECT_EQ(environment.substr(environment.find('@')), "@127.0.0.1:" + std::to_string(bridge_->port()));
  EXPECT_EQ(environment.find('@') - 22, 64u) << "32 bytes of secret";
  const auto another = RangeBridge::make(std::make_shared<ManualRangedFile>(1), loop_->reactor(), {}).value();
  EXPECT_NE(another->environment().substr(22, 64), environment.substr(22, 64));
}

TEST_F(RangeBridgeTest, ServesTheWhole) {
  const std::string answer = ask(request("Connection: close\r\n"));
  const std::size_t body = answer.find("\r\n\r\n") + 4;
  EXPECT_EQ(answer.substr(0, 15), "HTTP/1.1 200 OK");
  EXPECT_EQ(answer.size() - body, kFileBytes);
  EXPECT_TRUE(answer.substr(body) == ManualRangedFile::content(0, kFileBytes));
  EXPECT_EQ(bridge_->figures().sent_bytes, kFileBytes);
  EXPECT_EQ(bridge_->figures().source_bytes, kFileBytes - RangedFile::kHeadBytes) << "the beginning was there";
}

TEST_F(RangeBridgeTest, ServesRangesOneAfterAnotherOnOneConnection) {
  BridgeClient child = client();
  for (const auto& [first, last] :
       {std::pair(2'999'990u, 2'999'999u), std::pair(0u, 9u), std::pair(65'530u, 65'545u)}) {
    ASSERT_TRUE(child.send(request("Range: bytes=" + std::to_string(first) + "-" + std::to_string(last) + "\r\n")));
    EXPECT_EQ(child.read_head().substr(0, 12), "HTTP/1.1 206");
    EXPECT_EQ(child.read(last - first + 1), ManualRangedFile::content(first, last - first + 1));
  }
  EXPECT_EQ(bridge_->figures().connections, 1u);
  EXPECT_EQ(bridge_->figures().requests, 3u);
}

TEST_F(RangeBridgeTest, RequestsThatComeTogetherAreAnsweredInOrder) {
  BridgeClient child = client();
  ASSERT_TRUE(child.send(request("Range: bytes=5-5\r\n") + request("Range: bytes=100000-100000\r\n")));
  child.read_head();
  EXPECT_EQ(child.read(1)[0], ManualRangedFile::byte_at(5));
  child.read_head();
  EXPECT_EQ(child.read(1)[0], ManualRangedFile::byte_at(100'000));
}

TEST_F(RangeBridgeTest, ServesHeadsAlone) {
  const std::string answer =
      ask("HEAD http://input/media HTTP/1.0\r\nProxy-Authorization: " + authorization_of(*bridge_) + "\r\n\r\n");
  EXPECT_NE(answer.find("Content-Length: 3000000\r\n\r\n"), std::string::npos);
  EXPECT_EQ(answer.substr(answer.size() - 4), "\r\n\r\n");
  EXPECT_EQ(bridge_->figures().source_reads, 0u);
}

TEST_F(RangeBridgeTest, AnEmptyFileHasNoBytes) {
  make(std::make_shared<ManualRangedFile>(0));
  const std::string answer = ask(request("Connection: close\r\n"));
  EXPECT_NE(answer.find("Content-Length: 0\r\n\r\n"), std::string::npos);
}

TEST_F(RangeBridgeTest, ReadsLittleForWhoReadsLittle) {
  {
    BridgeClient child = client();
    ASSERT_TRUE(child.send(request("Range: bytes=1000000-\r\n")));
    child.read_head();
    EXPECT_EQ(child.read(1000), ManualRangedFile::content(1'000'000, 1000));
  }
  until([this] { return bridge_->figures().source_bytes > 0; });
  EXPECT_LE(bridge_->figures().source_bytes, 1'100'000u) << "of the two millions that were asked for";
}

TEST_F(RangeBridgeTest, NothingIsReadAheadForWhoMayBeAboutToLookElsewhere) {
  const auto file = std::make_shared<ManualRangedFile>(kFileBytes);
  RangeBridgeSettings settings;
  settings.min_read_bytes = settings.max_read_bytes = 1 << 20;
  make(file, settings);
  BridgeClient child = client();
  ASSERT_TRUE(child.send(request("Range: bytes=1000000-\r\n")));
  child.read_head();
  answer(*file);
  EXPECT_EQ(child.read(1000), ManualRangedFile::content(1'000'000, 1000));
  loop_->run([&] { EXPECT_TRUE(file->reads.empty()); });
}

TEST_F(RangeBridgeTest, WhoGoesOnIsReadAheadForUntilItGoes) {
  const auto file = std::make_shared<ManualRangedFile>(kFileBytes);
  RangeBridgeSettings settings;
  settings.min_read_bytes = 64 << 10;
  make(file, settings);
  {
    BridgeClient child = client();
    ASSERT_TRUE(child.send(request("Range: bytes=1000000-\r\n")));
    child.read_head();
    answer(*file);
    std::uint64_t largest = 0;
    for (std::uint64_t offset = 1'000'000; largest <= 64 << 10; offset += 1000) {
      loop_->run([&] {
        if (!file->reads.empty()) largest = file->reads.front().count;
        if (!file->reads.empty() && largest <= 64 << 10) file->answer();
      });
      EXPECT_EQ(child.read(1000), ManualRangedFile::content(offset, 1000));
    }
  }
  until([&] { return file->reads.front().stop.stop_requested(); });
}

TEST_F(RangeBridgeTest, WhatIsAllInMemoryIsSentInTurns) {
  RangeBridgeSettings settings;
  settings.send_buffer_bytes = 4 << 20;
  make(settings);
  for (int i = 0; i < 2; ++i) {
    BridgeClient child = client();
    ASSERT_TRUE(child.send(request("")));
    child.read_head();
    EXPECT_TRUE(child.read(kFileBytes) == ManualRangedFile::content(0, kFileBytes));
  }
}

TEST_F(RangeBridgeTest, WhatOneConnectionHasReadIsThereForTheNext) {
  for (int i = 0; i < 3; ++i) {
    BridgeClient child = client();
    ASSERT_TRUE(child.send(request("Range: bytes=1000000-1000099\r\n")));
    child.read_head();
    EXPECT_EQ(child.read(100), ManualRangedFile::content(1'000'000, 100));
  }
  EXPECT_EQ(bridge_->figures().source_reads, 1u);
}

TEST_F(RangeBridgeTest, TwoThatWaitForTheSamePartShareOneRead) {
  const auto file = make_manual();
  BridgeClient one = client();
  BridgeClient two = client();
  ASSERT_TRUE(one.send(request("Range: bytes=1000000-1000000\r\n")));
  ASSERT_TRUE(two.send(request("Range: bytes=1000001-1000001\r\n")));
  one.read_head();
  two.read_head();
  answer(*file);
  EXPECT_EQ(one.read(1)[0], ManualRangedFile::byte_at(1'000'000));
  EXPECT_EQ(two.read(1)[0], ManualRangedFile::byte_at(1'000'001));
  EXPECT_EQ(bridge_->figures().source_reads, 1u);
}

TEST_F(RangeBridgeTest, AFailureOfTheSourceCutsTheChildAndIsKept) {
  const auto file = make_manual();
  BridgeClient child = client();
  BridgeClient idle = client();
  ASSERT_TRUE(child.send(request("Range: bytes=1000000-\r\n")));
  EXPECT_EQ(child.read_head().substr(0, 12), "HTTP/1.1 206");
  until([&] { return !file->reads.empty(); });
  EXPECT_FALSE(bridge_->first_error());
  loop_->run([&] { file->fail(base::ErrorCode::kOriginTimeout); });
  EXPECT_EQ(child.read_all(), "");
  EXPECT_EQ(child.end(), "reset") << "and not as if that were all";
  EXPECT_EQ(idle.read_all(), "");
  ASSERT_TRUE(bridge_->first_error());
  EXPECT_EQ(bridge_->first_error()->code, base::ErrorCode::kOriginTimeout);
  EXPECT_EQ(ask(request("Range: bytes=0-0\r\n")), "") << "nothing is served any more";
}

TEST_F(RangeBridgeTest, AReaderThatGoesIsNoFailure) {
  const auto file = make_manual();
  {
    BridgeClient child = client();
    ASSERT_TRUE(child.send(request("Range: bytes=1000000-\r\n")));
    child.read_head();
    until([&] { return !file->reads.empty(); });
  }
  until([&] { return bridge_->figures().connections == 1; });
  loop_->run([&] { file->fail(base::ErrorCode::kCancelled); });
  EXPECT_FALSE(bridge_->first_error());
  EXPECT_EQ(ask(request("Range: bytes=0-0\r\nConnection: close\r\n")).substr(0, 12), "HTTP/1.1 206");
}

TEST_F(RangeBridgeTest, TheEndClosesAllAndStopsReading) {
  const auto file = make_manual();
  BridgeClient waiting = client();
  BridgeClient idle = client();
  ASSERT_TRUE(waiting.send(request("Range: bytes=1000000-\r\n")));
  waiting.read_head();
  until([&] { return !file->reads.empty(); });
  const int port = bridge_->port();
  bridge_.reset();
  EXPECT_EQ(waiting.read_all(), "");
  EXPECT_NE(waiting.end(), "open");
  EXPECT_EQ(idle.read_all(), "");
  loop_->run([&] {
    EXPECT_TRUE(file->reads.front().stop.stop_requested());
    file->answer();
  });
  EXPECT_FALSE(BridgeClient(port).is_connected());
}

TEST_F(RangeBridgeTest, ABridgeMayGoBeforeItsLoopHasSeenIt) {
  loop_->run([this] {
    for (int i = 0; i < 10; ++i) make(std::make_shared<ManualRangedFile>(1));
  });
}

}  // namespace
}  // namespace optimux::source

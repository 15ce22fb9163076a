#include "source/range_bridge.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "source/bytes_ranged_file.hpp"
#include "unit/source/bridge_client.hpp"
#include "unit/source/counting_reactor.hpp"
#include "unit/source/descriptor_leaks.hpp"
#include "unit/source/loop_thread.hpp"
#include "unit/source/manual_ranged_file.hpp"

namespace optimux::source {
namespace {

using std::chrono::milliseconds;

constexpr std::uint64_t kSize = 3'000'000;

class RangeBridgeTest : public WithoutDescriptorLeaks {
 protected:
  RangeBridgeTest()
      : loop_(std::make_unique<LoopThread>()), reactor_(std::make_unique<CountingReactor>(loop_->reactor())) {
    reads_ = std::make_shared<PendingReads>(loop_->reactor());
    make(RangeBridgeSettings{});
  }
  void TearDown() override {
    bridge_.reset();
    loop_->run([this] { reads_->close(); });
    loop_->run([this] {
      EXPECT_EQ(reactor_->watched(), 0u);
      EXPECT_EQ(reactor_->timers(), 0u);
    });
    loop_.reset();
    expect_no_leaks();
  }
  void make(RangeBridgeSettings settings) {
    const std::string text = ManualRangedFile::content(0, kSize);
    make(std::make_shared<BytesRangedFile>(std::make_shared<const base::ByteBuffer>(std::as_bytes(std::span(text))),
                                           SourceFacts{}, reads_),
         settings);
  }
  void make(std::shared_ptr<RangedFile> file, RangeBridgeSettings settings = {}) {
    bridge_ = RangeBridge::make(std::move(file), *reactor_, {}, settings).value();
  }
  /// A bridge whose file answers when the test says so.
  std::shared_ptr<ManualRangedFile> make_manual() {
    auto file = std::make_shared<ManualRangedFile>(kSize);
    make(file);
    return file;
  }
  /// Waits until a read of a manual file waits, and ends it. In the loop's thread, which alone touches the file.
  void answer(ManualRangedFile& file) {
    until([&] { return !file.reads.empty(); });
    loop_->run([&] { file.answer(); });
  }
  /// Waits for what the loop's thread brings about.
  void until(const std::function<bool()>& condition) {
    for (bool is_met = false; !is_met;) loop_->run([&] { is_met = condition(); });
  }
  BridgeClient client() { return BridgeClient(bridge_->port()); }
  /// The answer to a request, body included, on a connection of its own.
  std::string ask(const std::string& request) {
    BridgeClient asker = client();
    EXPECT_TRUE(asker.send(request));
    return asker.read_all();
  }
  std::string request(std::string_view fields) { return child_request(*bridge_, fields); }

  std::unique_ptr<LoopThread> loop_;
  std::unique_ptr<CountingReactor> reactor_;  ///< The bridge's.
  std::shared_ptr<PendingReads> reads_;
  std::unique_ptr<RangeBridge> bridge_;
};

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
  EXPECT_EQ(answer.size() - body, kSize);
  EXPECT_TRUE(answer.substr(body) == ManualRangedFile::content(0, kSize));
  EXPECT_EQ(bridge_->figures().sent_bytes, kSize);
  EXPECT_EQ(bridge_->figures().source_bytes, kSize - RangedFile::kHeadBytes) << "the beginning was there";
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

TEST_F(RangeBridgeTest, RefusesWhoHasNoSecretAndEveryOtherUrl) {
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

TEST_F(RangeBridgeTest, RefusesAHeadThatIsTooLarge) {
  EXPECT_EQ(ask("GET http://input/media HTTP/1.1\r\nX: " + std::string(4096, 'x')).substr(0, 12), "HTTP/1.1 431");
  BridgeClient flood = client();
  flood.send(std::string(1 << 20, 'x'));
  flood.read_all();
  EXPECT_NE(flood.end(), "open");
}

TEST_F(RangeBridgeTest, RefusesWhoComesFromAnotherAddress) {
  BridgeClient stranger(bridge_->port(), "127.0.0.2");
  EXPECT_TRUE(stranger.is_connected());
  stranger.send(request(""));
  EXPECT_EQ(stranger.read_all(), "");
  EXPECT_NE(stranger.end(), "open");
  EXPECT_EQ(bridge_->figures().connections, 0u);
}

TEST_F(RangeBridgeTest, WhoIsSlowWithItsRequestIsPutOut) {
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

TEST_F(RangeBridgeTest, AThousandConnectionsDoNotKeepTheChildOut) {
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

TEST_F(RangeBridgeTest, NobodyTakesThePlaceOfWhoHasShownTheSecret) {
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

TEST_F(RangeBridgeTest, WithoutDescriptorsConnectionsWaitAndAreServedLater) {
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

TEST_F(RangeBridgeTest, ABridgeThatWaitsForDescriptorsLeavesNoTimer) {
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

TEST_F(RangeBridgeTest, WithoutDescriptorsThereIsNoBridge) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none{3, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  const auto refused = RangeBridge::make(std::make_shared<ManualRangedFile>(1), loop_->reactor(), {});
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(outcome_of(refused), "internal");
}

TEST_F(RangeBridgeTest, ABridgeMayGoBeforeItsLoopHasSeenIt) {
  loop_->run([this] {
    for (int i = 0; i < 10; ++i) make(std::make_shared<ManualRangedFile>(1));
  });
}

}  // namespace
}  // namespace optimux::source

// The bridge to a child process runs on the server's loop as on any other one.

#include <algorithm>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "server/event_loop.hpp"
#include "source/bytes_ranged_file.hpp"
#include "source/range_bridge.hpp"
#include "unit/source/bridge_client.hpp"
#include "unit/source/descriptor_leaks.hpp"

namespace optimux::server {
namespace {

using source::BridgeClient;
using source::RangeBridge;

class EventLoopBridgeTest : public source::WithoutDescriptorLeaks {
 protected:
  EventLoopBridgeTest() {
    for (std::size_t i = 0; i < content_.size(); ++i) content_[i] = static_cast<char>('a' + i * 31 % 23);
    const auto bytes = std::make_shared<const base::ByteBuffer>(std::as_bytes(std::span(content_)));
    const auto file = std::make_shared<source::BytesRangedFile>(bytes, source::SourceFacts{}, reads_);
    bridge_ = RangeBridge::make(file, loop_->reactor(), {}).value();
    thread_ = std::thread([this] { loop_->run(); });
  }
  void TearDown() override {
    bridge_.reset();
    run([this] { reads_->close(); });
    loop_->stop();
    thread_.join();
    reads_.reset();
    loop_.reset();
    expect_no_leaks();
  }
  void run(const std::function<void()>& task) {
    std::promise<void> done;
    loop_->post([&] {
      task();
      done.set_value();
    });
    done.get_future().wait();
  }

  std::string content_ = std::string(3'000'000, '\0');
  std::unique_ptr<EventLoop> loop_ = std::make_unique<EventLoop>();
  std::shared_ptr<source::PendingReads> reads_ = std::make_shared<source::PendingReads>(loop_->reactor());
  std::unique_ptr<RangeBridge> bridge_;
  std::thread thread_;
};

TEST_F(EventLoopBridgeTest, ServesWholesAndRanges) {
  BridgeClient child(bridge_->port());
  ASSERT_TRUE(child.send(child_request(*bridge_, "Range: bytes=2000000-2000099\r\n")));
  child.read_head();
  EXPECT_EQ(child.read(100), content_.substr(2'000'000, 100));
  ASSERT_TRUE(child.send(child_request(*bridge_)));
  child.read_head();
  EXPECT_TRUE(child.read(content_.size()) == content_);
  EXPECT_EQ(child.end(), "open");
}

TEST_F(EventLoopBridgeTest, SeekingChildrenComeAndGo) {
  for (std::size_t first = 0; first < content_.size(); first += 250'000) {
    BridgeClient child(bridge_->port());
    ASSERT_TRUE(child.send(child_request(*bridge_, "Range: bytes=" + std::to_string(first) + "-\r\n")));
    child.read_head();
    EXPECT_EQ(child.read(1000), content_.substr(first, 1000)) << "and leaves the rest";
  }
  EXPECT_FALSE(bridge_->first_error());
}

TEST_F(EventLoopBridgeTest, TheEndClosesAllConnections) {
  BridgeClient idle(bridge_->port());
  BridgeClient busy(bridge_->port());
  ASSERT_TRUE(busy.send(child_request(*bridge_)));
  busy.read_head();
  bridge_.reset();
  busy.read_all();
  EXPECT_NE(busy.end(), "open");
  EXPECT_EQ(idle.read_all(), "");
  EXPECT_NE(idle.end(), "open");
}

}  // namespace
}  // namespace optimux::server

#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "source/bytes_ranged_file.hpp"
#include "source/range_bridge.hpp"
#include "unit/source/bridge_client.hpp"
#include "unit/source/counting_reactor.hpp"
#include "unit/source/descriptor_leaks.hpp"
#include "unit/source/loop_thread.hpp"
#include "unit/source/manual_ranged_file.hpp"

namespace optimux::source {

/// A bridge on a loop of its own. At the end no descriptor, watch or timer is left.
class RangeBridgeFixture : public WithoutDescriptorLeaks {
 protected:
  static constexpr std::uint64_t kFileBytes = 3'000'000;

  RangeBridgeFixture()
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
    const std::string text = ManualRangedFile::content(0, kFileBytes);
    make(std::make_shared<BytesRangedFile>(std::make_shared<const base::ByteBuffer>(std::as_bytes(std::span(text))),
                                           SourceFacts{}, reads_),
         settings);
  }
  void make(std::shared_ptr<RangedFile> file, RangeBridgeSettings settings = {}) {
    bridge_ = RangeBridge::make(std::move(file), *reactor_, {}, settings).value();
  }
  /// A bridge whose file answers when the test says so.
  std::shared_ptr<ManualRangedFile> make_manual() {
    auto file = std::make_shared<ManualRangedFile>(kFileBytes);
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

}  // namespace optimux::source

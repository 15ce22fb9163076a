#include "source/curl_multi.hpp"

#include <memory>

#include <gtest/gtest.h>

#include "unit/source/manual_reactor.hpp"

namespace optimux::source {
namespace {

class CurlMultiTest : public ::testing::Test {
 protected:
  CurlMulti::Done count() {
    return [this](CURLcode) { ++ends_; };
  }

  ManualReactor reactor_;
  std::unique_ptr<CurlMulti> multi_ = CurlMulti::make(reactor_, ConnectionLimits{}).value();
  CurlEasy easy_{curl_easy_init()};
  int ends_ = 0;
};

TEST_F(CurlMultiTest, ReportsTheEndOfATransferFromTheLoopAlone) {
  ASSERT_EQ(curl_easy_setopt(easy_.get(), CURLOPT_URL, "unknown://host/"), CURLE_OK);
  ASSERT_TRUE(multi_->add(easy_.get(), count()));
  EXPECT_EQ(ends_, 0);
  reactor_.fire_timers();
  EXPECT_EQ(ends_, 1);
  multi_->remove(easy_.get());
  reactor_.fire_timers();
  EXPECT_EQ(ends_, 1);
}

TEST_F(CurlMultiTest, ARemovedTransferIsNotReported) {
  ASSERT_EQ(curl_easy_setopt(easy_.get(), CURLOPT_URL, "unknown://host/"), CURLE_OK);
  ASSERT_TRUE(multi_->add(easy_.get(), count()));
  multi_->remove(easy_.get());
  multi_->nudge(easy_.get());
  reactor_.fire_timers();
  EXPECT_EQ(ends_, 0);
}

TEST_F(CurlMultiTest, ATransferThatRunsElsewhereIsRefused) {
  const auto other = CurlMulti::make(reactor_, ConnectionLimits{}).value();
  ASSERT_TRUE(other->add(easy_.get(), count()));
  const auto added = multi_->add(easy_.get(), count());
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().code, base::ErrorCode::kInternal);
  multi_->remove(easy_.get());  // Not ours: nothing happens.
  other->remove(easy_.get());
  EXPECT_EQ(ends_, 0);
}

TEST_F(CurlMultiTest, TheEndReleasesTheTimer) {
  ASSERT_TRUE(multi_->add(easy_.get(), count()));
  multi_->remove(easy_.get());
  multi_.reset();
  EXPECT_EQ(reactor_.timer_count(), 0u);
}

}  // namespace
}  // namespace optimux::source

#include "server/rendition_answer.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "unit/server/fake_backend.hpp"
#include "unit/server/recording_log.hpp"

namespace optimux::server {
namespace {

using base::Phase;
using Cut = Answer::Cut;
using State = Answer::Window::State;

/// An answer to a rendition that the test makes by hand.
class RenditionAnswerTest : public testing::Test {
 protected:
  void SetUp() override {
    rendition_->set_facts(sample_facts());
    context_.settings = state_.settings;
  }

  base::SharedBody& body() { return *rendition_->body(); }

  /// Once the body has its first bytes.
  Answer& answer(const std::string& range = {}) {
    if (!answer_) {
      if (!range.empty()) request_.headers.add("Range", range);
      std::vector<service::OpenedRendition> opened;
      opened.push_back({rendition_, rendition_->body()->attach()});
      answer_ = std::make_unique<RenditionAnswer>(state_, request_, context_, std::move(opened), RenditionExtras{});
      EXPECT_EQ(answer_->take_head()->status, range.empty() ? 200 : 206);
    }
    return *answer_;
  }

  /// `phase:bytes:m` for each window, with `l` for the last one, as who sends them would see them.
  std::string windows(Cut cut, std::size_t max_pieces = 64) {
    std::string seen;
    for (bool is_last = false; !is_last;) {
      const Answer::Window window = answer().window(max_pieces, cut);
      std::size_t bytes = 0;
      for (const auto& piece : window.pieces) bytes += piece.size();
      is_last = window.state == State::kLast;
      if (bytes == 0 && !is_last) break;
      seen += std::to_string(static_cast<int>(window.phase)) + ':' + std::to_string(bytes) + (is_last ? "l " : "m ");
      answer().consume(bytes);
    }
    return seen;
  }

 private:
  EventLoop loop_;
  FakeBackend backend_;
  RecordingLog log_;
  ServerState state_{loop_, ServerSettings{}, backend_, log_};
  http::Request request_ = [] {
    http::Request request;
    request.method = "GET";
    return request;
  }();
  RequestContext context_;
  std::shared_ptr<service::Rendition> rendition_ = std::make_shared<service::Rendition>("key");
  std::unique_ptr<RenditionAnswer> answer_;
};

TEST_F(RenditionAnswerTest, WindowsEndWherePhasesEnd) {
  body().start({.has_phases = true});
  body().end_phase(Phase::kHead, 600);
  body().end_phase(Phase::kFirst, 20'000);
  body().end_phase(Phase::kGood, 80'000);
  append(body(), std::string(150'000, 'x'));
  body().complete();
  EXPECT_EQ(windows(Cut::kPhase), "0:600m 1:19400m 2:60000m 3:70000l ");
}

TEST_F(RenditionAnswerTest, WindowsAreWholeForThoseWhoDoNotCare) {
  body().start({.has_phases = true});
  body().end_phase(Phase::kHead, 600);
  append(body(), std::string(150'000, 'x'));
  body().complete();
  EXPECT_EQ(windows(Cut::kNowhere), "0:150000l ");
}

TEST_F(RenditionAnswerTest, WindowsGrowWithTheBody) {
  body().start({.has_phases = true});
  append(body(), std::string(100, 'x'));
  EXPECT_EQ(windows(Cut::kPhase), "0:100m ");
  body().end_phase(Phase::kHead, 150);
  append(body(), std::string(100, 'x'));
  EXPECT_EQ(windows(Cut::kPhase), "0:50m 1:50m ");
  body().end_phase(Phase::kGood, 200);
  append(body(), std::string(1, 'x'));
  body().complete();
  EXPECT_EQ(windows(Cut::kPhase), "3:1l ");
}

TEST_F(RenditionAnswerTest, FewPiecesEndBeforeThePhase) {
  body().start({.has_phases = true});
  body().end_phase(Phase::kHead, 90'000);
  append(body(), std::string(100'000, 'x'));
  body().complete();
  const Answer::Window window = answer().window(1, Cut::kPhase);
  ASSERT_EQ(window.pieces.size(), 1u);
  EXPECT_LT(window.pieces[0].size(), 90'000u);
  EXPECT_EQ(window.state, State::kMore);
}

TEST_F(RenditionAnswerTest, WithoutPhasesItIsAllTheRest) {
  body().start({});
  append(body(), "picture");
  body().complete();
  EXPECT_EQ(windows(Cut::kPhase), "3:7l ");
}

TEST_F(RenditionAnswerTest, APartKeepsThePhasesOfItsBytes) {
  body().start({.has_phases = true});
  body().end_phase(Phase::kHead, 600);
  body().end_phase(Phase::kGood, 80'000);
  append(body(), std::string(150'000, 'x'));
  body().complete();
  answer("bytes=500-79999");
  EXPECT_EQ(windows(Cut::kPhase), "0:100m 1:79400l ");
}

TEST_F(RenditionAnswerTest, APartIsCutFromAnyPlace) {
  std::string bytes;
  for (int i = 0; i < 40'000; ++i) bytes += std::to_string(i) + ' ';
  body().start({});
  append(body(), bytes);
  body().complete();
  Answer& part = answer("bytes=100001-170002");
  std::string sent;
  for (bool is_last = false; !is_last;) {
    const Answer::Window window = part.window(1, Cut::kNowhere);
    for (const auto& piece : window.pieces) {
      sent.append(reinterpret_cast<const char*>(piece.data()), piece.size());
      part.consume(piece.size());
    }
    is_last = window.state == State::kLast;
  }
  EXPECT_EQ(sent, bytes.substr(100'001, 70'002));
}

TEST_F(RenditionAnswerTest, AFailureLeavesNoPieces) {
  body().start({.has_phases = true});
  append(body(), "pic");
  EXPECT_EQ(windows(Cut::kPhase), "0:3m ");
  body().fail({});
  const Answer::Window window = answer().window(16, Cut::kPhase);
  EXPECT_EQ(window.state, State::kFailed);
  EXPECT_TRUE(window.pieces.empty());
}

}  // namespace
}  // namespace optimux::server

#include "server/problem_answer.hpp"

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "unit/server/fake_backend.hpp"
#include "unit/server/recording_log.hpp"

namespace optimux::server {
namespace {

struct Told {
  http::ResponseHead head;
  std::string body;
};

Told tell(const base::Error& error, const ServerSettings& settings = {}) {
  EventLoop loop;
  FakeBackend backend;
  RecordingLog log;
  const ServerState state(loop, settings, backend, log);
  RequestContext context;
  context.id = "id-7";
  context.settings = state.settings;
  const auto answer = problem_answer(state, context, error);
  Told told{*answer->take_head(), {}};
  for (const auto& piece : answer->window(16, Answer::Cut::kPhase).pieces)
    told.body.append(reinterpret_cast<const char*>(piece.data()), piece.size());
  EXPECT_EQ(answer->report().error->cause, error.cause);
  return told;
}

TEST(ProblemAnswer, EveryCodeIsToldAndNoCauseIs) {
  for (int code = 0; code <= static_cast<int>(base::ErrorCode::kShuttingDown); ++code) {
    const auto told = tell({static_cast<base::ErrorCode>(code), "detail-of-it", "secret cause"});
    EXPECT_GE(told.head.status, 400);
    EXPECT_NE(told.head.status, 499);
    EXPECT_EQ(told.head.headers.find("Content-Type"), "application/problem+json");
    EXPECT_EQ(told.head.headers.has("Retry-After"), told.head.status == 503);
    EXPECT_EQ(told.head.content_length, told.body.size());
    EXPECT_EQ(told.body.find("secret"), std::string::npos);
    EXPECT_NE(told.body.find("\"request_id\":\"id-7\""), std::string::npos);
    EXPECT_NE(told.body.find("\"status\":" + std::to_string(told.head.status)), std::string::npos);
    const bool may_be_kept = told.head.status == 404 || told.head.status == 422;
    EXPECT_EQ(told.head.headers.find("Cache-Control"), may_be_kept ? "public, max-age=60" : "no-store");
  }
}

TEST(ProblemAnswer, UniformErrorsKeepTheirOwnWords) {
  EXPECT_EQ(tell({base::ErrorCode::kForbiddenSource, "detail-of-it", ""}).body.find("detail-of-it"), std::string::npos);
  EXPECT_EQ(tell({base::ErrorCode::kInternal, "detail-of-it", ""}).body.find("detail-of-it"), std::string::npos);
  EXPECT_NE(tell({base::ErrorCode::kNotFound, "detail-of-it", ""}).body.find("detail-of-it"), std::string::npos);
}

TEST(ProblemAnswer, ErrorsAreNotKeptWithoutATime) {
  ServerSettings settings;
  settings.error_cache_ttl = {};
  EXPECT_EQ(tell({base::ErrorCode::kNotFound, "", ""}, settings).head.headers.find("Cache-Control"), "no-store");
}

}  // namespace
}  // namespace optimux::server

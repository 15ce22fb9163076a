#include "server/error_status.hpp"

#include <map>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "http/message.hpp"

namespace optimux::server {
namespace {

using base::ErrorCode;

TEST(ErrorStatus, EveryCodeHasItsStatus) {
  const std::map<ErrorCode, int> expected = {
      {ErrorCode::kInvalidParameter, 400}, {ErrorCode::kInvalidUrl, 400},          {ErrorCode::kForbiddenSource, 403},
      {ErrorCode::kNotFound, 404},         {ErrorCode::kMethodNotAllowed, 405},    {ErrorCode::kNotAcceptable, 406},
      {ErrorCode::kSourceTooLarge, 413},   {ErrorCode::kUriTooLong, 414},          {ErrorCode::kHeadersTooLarge, 431},
      {ErrorCode::kBodyTooLarge, 413},     {ErrorCode::kMalformedRequest, 400},    {ErrorCode::kUnsupportedMedia, 415},
      {ErrorCode::kVideoSource, 415},      {ErrorCode::kRangeNotSatisfiable, 416}, {ErrorCode::kBrokenMedia, 422},
      {ErrorCode::kLimitExceeded, 422},    {ErrorCode::kTooManyRequests, 429},     {ErrorCode::kCancelled, 499},
      {ErrorCode::kInternal, 500},         {ErrorCode::kOriginFailed, 502},        {ErrorCode::kOriginTimeout, 504},
      {ErrorCode::kDeadlineExceeded, 504}, {ErrorCode::kOverloaded, 503},          {ErrorCode::kShuttingDown, 503}};
  ASSERT_EQ(expected.size(), static_cast<std::size_t>(ErrorCode::kShuttingDown) + 1);
  std::set<std::string_view> types;
  for (const auto& [code, status] : expected) {
    const ErrorStatus& row = error_status(code);
    EXPECT_EQ(row.status, status) << base::name_of(code);
    EXPECT_FALSE(row.title.empty());
    EXPECT_FALSE(row.detail.empty());
    EXPECT_FALSE(http::reason_phrase(status).empty());
    EXPECT_TRUE(types.insert(row.type).second) << row.type;
    std::string slug = "/errors/" + std::string(base::name_of(code));
    for (char& c : slug) c = c == '_' ? '-' : c;
    EXPECT_EQ(row.type, slug);
  }
}

TEST(ErrorStatus, DetailsArePhrasesWithoutACapitalAndAFullStop) {
  for (int code = 0; code <= static_cast<int>(ErrorCode::kShuttingDown); ++code) {
    const std::string detail(error_status(static_cast<ErrorCode>(code)).detail);
    EXPECT_TRUE(detail.front() >= 'a' && detail.front() <= 'z') << detail;
    EXPECT_NE(detail.back(), '.') << detail;
  }
}

TEST(ErrorStatus, WhatCouldTellTooMuchIsUniform) {
  EXPECT_TRUE(error_status(ErrorCode::kForbiddenSource).is_uniform);
  EXPECT_TRUE(error_status(ErrorCode::kInternal).is_uniform);
  EXPECT_FALSE(error_status(ErrorCode::kInvalidParameter).is_uniform);
}

}  // namespace
}  // namespace optimux::server

#include "http/message.hpp"

#include <gtest/gtest.h>

namespace optimux::http {
namespace {

TEST(Message, PhrasesOfStatuses) {
  EXPECT_EQ(reason_phrase(200), "OK");
  EXPECT_EQ(reason_phrase(503), "Service Unavailable");
  EXPECT_EQ(reason_phrase(299), "");
}

TEST(Message, WhichStatusesHaveABody) {
  for (const int status : {100, 204, 304}) EXPECT_FALSE(status_has_body(status)) << status;
  for (const int status : {200, 404, 503}) EXPECT_TRUE(status_has_body(status)) << status;
}

}  // namespace
}  // namespace optimux::http

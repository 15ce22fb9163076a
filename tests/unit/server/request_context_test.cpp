#include "server/request_context.hpp"

#include <string>

#include <gtest/gtest.h>

namespace optimux::server {
namespace {

TEST(RequestContext, SaneIdsAreKept) {
  for (const std::string& id : {std::string("a"), std::string("A-b_c.9"), std::string(64, 'x')}) {
    EXPECT_EQ(choose_request_id(id), id);
  }
}

TEST(RequestContext, OthersAreReplaced) {
  for (const std::string& id : {std::string(), std::string("a b"), std::string("a\r\n"), std::string("\xc3\xa4"),
                                std::string(65, 'x'), std::string("<script>")}) {
    const std::string chosen = choose_request_id(id);
    EXPECT_EQ(chosen.size(), 16u);
    EXPECT_EQ(chosen.find_first_not_of("0123456789abcdef"), std::string::npos);
  }
  EXPECT_NE(choose_request_id(""), choose_request_id(""));
}

}  // namespace
}  // namespace optimux::server

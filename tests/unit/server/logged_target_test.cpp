#include "server/logged_target.hpp"

#include <string>

#include <gtest/gtest.h>

namespace optimux::server {
namespace {

std::string shown(std::string_view target) {
  return logged_target(target, 1'000);
}

TEST(LoggedTarget, IsTheTargetAsSent) {
  for (const auto* const target :
       {"/", "/optimux/assets/a%3Fb?sizes=1x0&format=webp", "/resize?image_url=http%3A%2F%2Fh%2Fp.jpg&sizes=1", "*",
        "/resize?&sizes=1&&a", "/resize?image_url", "/resize?other=http://h/a?b=c"}) {
    EXPECT_EQ(shown(target), target);
  }
  EXPECT_EQ(logged_target("/0123456789?a", 5), "/0123");
  EXPECT_EQ(logged_target("/0?abc", 5), "/0?ab");
}

TEST(LoggedTarget, HidesTheQueryOfTheSource) {
  EXPECT_EQ(shown("/resize?image_url=http%3A%2F%2Fh%2Fp.jpg%3Ftoken%3DSECRET&sizes=1"),
            "/resize?image_url=http%3A%2F%2Fh%2Fp.jpg?…&sizes=1");
  EXPECT_EQ(shown("/info?sizes=1&image%5Furl=http://h/p%3ftoken=SECRET"), "/info?sizes=1&image%5Furl=http://h/p?…");
}

TEST(LoggedTarget, HidesWhatMayBelongToAQueryThatIsNotEncoded) {
  EXPECT_EQ(shown("/resize?sizes=1&image_url=http://h/p.jpg?token=SECRET&signature=SECRET"),
            "/resize?sizes=1&image_url=http://h/p.jpg?…");
  EXPECT_EQ(shown("/resize?image_url=http://h/%3Fa?token=SECRET&b"), "/resize?image_url=http://h/?…");
}

}  // namespace
}  // namespace optimux::server

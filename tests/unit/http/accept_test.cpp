#include "http/accept.hpp"

#include <gtest/gtest.h>

namespace optimux::http {
namespace {

TEST(Accept, NothingSaidAcceptsEverything) {
  EXPECT_EQ(Accept("").quality("image/webp"), 1000);
  EXPECT_EQ(Accept("").named_quality("image/webp"), 0);
}

TEST(Accept, TheMostSpecificPartDecides) {
  const Accept accept("image/*;q=0.5, image/webp;q=0.25, */*;q=0.1, IMAGE/PNG");
  EXPECT_EQ(accept.quality("image/webp"), 250);
  EXPECT_EQ(accept.quality("image/jpeg"), 500);
  EXPECT_EQ(accept.quality("image/png"), 1000);
  EXPECT_EQ(accept.quality("text/html"), 100);
}

TEST(Accept, ZeroIsARefusal) {
  const Accept accept("*/*, image/webp;q=0");
  EXPECT_EQ(accept.quality("image/webp"), 0);
  EXPECT_EQ(accept.quality("image/png"), 1000);
  EXPECT_EQ(Accept("text/html").quality("image/png"), 0);
}

TEST(Accept, OnlyNamedTypesAreNamed) {
  const Accept accept("image/avif;q=0.8,image/*");
  EXPECT_EQ(accept.named_quality("image/avif"), 800);
  EXPECT_EQ(accept.named_quality("image/webp"), 0);
}

TEST(Accept, QualitiesHaveUpToThreeDecimals) {
  EXPECT_EQ(Accept("a/b;q=0.123").quality("a/b"), 123);
  EXPECT_EQ(Accept("a/b;q=1.000").quality("a/b"), 1000);
  EXPECT_EQ(Accept("a/b;q=0.").quality("a/b"), 0);
  EXPECT_EQ(Accept("a/b;level=1;Q=0.7").quality("a/b"), 700);
}

TEST(Accept, PartsThatCannotBeReadAreIgnored) {
  for (const auto* const bad :
       {"a/b;q=2", "a/b;q=1.001", "a/b;q=0.1234", "a/b;q=x", "a/b;q=", "*/b", "ab", "a b/c", "/"}) {
    EXPECT_EQ(Accept(std::string("x/y;q=0.5,") + bad).quality("a/b"), 0) << bad;
  }
}

}  // namespace
}  // namespace optimux::http

#include "http/link.hpp"

#include <gtest/gtest.h>

namespace optimux::http {
namespace {

TEST(Link, NamesAnImage) {
  EXPECT_EQ(preload_link("/resize?image_url=http%3A//h/a&sizes=300x0"),
            "</resize?image_url=http%3A//h/a&sizes=300x0>; rel=preload; as=image");
}

TEST(Link, NothingGetsOutOfTheBrackets) {
  EXPECT_EQ(preload_link("/a>; rel=evil, <b\r\nX: \xc3\xa9\""),
            "</a%3E;%20rel=evil,%20%3Cb%0D%0AX:%20%C3%A9%22>; rel=preload; as=image");
}

}  // namespace
}  // namespace optimux::http

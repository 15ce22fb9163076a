#include "source/host_name.hpp"

#include <string>

#include <gtest/gtest.h>

namespace optimux::source {
namespace {

TEST(HostName, TheDotOfTheRootIsTakenOffOnce) {
  EXPECT_EQ(without_final_dot("example.org."), "example.org");
  EXPECT_EQ(without_final_dot("example.org"), "example.org");
  EXPECT_EQ(without_final_dot("a.."), "a.");
  EXPECT_EQ(without_final_dot(""), "");
}

TEST(HostName, IsNoAddressAndNothingElse) {
  for (const char* name : {"localhost", "a.b-c.d_e", "xn--bcher-kva.example", "1.2.3.x", "1a"}) {
    EXPECT_TRUE(is_host_name(name)) << name;
  }
  for (const char* name :
       {"", ".", "a..b", "1", "1.2.3.4", "0x7f", "a.0x7f", "A", "a b", "a/b", "a:1", "*.a", "[::1]"}) {
    EXPECT_FALSE(is_host_name(name)) << name;
  }
  EXPECT_FALSE(is_host_name(std::string(254, 'a')));
}

}  // namespace
}  // namespace optimux::source

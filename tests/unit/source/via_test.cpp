#include "source/via.hpp"

#include <string>

#include <gtest/gtest.h>

namespace optimux::source {
namespace {

TEST(Via, PseudonymIsOneForTheProcess) {
  EXPECT_EQ(via_pseudonym(), via_pseudonym());
  EXPECT_EQ(via_pseudonym().find_first_not_of("0123456789abcdef", 8), std::string::npos);
  EXPECT_EQ(via_pseudonym().substr(0, 8), "optimux-");
  EXPECT_EQ(via_pseudonym().size(), 16u);
}

TEST(Via, FindsThisProcessWhereverItStands) {
  const std::string& self = via_pseudonym();
  for (const std::string& via : {"1.1 " + self, "1.0 fred, 1.1 " + self + " (optimux), HTTP/2 p.example.net",
                                 " 1.1 \t" + self + "\t", "1.1 OPTIMUX" + self.substr(7), "1.1 a,,1.1 " + self}) {
    EXPECT_EQ(hops_of(via), std::nullopt) << via;
  }
}

TEST(Via, OthersAreNotThisProcess) {
  const std::string& self = via_pseudonym();
  for (const std::string& via :
       {std::string(), std::string("1.1"), std::string("1.1 optimux"), std::string(", ,"), self, "1.1 " + self + "0",
        "1.1 x" + self, "1.1 a (" + self + ")", "1.1 " + self.substr(0, 15)}) {
    EXPECT_EQ(hops_of(via), "") << via;
  }
}

TEST(Via, OnlyProcessesOfThisProductArePassedOn) {
  EXPECT_EQ(hops_of("1.1 optimux-00000001, 1.1 internal-cache, HTTP/2 optimux-0000000A (x)"),
            "1.1 optimux-00000001, 1.1 optimux-0000000A");
  EXPECT_EQ(via_field(""), "1.1 " + via_pseudonym());
  EXPECT_EQ(via_field("1.1 optimux-00000001"), "1.1 optimux-00000001, 1.1 " + via_pseudonym());
}

TEST(Via, ManyProcessesAreALoopToo) {
  std::string via = "1.1 optimux-00000000";
  for (std::size_t hops = 1; hops < kMaxHops; ++hops) via += ", 1.1 optimux-0000000" + std::to_string(hops);
  EXPECT_EQ(hops_of(via), via);
  EXPECT_EQ(hops_of(via + ", 1.1 optimux-ffffffff"), std::nullopt);
}

}  // namespace
}  // namespace optimux::source

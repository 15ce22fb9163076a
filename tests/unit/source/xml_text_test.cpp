#include "source/xml_text.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace optimux::source {
namespace {

TEST(XmlTextTest, FindsTheFirstElementOfAName) {
  EXPECT_EQ(xml_text("<a><b>one</b><b>two</b></a>", "b"), "one");
  EXPECT_EQ(xml_text("<a/>", "b"), "");
  EXPECT_EQ(xml_text("<b>cut off", "b"), "");
  EXPECT_EQ(xml_text("", "b"), "");
}

TEST(XmlTextTest, FindsAllElementsOfAName) {
  EXPECT_EQ(xml_texts("<a><b>1</b><c/><b>&amp;</b></a><b>cut", "b"), std::vector<std::string>({"1", "&"}));
  EXPECT_TRUE(xml_texts("<a/>", "b").empty());
}

TEST(XmlTextTest, DecodesEntitiesOnce) {
  EXPECT_EQ(xml_text("<b>&lt;&amp;lt;&gt;&quot;&apos;&unknown;&</b>", "b"), "<&lt;>\"'&unknown;&");
}

}  // namespace
}  // namespace optimux::source

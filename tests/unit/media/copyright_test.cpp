#include "media/copyright.hpp"

#include <gtest/gtest.h>

#include <string>

namespace optimux::media {
namespace {

std::string xmp(const std::string& rights) {
  return "<rdf:Description><dc:rights><rdf:Alt>" + rights + "</rdf:Alt></dc:rights></rdf:Description>";
}

std::string record(char dataset, const std::string& value) {
  return std::string("\x1c\x02", 2) + dataset + static_cast<char>(value.size() >> 8U) +
         static_cast<char>(value.size()) + value;
}

TEST(RightsOfXmp, AreTheFirstLanguages) {
  EXPECT_EQ(rights_of_xmp(xmp("<rdf:li xml:lang=\"x-default\">(c) Ada &amp; Co</rdf:li><rdf:li>other</rdf:li>")),
            "(c) Ada &amp; Co");
  EXPECT_EQ(rights_of_xmp(xmp("<rdf:li>&#169; Ada</rdf:li>")), "&#169; Ada");
}

TEST(RightsOfXmp, AreNoneWhereThereIsMoreThanText) {
  for (const char* item : {"", "<rdf:li", "<rdf:li>x", "<rdf:li><b>x</b></rdf:li>", "<rdf:li>&entity;</rdf:li>",
                           "<rdf:li>\x01</rdf:li>", "<rdf:li>\xff</rdf:li>"}) {
    EXPECT_EQ(rights_of_xmp(xmp(item)), "") << item;
  }
  EXPECT_EQ(rights_of_xmp(""), "");
  EXPECT_EQ(rights_of_xmp("<dc:rights><rdf:li>x</rdf:li>"), "");
  EXPECT_EQ(rights_of_xmp(xmp("<rdf:li>" + std::string(2000, 'x') + "</rdf:li>")).size(), 2000U);
  EXPECT_EQ(rights_of_xmp(xmp("<rdf:li>" + std::string(2001, 'x') + "</rdf:li>")), "");
}

TEST(RightsOfIptc, AreFoundBareAndInPhotoshopsResources) {
  const std::string records = record(5, "title") + record(116, "(c) Ada <ada@x>");
  const std::string expected = "(c) Ada &lt;ada@x&gt;";
  EXPECT_EQ(rights_of_iptc(records), expected);
  const std::string other("8BIM\x03\xed\0\0\0\0\0\x03xyz\0", 16);
  const std::string head = std::string("8BIM\x04\x04\0\0\0\0\0", 11) + static_cast<char>(records.size());
  EXPECT_EQ(rights_of_iptc(std::string("Photoshop 3.0\0", 14) + other + head + records), expected);
}

TEST(RightsOfIptc, BecomeUtf8) {
  EXPECT_EQ(rights_of_iptc(record(116, "\xa9 Ada")), "\xc2\xa9 Ada");
  EXPECT_EQ(rights_of_iptc(record(116, "\xc2\xa9 Ada")), "\xc2\xa9 Ada");
}

TEST(RightsOfIptc, AreNoneInDamagedRecords) {
  const std::string records = record(5, "title") + record(116, "(c) Ada");
  for (std::size_t length = 0; length < records.size(); ++length) {
    EXPECT_EQ(rights_of_iptc(records.substr(0, length)), "") << length;
  }
  EXPECT_EQ(rights_of_iptc("Photoshop 3.0"), "");
  EXPECT_EQ(rights_of_iptc(std::string("Photoshop 3.0\0"
                                       "8BIM\x04\x04\xff",
                                       21)),
            "");
}

TEST(XmpWithRights, SaysWhatIsReadBack) {
  EXPECT_EQ(rights_of_xmp(xmp_with_rights("(c) Ada &amp; Co")), "(c) Ada &amp; Co");
}

}  // namespace
}  // namespace optimux::media

#include "service/blob_name.hpp"

#include <string>

#include <gtest/gtest.h>

namespace optimux::service {
namespace {

TEST(BlobName, IsReadBack) {
  const BlobName name("key", "group");
  EXPECT_EQ(name.text().size(), BlobName::kLength);
  EXPECT_EQ(BlobName::parse(name.text()), name);
}

TEST(BlobName, DiffersWithKeyAndGroup) {
  const BlobName name("key", "group");
  EXPECT_FALSE(name == BlobName("other", "group"));
  EXPECT_FALSE(name == BlobName("key", "other"));
}

TEST(BlobName, LiesBesideAllOfItsGroup) {
  const BlobName one("one", "group");
  const BlobName two("two", "group");
  EXPECT_EQ(one.folder(), two.folder());
  EXPECT_TRUE(one.is_of_group("group"));
  EXPECT_FALSE(one.is_of_group("groups"));
  const std::string text = one.text();
  EXPECT_EQ(one.path(), text.substr(0, 1) + "/" + text.substr(1, 2) + "/" + text);
}

TEST(BlobName, NothingElseIsOne) {
  const std::string text = BlobName("key", "group").text();
  EXPECT_FALSE(BlobName::parse(""));
  EXPECT_FALSE(BlobName::parse(text + "0"));
  EXPECT_FALSE(BlobName::parse(text.substr(1)));
  EXPECT_FALSE(BlobName::parse(std::string(BlobName::kLength, 'A')));
  EXPECT_FALSE(BlobName::parse(std::string(BlobName::kLength - 2, '0') + ".."));
}

}  // namespace
}  // namespace optimux::service

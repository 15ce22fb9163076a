#include "source/object_place.hpp"

#include <gtest/gtest.h>

namespace optimux::source {
namespace {

TEST(ObjectPlaceTest, ReadsBucketAndPrefix) {
  EXPECT_EQ(ObjectPlace::parse("s3://bucket"), (ObjectPlace{"bucket", ""}));
  EXPECT_EQ(ObjectPlace::parse("s3://bucket/"), (ObjectPlace{"bucket", ""}));
  EXPECT_EQ(ObjectPlace::parse("S3://bucket/a/b"), (ObjectPlace{"bucket", "a/b/"}));
  EXPECT_EQ(ObjectPlace::parse("s3://bucket/a/b/"), (ObjectPlace{"bucket", "a/b/"}));
  for (const char* text : {"", "bucket", "s3:/bucket", "s3://", "s3:///key", "s3://b c", "s3://b/../c", "s3://b/./c"}) {
    EXPECT_FALSE(ObjectPlace::parse(text)) << text;
  }
}

TEST(ObjectPlaceTest, PutsKeysBelowItsPrefixByteForByte) {
  const ObjectPlace place{"bucket", "a/"};
  EXPECT_EQ(place.object("3js%205-x.jpg"), (ObjectName{"bucket", "a/3js%205-x.jpg"}));
  EXPECT_EQ(place.object("/b//c"), (ObjectName{"bucket", "a//b//c"}));
  EXPECT_EQ(place.object("b/../c"), (ObjectName{"bucket", "a/b/../c"})) << "stays inside, so it is a key as any other";
}

TEST(ObjectPlaceTest, NoKeyLeadsOut) {
  const ObjectPlace place{"bucket", "a/"};
  for (const char* key : {"..", "../b", "./../b", "b/../../c", "/../b", "b/..//../c", "b/./../../c"}) {
    EXPECT_FALSE(place.object(key)) << key;
    EXPECT_FALSE(place.holds({"bucket", std::string("a/") + key})) << key;
  }
  EXPECT_FALSE((ObjectPlace{"bucket", ""}).object("../other-bucket/key"));
}

TEST(ObjectPlaceTest, HoldsWhatLiesBelowItAlone) {
  const ObjectPlace place{"bucket", "a/"};
  EXPECT_TRUE(place.holds({"bucket", "a/b"}));
  EXPECT_FALSE(place.holds({"bucket", "ab"}));
  EXPECT_FALSE(place.holds({"bucket", "b"}));
  EXPECT_FALSE(place.holds({"bucket-2", "a/b"}));
  EXPECT_FALSE(place.holds({"Bucket", "a/b"}));
}

TEST(ObjectPlaceTest, TakesTheKeyOfAUrlAsItStands) {
  EXPECT_EQ(parse_object_url("s3://b/3js%205-x.jpg"), (ObjectName{"b", "3js%205-x.jpg"}));
  EXPECT_EQ(parse_object_url("S3://b/John_Doe #1 (P 1)[5].jpg?x"), (ObjectName{"b", "John_Doe #1 (P 1)[5].jpg?x"}));
  EXPECT_EQ(parse_object_url("s3://b//c/../d"), (ObjectName{"b", "/c/../d"}));
  EXPECT_EQ(parse_object_url("s3://b/a+b\xC3\xA9"), (ObjectName{"b", "a+b\xC3\xA9"}));
  for (const char* url : {"s3://", "s3://b", "s3://b/", "s3:///k", "s3://b@c/k", "s3://b:1/k", "http://b/k"}) {
    EXPECT_FALSE(parse_object_url(url)) << url;
  }
}

}  // namespace
}  // namespace optimux::source

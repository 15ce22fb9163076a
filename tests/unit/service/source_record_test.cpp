#include "service/source_record.hpp"

#include <string>

#include <gtest/gtest.h>

namespace optimux::service {
namespace {

using source::SourceFacts;
using std::chrono::seconds;

void expect_same(const SourceFacts& facts) {
  const auto read = decode_source_facts(encode_source_facts(facts));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->validators(), facts.validators());
  EXPECT_EQ(read->cache_control, facts.cache_control);
  EXPECT_EQ(read->freshness, facts.freshness);
}

TEST(SourceRecordTest, GivesBackWhatWasWritten) {
  expect_same({});
  expect_same({.last_modified = std::chrono::system_clock::from_time_t(784111777) + std::chrono::nanoseconds(1),
               .etag = "W/\"a\xff\n\"",
               .cache_control = "max-age=60",
               .place = "http://x/end",
               .freshness = {.must_revalidate = true, .lifetime = seconds(60), .is_upper_bound = true}});
}

TEST(SourceRecordTest, FactsThatDifferAreWrittenDifferently) {
  const std::string plain = encode_source_facts({});
  EXPECT_NE(encode_source_facts({.etag = "\"a\""}), plain);
  EXPECT_NE(encode_source_facts({.freshness = {.lifetime = seconds(0)}}), plain);
  EXPECT_EQ(encode_source_facts({}), plain);
}

TEST(SourceRecordTest, WhatIsCutOffOrNoRecordIsRefused) {
  const std::string whole = encode_source_facts({.etag = "\"a\"", .cache_control = "no-cache"});
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(decode_source_facts(whole.substr(0, size))) << size;
  }
  EXPECT_FALSE(decode_source_facts(whole + "x"));
  EXPECT_FALSE(decode_source_facts("{}"));
  EXPECT_FALSE(decode_source_facts("\xa1gversion\x02"));  // Of another version.
}

}  // namespace
}  // namespace optimux::service

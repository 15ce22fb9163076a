#include "source/allow_list.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace optimux::source {
namespace {

using Texts = std::vector<std::string>;

AllowList list(const Texts& hosts, const Texts& prefixes = {}, const Texts& schemes = {}) {
  return AllowList::make({hosts, prefixes, schemes}).value();
}
bool allows(const AllowList& allowed, std::string_view url) {
  return !allowed.refusal(parse_source_url(url).value());
}

TEST(AllowListTest, WithoutEntriesEverythingIsAllowed) {
  for (const char* url : {"http://h/", "https://h/a?b", "file:///a/b"}) EXPECT_TRUE(allows(AllowList(), url)) << url;
}

TEST(AllowListTest, HostsAreNamesInWhateverSpelling) {
  const AllowList allowed = list({"Example.ORG.", "192.0.2.7", "2001:DB8:0:0::1"});
  for (const char* url : {"http://example.org/a", "https://EXAMPLE.org:8443/", "http://example.org./",
                          "http://192.0.2.7/", "http://3221225991/", "http://[2001:db8::1]/"}) {
    EXPECT_TRUE(allows(allowed, url)) << url;
  }
  for (const char* url : {"http://a.example.org/", "http://example.org.evil/", "http://notexample.org/", "http://org/",
                          "http://example.or/", "http://192.0.2.8/", "file:///example.org/a"}) {
    EXPECT_FALSE(allows(allowed, url)) << url;
  }
}

TEST(AllowListTest, AStarStandsForAllNamesBelow) {
  const AllowList allowed = list({"*.example.org"});
  EXPECT_TRUE(allows(allowed, "http://a.example.org/"));
  EXPECT_TRUE(allows(allowed, "http://A.b.Example.org./"));
  for (const char* url : {"http://example.org/", "http://notexample.org/", "http://a.example.org.evil/"}) {
    EXPECT_FALSE(allows(allowed, url)) << url;
  }
}

TEST(AllowListTest, APrefixEndsWithAPartOfThePath) {
  const AllowList allowed = list({}, {"https://example.org/pictures"});
  for (const char* url : {"https://example.org/pictures", "https://example.org/pictures/a.jpg",
                          "https://EXAMPLE.org:443/pictures?a=1", "https://example.org/x/../pictures/a"}) {
    EXPECT_TRUE(allows(allowed, url)) << url;
  }
  for (const char* url :
       {"https://example.org/pictures2", "https://example.org/pictures.jpg", "https://example.org/",
        "http://example.org/pictures", "https://example.org:444/pictures", "https://example.org.evil/pictures",
        "https://example.org/pictures/../a", "https://example.org/Pictures/a", "https://example.org/?/pictures"}) {
    EXPECT_FALSE(allows(allowed, url)) << url;
  }
}

TEST(AllowListTest, APrefixOfAHostIsAllOfIt) {
  const AllowList allowed = list({}, {"http://example.org:8080"});
  EXPECT_TRUE(allows(allowed, "http://example.org:8080/a"));
  EXPECT_TRUE(allows(allowed, "http://example.org:8080?a"));
  EXPECT_FALSE(allows(allowed, "http://example.org:8081/a"));
  EXPECT_FALSE(allows(allowed, "http://example.org.evil:8080/a"));
  EXPECT_FALSE(allows(allowed, "http://example.org/a"));
}

TEST(AllowListTest, APathThatClimbsFitsNoPrefix) {
  const AllowList allowed = list({}, {"https://example.org/pictures/"});
  for (const char* rest : {"%2e%2e/secret", ".%2E/secret", "..%2fsecret", "a/..%5Csecret", "%252e%252e/secret",
                           "%25252e%25252e%25252fsecret", "..;x=1/secret", "a/%2e%2e", "%2e/a", "..%5csecret?x"}) {
    EXPECT_FALSE(allows(allowed, std::string("https://example.org/pictures/") + rest)) << rest;
  }
  for (const char* rest : {"a..b", "..a/b", "100%25.jpg", "a%20b", "a?x=/../b", "%zz/a", "...", ""}) {
    EXPECT_TRUE(allows(allowed, std::string("https://example.org/pictures/") + rest)) << rest;
  }
}

TEST(AllowListTest, AHostOrAPrefixIsEnough) {
  const AllowList allowed = list({"cdn.example.org"}, {"https://example.org/pictures/", "file:///public/"});
  EXPECT_TRUE(allows(allowed, "http://cdn.example.org/a"));
  EXPECT_TRUE(allows(allowed, "https://example.org/pictures/a"));
  EXPECT_TRUE(allows(allowed, "file:///public/a%20b.jpg"));
  EXPECT_FALSE(allows(allowed, "https://example.org/a"));
  EXPECT_FALSE(allows(allowed, "file:///private/a.jpg"));
  EXPECT_FALSE(allows(allowed, "file:///public/../private/a.jpg"));
  EXPECT_FALSE(allows(allowed, "file:///publicity/a.jpg"));
}

TEST(AllowListTest, TheWholeStoreIsAPrefix) {
  EXPECT_TRUE(allows(list({}, {"file:///"}), "file:///a/b.jpg"));
  EXPECT_FALSE(allows(list({}, {"file:///"}), "http://h/b.jpg"));
}

TEST(AllowListTest, ASchemeHasToFitBesideTheRest) {
  EXPECT_TRUE(allows(list({}, {}, {"https"}), "https://h/"));
  EXPECT_FALSE(allows(list({}, {}, {"https"}), "http://h/"));
  EXPECT_FALSE(allows(list({}, {}, {"https"}), "file:///a"));
  EXPECT_TRUE(allows(list({}, {}, {"file", "http"}), "file:///a"));
  EXPECT_FALSE(allows(list({"h"}, {}, {"https"}), "http://h/"));
  EXPECT_FALSE(allows(list({"h"}, {}, {"https"}), "https://i/"));
}

TEST(AllowListTest, NamesTheOptionAndTheEntryThatCannotBeRead) {
  const auto expect_named = [](const AllowList::Entries& entries, const std::string& name) {
    const auto made = AllowList::make(entries);
    ASSERT_FALSE(made) << name;
    EXPECT_EQ(made.error().code, base::ErrorCode::kInvalidParameter);
    EXPECT_TRUE(made.error().detail.starts_with(name)) << made.error().detail;
  };
  for (const char* host : {"", "*", "*.", "a.*.b", "http://h", "h:80", "h/a", "10.0.0.0/8", "*.1.2.3.4", "h ost"}) {
    expect_named({{host}, {}, {}}, "allowed_source_hosts: '" + std::string(host) + "'");
  }
  for (const char* prefix :
       {"", "h/a", "ftp://h/", "https://", "https://h/a?b", "https://h/#b", "file://h/a", "file:/a", "https://u:p@h/",
        "https://h/../a", "https://h/%2e%2e/", "file:///a/../b", "s3:/b"}) {
    expect_named({{}, {prefix}, {}}, "allowed_source_prefixes: '" + std::string(prefix) + "'");
  }
  expect_named({{}, {}, {"HTTP"}}, "allowed_schemes: 'HTTP'");
  expect_named({{}, {}, {"ftp"}}, "allowed_schemes: 'ftp'");
}

TEST(AllowListTest, TellsTheLogWhyAndHidesTheQuery) {
  const auto reason = list({"h"}).refusal(parse_source_url("http://i/a?token=secret").value());
  ASSERT_TRUE(reason);
  EXPECT_NE(reason->find("http://i/a"), std::string::npos) << *reason;
  EXPECT_EQ(reason->find("secret"), std::string::npos) << *reason;
}

}  // namespace
}  // namespace optimux::source

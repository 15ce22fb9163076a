#include "source/source_url.hpp"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace optimux::source {
namespace {

using base::ErrorCode;

std::string canonical(std::string_view url) {
  const auto parsed = parse_http_url(url);
  return parsed ? parsed->text : "error: " + std::string(base::name_of(parsed.error().code));
}

TEST(HttpUrlTest, BringsOnePlaceIntoOneForm) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"http://example.com/a.jpg", "http://example.com/a.jpg"},
      {"HTTP://Example.COM:80/a.jpg#top", "http://example.com/a.jpg"},
      {"https://example.com:443", "https://example.com/"},
      {"https://example.com:8443/x", "https://example.com:8443/x"},
      {"http://example.com:/x", "http://example.com/x"},
      {"http://example.com/a/../b/./c.jpg", "http://example.com/b/c.jpg"},
      {"http://example.com/a b.jpg", "http://example.com/a%20b.jpg"},
      {"http://example.com/\xC3\xA9.jpg", "http://example.com/%c3%a9.jpg"},
      {"http://example.com?x=1", "http://example.com/?x=1"},
      {"http://h%2ex/", "http://h.x/"},
  };
  for (const auto& [url, expected] : cases) EXPECT_EQ(canonical(url), expected) << url;
}

TEST(HttpUrlTest, LeavesEncodedBytesOfPathAndQueryAsTheyAre) {
  for (const std::string url : {"http://h/a%2fb%2F%41?sig=%2b%3D&x=/../y", "http://h/%2e%2e/x", "http://h/%252e/x"}) {
    EXPECT_EQ(canonical(url), url);
  }
}

TEST(HttpUrlTest, WritesNumericAddressesInOneNotation) {
  for (const std::string url : {"http://127.0.0.1/", "http://2130706433/", "http://0x7f.1/", "http://0177.0.0.1/",
                                "http://127.1", "http://0x7f000001/", "http://0177.0.0.01"}) {
    EXPECT_EQ(canonical(url), "http://127.0.0.1/") << url;
  }
  EXPECT_EQ(canonical("http://0/"), "http://0.0.0.0/");
  EXPECT_EQ(canonical("http://[0:0:0:0:0:0:0:1]/"), "http://[::1]/");
  EXPECT_EQ(canonical("http://[::FFFF:7F00:1]:8080/x"), "http://[::ffff:127.0.0.1]:8080/x");
}

TEST(HttpUrlTest, NamesTheHostWithoutBrackets) {
  EXPECT_EQ(parse_http_url("http://EXAMPLE.com:81/")->host, "example.com");
  EXPECT_EQ(parse_http_url("http://[2001:DB8::0:1]/")->host, "2001:db8::1");
}

TEST(HttpUrlTest, IsAFixedPoint) {
  for (const std::string url :
       {"HTTP://Example.COM:80/a b/../\xC3\xA9?x=y z", "http://[::FFFF:7F00:1]/", "http://0x7f.1/%2e"}) {
    const std::string once = canonical(url);
    EXPECT_EQ(canonical(once), once);
  }
}

TEST(HttpUrlTest, RefusesWhatIsNoUsableUrl) {
  for (const std::string url : {"",
                                "h/x",
                                "//h/x",
                                "http:h",
                                "http:///",
                                "http://",
                                "http://h:99999/",
                                "http://h:0/",
                                "http://h:x/",
                                "http://a b/",
                                "http://a%20b/",
                                "http://h%00/",
                                "http://[::1",
                                "http://[zz]/",
                                "http://[fe80::1%25eth0]/",
                                "http://\xC3\xA9.example/",
                                "http://h\\@evil/",
                                "http://h/a\nb",
                                "http://h/a\rb",
                                "http://h/\x7F",
                                "http://h%252ex/",
                                "http://h<x/",
                                "http://h|x/"}) {
    EXPECT_EQ(canonical(url), "error: invalid_url") << url;
  }
  EXPECT_EQ(canonical(std::string("http://h/a\0b", 12)), "error: invalid_url");
}

TEST(HttpUrlTest, RefusesCredentials) {
  for (const std::string url : {"http://u@h/", "http://u:p@h/", "http://@h/", "http://:@h/", "http://h%40:80@evil/"}) {
    EXPECT_EQ(canonical(url), "error: invalid_url") << url;
  }
  EXPECT_EQ(canonical("http://h/u@x"), "http://h/u@x");
}

TEST(HttpUrlTest, RefusesOtherSchemesAndNamesThoseThatAreTaken) {
  for (const std::string url : {"ftp://h/x", "gopher://h/", "javascript:alert(1)", "data:image/png;base64,AA",
                                "dict://h:1/", "file:///etc/passwd", "s3://bucket/key", "ftps://h/", "smb://h/x"}) {
    const auto parsed = parse_http_url(url);
    ASSERT_FALSE(parsed) << url;
    EXPECT_EQ(parsed.error().code, ErrorCode::kForbiddenSource) << url;
    EXPECT_EQ(parsed.error().detail,
              "the scheme of the source URL is not allowed: write http://HOST/PATH, https://HOST/PATH, file:///KEY or "
              "s3://BUCKET/KEY")
        << url;
  }
}

TEST(HttpUrlTest, TakesUrlsUpToTheLimitAndNoLonger) {
  const std::string stem = "http://example.com/";
  const std::string longest = stem + std::string(kMaxUrlBytes - stem.size(), 'a');
  EXPECT_EQ(canonical(longest), longest);
  EXPECT_EQ(canonical(longest + "a"), "error: invalid_url");
  // Three times as long once it is encoded.
  EXPECT_EQ(canonical(stem + std::string(kMaxUrlBytes / 2, '\xE9')), "error: invalid_url");
}

TEST(RedirectTest, FollowsReferencesOfAllKinds) {
  const HttpUrl base = *parse_http_url("https://example.com/a/b.jpg?q=1");
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"c.jpg", "https://example.com/a/c.jpg"},     {"/c.jpg", "https://example.com/c.jpg"},
      {"../c.jpg", "https://example.com/c.jpg"},    {"../../../c.jpg", "https://example.com/c.jpg"},
      {"?q=2", "https://example.com/a/b.jpg?q=2"},  {"//Other.com/x", "https://other.com/x"},
      {"http://other.com/x", "http://other.com/x"}, {"/a b", "https://example.com/a%20b"},
      {"#part", "https://example.com/a/b.jpg?q=1"},
  };
  for (const auto& [reference, expected] : cases) {
    const auto target = resolve_http_url(base, reference);
    ASSERT_TRUE(target) << reference;
    EXPECT_EQ(target->text, expected) << reference;
  }
}

TEST(RedirectTest, ChecksTheTargetLikeAnyUrl) {
  const HttpUrl base = *parse_http_url("https://example.com/a");
  EXPECT_EQ(resolve_http_url(base, "file:///etc/passwd").error().code, ErrorCode::kForbiddenSource);
  EXPECT_EQ(resolve_http_url(base, "ftp://example.com/").error().code, ErrorCode::kForbiddenSource);
  EXPECT_EQ(resolve_http_url(base, "//u:p@example.com/").error().code, ErrorCode::kInvalidUrl);
  EXPECT_EQ(resolve_http_url(base, "http:evil").error().code, ErrorCode::kInvalidUrl);
  EXPECT_EQ(resolve_http_url(base, "").error().code, ErrorCode::kInvalidUrl);
  EXPECT_EQ(resolve_http_url(base, "/a\tb").error().code, ErrorCode::kInvalidUrl);
}

TEST(FileUrlTest, DecodesTheKeyExactlyOnce) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"file:///a.jpg", "a.jpg"},
      {"FILE:///dir/a.jpg", "dir/a.jpg"},
      {"file://localhost/a.jpg", "a.jpg"},
      {"file:///a%20b.jpg", "a b.jpg"},
      {"file:///a b.jpg", "a b.jpg"},
      {"file:///a%2520b.jpg", "a%20b.jpg"},
      {"file:///John_Doe%20%231%20(P%201)[5].jpg", "John_Doe #1 (P 1)[5].jpg"},
      {"file:///\xC3\xA9.jpg", "\xC3\xA9.jpg"},
      {"file:///../x", "../x"},
      {"file:///a/%2e%2e/x", "a/../x"},
      {"file:////etc/passwd", "/etc/passwd"},
      {"file:///a+b", "a+b"},
  };
  for (const auto& [url, expected] : cases) {
    const auto key = parse_file_url(url);
    ASSERT_TRUE(key) << url << ": " << key.error().detail;
    EXPECT_EQ(*key, expected) << url;
  }
}

TEST(FileUrlTest, SaysHowToWriteIt) {
  for (const char* url : {"file://photo.jpg", "file://", "file:///"}) {
    EXPECT_EQ(parse_file_url(url).error().detail, "the source URL names no file: write file:///KEY, with three slashes")
        << url;
  }
  EXPECT_EQ(parse_http_url("/photo.jpg").error().detail,
            "the source URL has no scheme: write http://HOST/PATH, https://HOST/PATH, file:///KEY or s3://BUCKET/KEY");
}

TEST(FileUrlTest, RefusesWhatNamesNoFile) {
  for (const std::string url : {"file:x", "file://", "file:///", "file://host/x", "file:///a?b", "file:///a#b",
                                "file:///a%2", "file:///a%zz", "file:///a\nb"}) {
    const auto key = parse_file_url(url);
    ASSERT_FALSE(key) << url << " gives " << *key;
    EXPECT_EQ(key.error().code, ErrorCode::kInvalidUrl) << url;
  }
}

TEST(SchemeTest, IsReadAsInRfc3986) {
  EXPECT_EQ(scheme_of("HTTP://h"), "http");
  EXPECT_EQ(scheme_of("a+b-c.1:x"), "a+b-c.1");
  for (const std::string url : {"", ":x", "1a:x", "a_b:x", "/a:b", "a/b:c", "?a:b"})
    EXPECT_EQ(scheme_of(url), "") << url;
}

TEST(WithoutQueryTest, HidesWhatMayBeSecret) {
  EXPECT_EQ(without_query("http://h/x?token=abc"), "http://h/x?…");
  EXPECT_EQ(without_query("http://h/x"), "http://h/x");
}

}  // namespace
}  // namespace optimux::source

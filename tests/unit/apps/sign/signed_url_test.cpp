#include "apps/optimux/sign/signed_url.hpp"

#include <gtest/gtest.h>

namespace optimux::apps {
namespace {

const service::UrlSigner& signer() {
  static const auto kSigner = service::UrlSigner::make({std::string(64, 'a')}).value();
  return kSigner;
}

std::string signed_text(std::string_view target) {
  return signer().sign(target).value();
}

TEST(SignedUrl, SignsPathAndQueryAndKeepsTheRest) {
  EXPECT_EQ(sign_url("/a?b=1", signer(), std::nullopt), signed_text("/a?b=1"));
  EXPECT_EQ(sign_url("https://h:8443/a", signer(), std::nullopt), "https://h:8443" + signed_text("/a"));
  EXPECT_EQ(sign_url("HTTP://h/", signer(), std::nullopt), "HTTP://h" + signed_text("/"));
}

TEST(SignedUrl, TheEndIsSignedToo) {
  EXPECT_EQ(sign_url("/a", signer(), 7), signed_text("/a?expires=7"));
  EXPECT_EQ(sign_url("/a?b=1", signer(), 7), signed_text("/a?b=1&expires=7"));
}

TEST(SignedUrl, EncodesWhatClientsEncode) {
  EXPECT_EQ(sign_url("/a b?c=\xC3\xA9&d=%20", signer(), std::nullopt), signed_text("/a%20b?c=%C3%A9&d=%20"));
}

TEST(SignedUrl, RefusesWhatNoServerGetsToSee) {
  for (const char* url : {"", "a", "//h/a", "http://h", "http:///a", "http://h?a", "ftp://h/a", "/a#b", "http://h/#",
                          "/a?sig=x", "/a?s%69g=x&b"}) {
    const auto made = sign_url(url, signer(), std::nullopt);
    ASSERT_FALSE(made) << url;
    EXPECT_EQ(made.error().code, base::ErrorCode::kInvalidUrl);
  }
  EXPECT_FALSE(sign_url("/a?expires=1", signer(), 7));
  EXPECT_TRUE(sign_url("/a?expires=1", signer(), std::nullopt));
}

}  // namespace
}  // namespace optimux::apps

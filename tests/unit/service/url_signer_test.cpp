#include "service/url_signer.hpp"

#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

namespace optimux::service {
namespace {

const std::string kOldKey = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
const std::string kNewKey(64, 'a');

UrlSigner signer(const std::vector<std::string>& keys) {
  return UrlSigner::make(keys).value();
}

/// A file of its own for each test, removed at its end.
class KeyFile {
 public:
  explicit KeyFile(const std::string& text) : path_(testing::TempDir() + "keys-" + std::to_string(::getpid())) {
    std::ofstream(path_, std::ios::binary) << text;
  }
  KeyFile(const KeyFile&) = delete;
  KeyFile& operator=(const KeyFile&) = delete;
  ~KeyFile() { std::remove(path_.c_str()); }

  std::string entry() const { return "@" + path_; }

 private:
  const std::string path_;
};

TEST(UrlSigner, SplitsTheSignatureOffTheEnd) {
  const auto parts = [](std::string_view target) {
    const SignedTarget split = split_signature(target);
    return std::string(split.signed_part) + " " + std::string(split.signature.value_or("none"));
  };
  EXPECT_EQ(parts("/a?sizes=1&sig=x"), "/a?sizes=1 x");
  EXPECT_EQ(parts("/a?sig=x"), "/a x");
  EXPECT_EQ(parts("/a?sig="), "/a ");
  EXPECT_EQ(parts("/a"), "/a none");
  EXPECT_EQ(parts("/a?"), "/a? none");
  EXPECT_EQ(parts("/a?sig=x&b=1"), "/a?sig=x&b=1 none");
  EXPECT_EQ(parts("/a?sig=x&sig=y"), "/a?sig=x y");
  EXPECT_EQ(parts("/a?SIG=x"), "/a?SIG=x none");
  EXPECT_EQ(parts("/a?s%69g=x"), "/a?s%69g=x none");
  EXPECT_EQ(parts("/a&sig=x"), "/a&sig=x none");
  EXPECT_EQ(parts("/a&sig=x?b=1"), "/a&sig=x?b=1 none");
  EXPECT_EQ(parts("/a?image_url=http://h/?sig=x"), "/a?image_url=http://h/?sig=x none");
}

// The values of docs/signing.md, which were made with Python's hmac module.
TEST(UrlSigner, SignsAsItIsDocumented) {
  const UrlSigner with_key = signer({kOldKey});
  EXPECT_EQ(with_key.sign("/optimux/assets/photo.jpg").value(),
            "/optimux/assets/photo.jpg?sig=PDFP5M3UpTzSzwWAjC-FtUY9SvWClm5h8lriEwo-czY");
  EXPECT_EQ(with_key.sign("/optimux/assets/photo.jpg?sizes=300x0&format=webp").value(),
            "/optimux/assets/photo.jpg?sizes=300x0&format=webp&sig=YFfw4jQZjRUeNYZGsL2SrQCrXN55nq_O6qvZpp5_HSw");
}

TEST(UrlSigner, TakesWhatItHasSigned) {
  const UrlSigner with_key = signer({kOldKey});
  for (const std::string target : {"/a", "/a?b=1", "/a?b=1&c", "/?x", "/a%20b?q=%3F&sig=inner"}) {
    EXPECT_EQ(with_key.verify(with_key.sign(target).value()), target);
    EXPECT_EQ(with_key.verify(with_key.sign(target).value() + "="), target);
  }
}

TEST(UrlSigner, RefusesWhatWasChanged) {
  const UrlSigner with_key = signer({kOldKey});
  const std::string target = with_key.sign("/optimux/assets/a.jpg?sizes=300x0").value();
  for (std::size_t i = 0; i < target.size(); ++i) {
    for (const int flip : {1, 32}) {
      std::string changed = target;
      changed[i] = static_cast<char>(changed[i] ^ flip);
      EXPECT_FALSE(with_key.verify(changed)) << changed;
    }
    EXPECT_FALSE(with_key.verify(target.substr(0, i))) << i;
    EXPECT_FALSE(with_key.verify(target.substr(0, i) + "x" + target.substr(i))) << i;
  }
  EXPECT_FALSE(with_key.verify(target + "&quality=1"));
  EXPECT_FALSE(with_key.verify(target + "=="));
}

TEST(UrlSigner, SaysToTheLogAloneWhatIsWrong) {
  const UrlSigner with_key = signer({kOldKey});
  const auto missing = with_key.verify("/a?b=1");
  const auto wrong = with_key.verify("/a?b=1&sig=abc");
  ASSERT_FALSE(missing || wrong);
  EXPECT_EQ(missing.error().code, base::ErrorCode::kForbiddenSource);
  EXPECT_EQ(wrong.error().code, base::ErrorCode::kForbiddenSource);
  EXPECT_EQ(missing.error().detail, wrong.error().detail);
  EXPECT_NE(missing.error().cause, wrong.error().cause);
}

TEST(UrlSigner, TheFirstKeySignsAndAllAreAccepted) {
  const UrlSigner both = signer({kNewKey, kOldKey});
  EXPECT_EQ(both.sign("/a").value(), signer({kNewKey}).sign("/a").value());
  EXPECT_TRUE(both.verify(signer({kOldKey}).sign("/a").value()));
  EXPECT_FALSE(signer({kNewKey}).verify(signer({kOldKey}).sign("/a").value()));
}

TEST(UrlSigner, WithoutKeysEverythingIsLetThrough) {
  const UrlSigner without;
  EXPECT_FALSE(without.has_keys());
  EXPECT_EQ(without.sign("/a?b=1").value(), "/a?b=1");
  EXPECT_EQ(without.verify("/a?b=1"), "/a?b=1");
  EXPECT_EQ(without.verify("/a?b=1&sig=whatever"), "/a?b=1");
}

TEST(UrlSigner, ReadsKeysOfAFile) {
  const KeyFile file("# rotated in May\r\n" + kNewKey + "\r\n\n  " + kOldKey + "  \n");
  const UrlSigner from_file = signer({file.entry()});
  EXPECT_EQ(from_file.sign("/a").value(), signer({kNewKey}).sign("/a").value());
  EXPECT_TRUE(from_file.verify(signer({kOldKey}).sign("/a").value()));
}

TEST(UrlSigner, RefusesWhatIsNoKeyAndNeverShowsIt) {
  const std::string secret = "5ec7e75ec7e75ec7e75ec7e75ec7e75e";
  for (const std::string& entry :
       {secret + "zz", secret + "1", std::string("00"), std::string(), secret + " " + secret, std::string(514, '5')}) {
    const auto made = UrlSigner::make({kOldKey, entry});
    ASSERT_FALSE(made) << entry;
    EXPECT_EQ(made.error().code, base::ErrorCode::kInvalidParameter);
    EXPECT_NE(made.error().detail.find("entry 2"), std::string::npos) << made.error().detail;
    EXPECT_EQ(made.error().detail.find("5ec7"), std::string::npos) << made.error().detail;
  }
}

TEST(UrlSigner, NamesTheFileAndTheLineThatIsWrong) {
  const KeyFile file(kOldKey + "\n5ec7e7\n");
  const auto made = UrlSigner::make({file.entry()});
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().detail.find(file.entry().substr(1) + ":2"), std::string::npos) << made.error().detail;
  EXPECT_EQ(made.error().detail.find("5ec7"), std::string::npos);
  EXPECT_FALSE(UrlSigner::make({KeyFile("# nothing\n").entry()}));
  EXPECT_FALSE(UrlSigner::make({"@/no/such/file"}));
  const KeyFile large(std::string(70'000, '\n'));
  EXPECT_FALSE(UrlSigner::make({large.entry()}));
}

}  // namespace
}  // namespace optimux::service

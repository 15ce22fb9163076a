#include "base/digest.hpp"

#include <string>

#include <gtest/gtest.h>

namespace optimux::base {
namespace {

TEST(Digest, IsThirtyTwoHexadecimalDigits) {
  const std::string digest = fingerprint("abc");
  EXPECT_EQ(digest.size(), 32u);
  EXPECT_EQ(digest.find_first_not_of("0123456789abcdef"), std::string::npos);
}

// The canonical XXH3-128 value of the empty input, so that ETags survive a move to another machine.
TEST(Digest, IsTheCanonicalXxh3Value) {
  EXPECT_EQ(fingerprint(""), "99aa06d3014798d86001c324468d497f");
}

TEST(Digest, ChangesWithEveryByte) {
  std::string bytes(1000, 'x');
  const std::string before = fingerprint(bytes);
  for (std::size_t i = 0; i < bytes.size(); i += 37) {
    std::string changed = bytes;
    changed[i] = 'y';
    EXPECT_NE(fingerprint(changed), before) << i;
  }
}

TEST(Fingerprinter, PiecesHaveTheFingerprintOfTheWhole) {
  const std::string bytes(100'000, 'x');
  for (const std::size_t piece : {1UL, 17UL, 4096UL, 100'000UL}) {
    Fingerprinter fingerprinter;
    for (std::size_t at = 0; at < bytes.size(); at += piece) fingerprinter.add(bytes.substr(at, piece));
    EXPECT_EQ(fingerprinter.text(), fingerprint(bytes)) << piece;
  }
}

TEST(Fingerprinter, OfNothingIsThatOfTheEmptyText) {
  EXPECT_EQ(Fingerprinter().text(), fingerprint(""));
}

}  // namespace
}  // namespace optimux::base

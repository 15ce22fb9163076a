#include "base/sha256.hpp"

#include <string>

#include <gtest/gtest.h>

#include "base/text.hpp"

namespace optimux::base {
namespace {

// FIPS 180-4's examples, as NIST publishes them.
TEST(Sha256Test, GivesTheStandardsDigests) {
  EXPECT_EQ(hex(sha256("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hex(sha256("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hex(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

}  // namespace
}  // namespace optimux::base

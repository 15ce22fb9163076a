#include "server/ticket_keys.hpp"

#include <gtest/gtest.h>

namespace optimux::server {
namespace {

using namespace std::chrono_literals;

class TicketKeysTest : public testing::Test {
 protected:
  TicketKeys::Key seal() { return *keys_.sealing_key(); }
  bool opens(const TicketKeys::Key& key) {
    const TicketKeys::Key* const found = keys_.find(key.name.data());
    return found != nullptr && found->cipher == key.cipher && found->mac == key.mac;
  }
  bool is_old(const TicketKeys::Key& key) { return keys_.is_old(*keys_.find(key.name.data())); }

  TicketKeys::Clock::time_point now_{1000h};
  TicketKeys keys_{[this] { return now_; }};
};

TEST_F(TicketKeysTest, AKeySealsForOnePeriod) {
  const auto first = seal();
  now_ += TicketKeys::kPeriod - 1ns;
  EXPECT_EQ(seal().name, first.name);
  EXPECT_FALSE(is_old(first));
  now_ += 1ns;
  const auto second = seal();
  EXPECT_NE(second.name, first.name);
  EXPECT_NE(second.cipher, first.cipher);
  EXPECT_NE(second.mac, first.mac);
}

TEST_F(TicketKeysTest, AndOpensForOneMore) {
  const auto first = seal();
  now_ += TicketKeys::kPeriod;
  seal();
  EXPECT_TRUE(opens(first));
  EXPECT_TRUE(is_old(first));
  now_ += TicketKeys::kPeriod;
  seal();
  EXPECT_FALSE(opens(first));
}

TEST_F(TicketKeysTest, KeysEndThoughNobodySeals) {
  const auto first = seal();
  now_ += TicketKeys::kPeriod;
  EXPECT_TRUE(opens(first));
  EXPECT_TRUE(is_old(first));
  now_ += TicketKeys::kPeriod;
  EXPECT_FALSE(opens(first));
}

TEST_F(TicketKeysTest, ALongPauseLeavesNone) {
  const auto first = seal();
  now_ += TicketKeys::kPeriod;
  const auto second = seal();
  now_ += 5 * TicketKeys::kPeriod;
  EXPECT_FALSE(opens(first));
  EXPECT_FALSE(opens(second));
}

TEST_F(TicketKeysTest, StrangeNamesAreNotKnown) {
  EXPECT_FALSE(opens({}));
  auto key = seal();
  key.name[15] ^= 1;
  EXPECT_FALSE(opens(key));
}

}  // namespace
}  // namespace optimux::server

#include "server/listen_address.hpp"

#include <gtest/gtest.h>

namespace optimux::server {
namespace {

TEST(ListenAddress, ReadsAndWritesAllKinds) {
  const auto url = [](std::string_view text) { return url_of(parse_listen_address("listen", text).value()); };
  EXPECT_EQ(url("127.0.0.1:8811"), "http://127.0.0.1:8811");
  EXPECT_EQ(url("8811"), "http://127.0.0.1:8811");
  EXPECT_EQ(url(":8811"), "http://0.0.0.0:8811");
  EXPECT_EQ(url("localhost:0"), "http://127.0.0.1:0");
  EXPECT_EQ(url("*:80"), "http://0.0.0.0:80");
  EXPECT_EQ(url("[::1]:443"), "http://[::1]:443");
  EXPECT_EQ(url("unix:/run/a.sock"), "unix:/run/a.sock");
}

TEST(ListenAddress, KnowsWhatOnlyThisMachineCanReach) {
  const auto is_local = [](std::string_view text) { return parse_listen_address("listen", text).value().is_local(); };
  for (const auto* const local : {"127.0.0.1:1", "127.9.9.9:1", "[::1]:1", "unix:/a"})
    EXPECT_TRUE(is_local(local)) << local;
  for (const auto* const remote : {"0.0.0.0:1", "[::]:1", "10.0.0.1:1", "[::ffff:127.0.0.1]:1"}) {
    EXPECT_FALSE(is_local(remote)) << remote;
  }
}

TEST(ListenAddress, RefusesEverythingElse) {
  for (const std::string& bad : {std::string(), std::string("65536"), std::string(":"), std::string("127.0.0.1"),
                                 std::string("127.0.0.1:"), std::string("127.0.0.1:65536"), std::string("127.0.0.1:-1"),
                                 std::string("example.org:80"), std::string("::1:80"), std::string("[127.0.0.1]:80"),
                                 std::string("[::1]"), std::string("unix:"), "unix:/" + std::string(200, 'a')}) {
    const auto address = parse_listen_address("admin", bad);
    ASSERT_FALSE(address) << bad;
    EXPECT_EQ(address.error().code, base::ErrorCode::kInvalidParameter);
    EXPECT_TRUE(address.error().detail.starts_with("admin: '"));
  }
}

}  // namespace
}  // namespace optimux::server

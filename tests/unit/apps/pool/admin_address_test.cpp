#include "apps/optimux/pool/admin_address.hpp"

#include <gtest/gtest.h>

namespace optimux::apps {
namespace {

struct Case {
  const char* text;
  const char* url;
};

TEST(AdminAddress, IsReadInAllFormsThatTheServerTakes) {
  for (const auto& [text, url] :
       {Case{"8812", "http://127.0.0.1:8812"}, Case{":8812", "http://127.0.0.1:8812"},
        Case{"*:8812", "http://127.0.0.1:8812"}, Case{"0.0.0.0:8812", "http://127.0.0.1:8812"},
        Case{"10.0.0.1:8812", "http://10.0.0.1:8812"}, Case{"[::1]:8812", "http://[::1]:8812"},
        Case{"localhost:8812", "http://localhost:8812"}, Case{"http://127.0.0.1:8812", "http://127.0.0.1:8812"},
        Case{"http://127.0.0.1:8812/", "http://127.0.0.1:8812"}}) {
    EXPECT_EQ(admin_address(text).url, url) << text;
    EXPECT_EQ(admin_address(text).unix_socket, "") << text;
  }
}

TEST(AdminAddress, ASocketIsAskedWhateverTheUrlSays) {
  EXPECT_EQ(admin_address("unix:/run/a/admin.sock").unix_socket, "/run/a/admin.sock");
  EXPECT_EQ(admin_address("unix:/run/a/admin.sock").url, "http://localhost");
}

}  // namespace
}  // namespace optimux::apps

#include "server/socket_activation.hpp"

#include <cstdlib>

#include <gtest/gtest.h>

namespace optimux::server {
namespace {

TEST(SocketActivation, SocketsWithNames) {
  const auto sockets = passed_sockets({"42", "3", "web:admin"}, 42);
  ASSERT_TRUE(sockets);
  ASSERT_EQ(sockets->size(), 3u);
  EXPECT_EQ((*sockets)[0].descriptor, 3);
  EXPECT_EQ((*sockets)[0].name, "web");
  EXPECT_EQ((*sockets)[1].name, "admin");
  EXPECT_EQ((*sockets)[2].descriptor, 5);
  EXPECT_EQ((*sockets)[2].name, "");
}

TEST(SocketActivation, NoneWithoutVariablesOrForAnotherProcess) {
  EXPECT_TRUE(passed_sockets({}, 42).value().empty());
  EXPECT_TRUE(passed_sockets({"41", "1", std::nullopt}, 42).value().empty());
  EXPECT_TRUE(passed_sockets({"42", std::nullopt, std::nullopt}, 42).value().empty());
}

TEST(SocketActivation, NonsenseIsAnError) {
  for (const auto* const count : {"", "x", "-1", "257", "1x"}) {
    EXPECT_FALSE(passed_sockets({"42", count, std::nullopt}, 42)) << count;
  }
  EXPECT_FALSE(passed_sockets({"me", "1", std::nullopt}, 42));
}

TEST(SocketActivation, VariablesAreTakenOutOfTheEnvironment) {
  setenv("LISTEN_PID", "1", 1);
  setenv("LISTEN_FDS", "2", 1);
  unsetenv("LISTEN_FDNAMES");
  const auto variables = take_activation_variables();
  EXPECT_EQ(variables.pid, "1");
  EXPECT_EQ(variables.count, "2");
  EXPECT_FALSE(variables.names);
  EXPECT_EQ(std::getenv("LISTEN_FDS"), nullptr);
}

}  // namespace
}  // namespace optimux::server

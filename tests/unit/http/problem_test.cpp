#include "http/problem.hpp"

#include <gtest/gtest.h>

namespace optimux::http {
namespace {

TEST(Problem, HasTheMembersOfTheStandard) {
  EXPECT_EQ(write_problem({"/errors/x", "Title", 404, "It is \"gone\"\n.", "id-1"}),
            "{\"type\":\"/errors/x\",\"title\":\"Title\",\"status\":404,\"detail\":\"It is \\\"gone\\\"\\n.\","
            "\"request_id\":\"id-1\"}\n");
}

TEST(Problem, LeavesOutWhatIsEmpty) {
  EXPECT_EQ(write_problem({"t", "T", 500, "", ""}), "{\"type\":\"t\",\"title\":\"T\",\"status\":500}\n");
}

}  // namespace
}  // namespace optimux::http

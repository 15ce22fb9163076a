#include "apps/optimux/pool/sweep/job_body.hpp"

#include "apps/optimux/pool/sweep/exec_job.hpp"
#include "apps/optimux/pool/sweep/pool_trial.hpp"
#include "apps/optimux/pool/sweep/url_job.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/wait.h>

#include <atomic>
#include <cerrno>

namespace optimux::apps {
namespace {

base::Status status_of(const std::string& job, const JobRules& rules = {}) {
  return make_job(parse_job(job).value(), rules)()().status;
}

bool is_loopback_v4(const char* text) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  inet_pton(AF_INET, text, &address.sin_addr);
  return is_loopback(reinterpret_cast<const sockaddr&>(address));
}

bool is_loopback_v6(const char* text) {
  sockaddr_in6 address{};
  address.sin6_family = AF_INET6;
  inet_pton(AF_INET6, text, &address.sin6_addr);
  return is_loopback(reinterpret_cast<const sockaddr&>(address));
}

TEST(ExecJob, SucceedsWithTheProgram) {
  EXPECT_TRUE(status_of("exec:true"));
}

TEST(ExecJob, SaysHowTheProgramFailed) {
  const auto failed = status_of("exec:false");
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().detail, "false ended with code 1");
  EXPECT_EQ(status_of("exec:sh -c 'kill -TERM $$'").error().detail, "sh was ended by signal 15");
  EXPECT_NE(status_of("exec:/no/such/program").error().detail.find("cannot start /no/such/program"), std::string::npos);
}

TEST(ExecJob, KillsWhatDoesNotEndAndReapsIt) {
  const auto status = status_of("exec:sleep 3600", {.timeout = 0.01});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, base::ErrorCode::kOriginTimeout);
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST(UrlJob, KnowsTheLoopbackAddresses) {
  EXPECT_TRUE(is_loopback_v4("127.0.0.1"));
  EXPECT_TRUE(is_loopback_v4("127.255.0.9"));
  EXPECT_TRUE(is_loopback_v6("::1"));
  for (const char* other : {"126.255.255.255", "128.0.0.1", "10.0.0.1", "0.0.0.0"}) {
    EXPECT_FALSE(is_loopback_v4(other)) << other;
  }
  for (const char* other : {"::", "::2", "fe80::1", "::ffff:10.0.0.1"}) EXPECT_FALSE(is_loopback_v6(other)) << other;
}

// 192.0.2.0/24 is for documentation (RFC 5737). No packet leaves: the socket is not even made.
TEST(UrlJob, RefusesOtherMachinesBeforeItConnects) {
  const auto status = status_of("url:http://192.0.2.1:9/");
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, base::ErrorCode::kForbiddenSource);
  EXPECT_NE(status.error().detail.find("--i-own-this-host"), std::string::npos);
}

TEST(PoolTrial, RunsAllJobsInWholeBatchesForEveryWorker) {
  std::atomic<int> count = 0;
  const JobMaker make = [&] { return [&] { return ++count, JobRun{}; }; };
  const auto result = run_trial(make, {.workers = 3, .batch = 4, .jobs = 25, .limit = 60}, 2);
  ASSERT_TRUE(result);
  EXPECT_EQ(count, 36);  // 7 batches of 4, rounded up to 3 for each of the workers.
  EXPECT_GT(result->rate, 0);
  EXPECT_GE(result->cpu_busy, 0);
  EXPECT_LE(result->cpu_busy, 1);
  EXPECT_EQ(result->failed, 0);
}

TEST(PoolTrial, CountsFailuresAndKeepsTheFirst) {
  const JobMaker make = [] { return [] { return JobRun{base::fail(base::ErrorCode::kInternal, "no luck"), 0}; }; };
  const auto result = run_trial(make, {.workers = 2, .batch = 1, .jobs = 10, .limit = 60}, 2);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->failed, 10);
  ASSERT_TRUE(result->first_error);
  EXPECT_EQ(result->first_error->detail, "no luck");
}

TEST(PoolTrial, MakesABodyForEachWorker) {
  std::atomic<int> made = 0;
  const JobMaker make = [&] {
    ++made;
    return [] { return JobRun{}; };
  };
  ASSERT_TRUE(run_trial(make, {.workers = 5, .batch = 1, .jobs = 1, .limit = 60}, 2));
  EXPECT_EQ(made, 5);
}

TEST(RunAlone, RunsAtLeastThreeAndReportsTheFirstError) {
  int count = 0;
  const JobMaker make = [&] {
    return [&] {
      ++count;
      return JobRun{count == 3 ? base::fail(base::ErrorCode::kInternal, "third") : base::Status{}, 0};
    };
  };
  const AloneResult result = run_alone(make, 0);
  EXPECT_EQ(count, 4);  // One before the clock starts.
  EXPECT_GT(result.wall, 0);
  ASSERT_TRUE(result.error);
  EXPECT_EQ(result.error->detail, "third");
}

}  // namespace
}  // namespace optimux::apps

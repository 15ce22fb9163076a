#include "source/s3_credential_keeper.hpp"

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace optimux::source {
namespace {

using std::chrono::minutes;

/// Answers when the test says so.
class ScriptedProvider final : public CredentialProvider {
 public:
  void load(Callback callback) override {
    ++loads;
    waiting = std::move(callback);
  }
  void answer(base::Result<std::optional<S3Credentials>> result) { std::exchange(waiting, nullptr)(std::move(result)); }

  int loads = 0;
  Callback waiting;
};

class S3CredentialKeeperTest : public testing::Test {
 protected:
  S3CredentialKeeperTest() {
    std::vector<std::unique_ptr<CredentialProvider>> providers;
    for (ScriptedProvider** place : {&first, &second}) {
      auto provider = std::make_unique<ScriptedProvider>();
      *place = provider.get();
      providers.push_back(std::move(provider));
    }
    keeper = std::make_unique<S3CredentialKeeper>(std::move(providers));
  }

  void get() {
    keeper->get([this](const base::Result<S3Credentials>& result) {
      got.push_back(result ? result->access_key : std::string(name_of(result.error().code)));
    });
  }
  static S3Credentials expiring_in(minutes time, std::string name) {
    return {std::move(name), "secret", "", S3Credentials::Clock::now() + time};
  }

  ScriptedProvider* first = nullptr;
  ScriptedProvider* second = nullptr;
  std::unique_ptr<S3CredentialKeeper> keeper;
  std::vector<std::string> got;
};

TEST_F(S3CredentialKeeperTest, AsksOnceForAllWhoWait) {
  get();
  get();
  EXPECT_TRUE(got.empty());
  EXPECT_EQ(first->loads, 1);
  first->answer(std::optional(S3Credentials{"A", "s", "", std::nullopt}));
  get();
  EXPECT_EQ(got, std::vector<std::string>({"A", "A", "A"}));
  EXPECT_EQ(first->loads, 1) << "they last";
  EXPECT_EQ(second->loads, 0);
}

TEST_F(S3CredentialKeeperTest, PassesOverPlacesThatAreNotSetUp) {
  get();
  first->answer(std::optional<S3Credentials>());
  second->answer(std::optional(S3Credentials{"B", "s", "", std::nullopt}));
  EXPECT_EQ(got, std::vector<std::string>({"B"}));
}

TEST_F(S3CredentialKeeperTest, APlaceThatFailsEndsTheSearch) {
  get();
  first->answer(base::fail(base::ErrorCode::kOriginTimeout, "x"));
  EXPECT_EQ(got, std::vector<std::string>({"origin_timeout"}));
  EXPECT_EQ(second->loads, 0);
  get();
  EXPECT_EQ(first->loads, 2) << "the next request tries again";
}

TEST_F(S3CredentialKeeperTest, NoneAnywhereIsAFailure) {
  get();
  first->answer(std::optional<S3Credentials>());
  second->answer(std::optional<S3Credentials>());
  EXPECT_EQ(got, std::vector<std::string>({"origin_failed"}));
}

TEST_F(S3CredentialKeeperTest, RenewsBeforeTheEndWhileTheOldOnesServe) {
  get();
  first->answer(std::optional(expiring_in(minutes(4), "old")));
  get();
  EXPECT_EQ(got, std::vector<std::string>({"old", "old"}));
  EXPECT_EQ(first->loads, 2) << "new ones are on their way";
  get();
  EXPECT_EQ(first->loads, 2) << "once";
  first->answer(std::optional(expiring_in(minutes(60), "new")));
  get();
  EXPECT_EQ(got.back(), "new");
  EXPECT_EQ(first->loads, 2);
}

TEST_F(S3CredentialKeeperTest, AFailedRenewalLeavesTheOldOnesInUse) {
  get();
  first->answer(std::optional(expiring_in(minutes(4), "old")));
  get();
  first->answer(base::fail(base::ErrorCode::kOriginFailed, "x"));
  get();
  EXPECT_EQ(got, std::vector<std::string>({"old", "old", "old"}));
}

TEST_F(S3CredentialKeeperTest, DoesNotGiveOutWhatIsAboutToExpire) {
  get();
  first->answer(std::optional(expiring_in(minutes(0), "dying")));
  got.clear();
  get();
  EXPECT_TRUE(got.empty());
  first->answer(std::optional(expiring_in(minutes(60), "new")));
  EXPECT_EQ(got, std::vector<std::string>({"new"}));
}

TEST_F(S3CredentialKeeperTest, RejectedOnesAreLoadedAnew) {
  get();
  const S3Credentials old{"old", "s", "", std::nullopt};
  first->answer(std::optional(old));
  keeper->reject(S3Credentials{"other", "s", "", std::nullopt});
  get();
  EXPECT_EQ(first->loads, 1) << "somebody else's";
  keeper->reject(old);
  get();
  EXPECT_EQ(first->loads, 2);
}

TEST(S3CredentialKeeperWithoutProvidersTest, GivesAnonymousCredentials) {
  S3CredentialKeeper keeper({});
  bool was_called = false;
  keeper.get([&](const base::Result<S3Credentials>& result) { was_called = result && result->is_anonymous(); });
  EXPECT_TRUE(was_called);
}

}  // namespace
}  // namespace optimux::source

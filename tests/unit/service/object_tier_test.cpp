#include "service/object_tier.hpp"

#include <algorithm>
#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "source/object_source.hpp"
#include "unit/service/doubles.hpp"

namespace optimux::service {
namespace {

using source::ObjectAnswer;
using source::ObjectRequest;
using Action = ObjectRequest::Action;
using std::chrono::steady_clock;

const std::string kSource = "file:cat.jpg";

/// A bucket in memory that does what is asked when the test says so, with pages of two keys.
class MemoryStore final : public source::ObjectStore {
 public:
  void run(ObjectRequest request, source::ObjectCallback callback) override {
    actions.push_back(request.action);
    waiting.emplace_back(std::move(request), std::move(callback));
    if (!holds) run_all();
  }
  source::ObjectStoreFigures figures() const override { return {}; }

  void run_all() {
    while (!waiting.empty()) {
      auto [request, callback] = std::move(waiting.front());
      waiting.pop_front();
      callback(fails ? base::fail(base::ErrorCode::kOriginFailed, "down", "down") : answer(request));
    }
  }

  bool holds = false;
  bool fails = false;
  std::vector<Action> actions;
  std::map<std::string, ObjectRequest> objects;  ///< By key: what they were put with.
  std::deque<std::pair<ObjectRequest, source::ObjectCallback>> waiting;

 private:
  base::Result<ObjectAnswer> answer(const ObjectRequest& request) {
    const std::string& key = request.name.key;
    switch (request.action) {
      case Action::kPut: objects[key] = request; return ObjectAnswer{};
      case Action::kDelete: objects.erase(key); return ObjectAnswer{};
      case Action::kList: return page(request);
      default: break;
    }
    const auto found = objects.find(key);
    if (found == objects.end()) return base::fail(base::ErrorCode::kNotFound, "no such key");
    ObjectAnswer object;
    object.bytes = found->second.body;
    object.facts.content_type = found->second.content_type;
    object.facts.metadata = found->second.metadata;
    return object;
  }
  ObjectAnswer page(const ObjectRequest& request) const {
    ObjectAnswer answer;
    for (const auto& [key, _] : objects) {
      if (key.compare(0, request.name.key.size(), request.name.key) != 0 || key <= request.continuation) continue;
      if (answer.keys.size() == 2) {
        answer.continuation = answer.keys.back();
        break;
      }
      answer.keys.push_back(key);
    }
    return answer;
  }
};

class ObjectTierTest : public testing::Test {
 protected:
  static std::shared_ptr<Rendition> rendition(const std::string& name, const std::string& source = kSource,
                                              std::size_t size = 1000) {
    auto made = std::make_shared<Rendition>(name + ";" + source, source.size());
    made->set_facts({"\"" + name + "\"", "max-age=5", {}, "", "", "fingerprint"});
    made->set_validated_at(steady_clock::now() - std::chrono::seconds(90));
    made->body()->start({"image/png", 1, 1, 1});
    made->body()->append(*doubles::bytes_of(std::string(size, 'x')));
    made->body()->complete();
    return made;
  }
  /// Null if it is not there.
  std::shared_ptr<Rendition> find(const std::string& name, const std::string& source = kSource) {
    std::optional<std::shared_ptr<Rendition>> result;
    tier.find(name + ";" + source, source, [&](std::shared_ptr<Rendition> found) { result = std::move(found); });
    EXPECT_TRUE(result) << "called";
    return result.value_or(nullptr);
  }
  RenditionTier::Erased note() {
    return [this](const base::Status& status) { erased = status ? "ok" : std::string(name_of(status.error().code)); };
  }

  std::shared_ptr<MemoryStore> store = std::make_shared<MemoryStore>();
  ObjectTier tier{store, {"bucket", "optimized/"}, std::chrono::hours(1)};
  std::string erased = "pending";
};

TEST_F(ObjectTierTest, AnotherServerFindsWhatOneHasMadeByASingleGet) {
  tier.insert(rendition("a"));
  ObjectTier other(store, {"bucket", "optimized/"}, std::chrono::hours(1));
  store->actions.clear();
  std::shared_ptr<Rendition> found;
  other.find("a;" + kSource, kSource, [&](std::shared_ptr<Rendition> result) { found = std::move(result); });
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(store->actions, std::vector<Action>({Action::kGet}));
  EXPECT_EQ(found->facts(), rendition("a")->facts());
  EXPECT_EQ(found->source(), kSource);
  EXPECT_EQ(found->body()->size(), 1000U);
  EXPECT_EQ(found->body()->head()->content_type, "image/png");
  EXPECT_NEAR(std::chrono::duration<double>(steady_clock::now() - *found->validated_at()).count(), 90, 20);
  EXPECT_EQ(other.figures().hits, 1U);
  EXPECT_EQ(tier.figures().stored, 1U);
}

TEST_F(ObjectTierTest, AnObjectIsAnOrdinaryPictureWithAMark) {
  tier.insert(rendition("a"));
  ASSERT_EQ(store->objects.size(), 1U);
  const auto& [key, object] = *store->objects.begin();
  EXPECT_EQ(key.size(), std::string("optimized/").size() + 64 + 1 + 64);
  EXPECT_EQ(object.name.bucket, "bucket");
  EXPECT_EQ(object.content_type, "image/png");
  EXPECT_EQ(object.cache_control, "max-age=5");
  EXPECT_EQ(object.body->size(), 1000U);
  EXPECT_EQ(object.metadata.count(source::kProcessedMark), 1U);
  for (const auto& [name, value] : object.metadata) {
    EXPECT_TRUE(std::all_of(value.begin(), value.end(), [](char c) { return c > 0x20 && c < 0x7F; })) << value;
  }
}

TEST_F(ObjectTierTest, AMissIsRememberedUntilItIsMade) {
  EXPECT_EQ(find("a"), nullptr);
  EXPECT_EQ(find("a"), nullptr);
  EXPECT_EQ(store->actions.size(), 1U);
  EXPECT_EQ(tier.figures().misses, 2U);
  tier.insert(rendition("a"));
  EXPECT_NE(find("a"), nullptr);
}

TEST_F(ObjectTierTest, AFailureIsAMissThatIsNotRemembered) {
  store->fails = true;
  EXPECT_EQ(find("a"), nullptr);
  EXPECT_EQ(tier.figures().faults, 1U);
  tier.insert(rendition("a"));
  EXPECT_EQ(tier.figures().faults, 2U);
  store->fails = false;
  tier.insert(rendition("a"));
  EXPECT_NE(find("a"), nullptr);
}

TEST_F(ObjectTierTest, WhatIsNoRenditionOfThisGenerationIsAMiss) {
  tier.insert(rendition("a"));
  auto& metadata = store->objects.begin()->second.metadata;
  for (const char* name : {"optimux-record", "optimux-validated"}) {
    for (const char* value : {"", "%", "%zz", "garbage"}) {
      const std::string before = std::exchange(metadata[name], value);
      EXPECT_EQ(find("a"), nullptr) << name << " " << value;
      metadata[name] = before;
    }
  }
  EXPECT_EQ(tier.figures().damaged, 8U);
  EXPECT_NE(find("a"), nullptr);
}

TEST_F(ObjectTierTest, WhatStoresDoNotTakeIsNotSent) {
  auto made = rendition("a");
  auto facts = made->facts();
  facts.source_place = "http://h/" + std::string(3000, 'x');
  made->set_facts(facts);
  tier.insert(made);
  EXPECT_EQ(tier.figures().skipped, 1U);
  EXPECT_TRUE(store->actions.empty());
}

TEST_F(ObjectTierTest, WhatWaitsToBeWrittenIsBounded) {
  store->holds = true;
  constexpr std::size_t kLarge = ObjectTier::kMaxPendingBytes * 3 / 4;
  tier.insert(rendition("a", kSource, kLarge));
  tier.insert(rendition("b", kSource, kLarge));
  EXPECT_EQ(tier.figures().skipped, 1U);
  store->run_all();
  tier.insert(rendition("c"));
  EXPECT_EQ(tier.figures().skipped, 1U) << "there is room again";
}

TEST_F(ObjectTierTest, RenewingWritesTheNewTime) {
  auto made = rendition("a");
  tier.insert(made);
  made->set_validated_at(steady_clock::now());
  tier.renew(made);
  EXPECT_NEAR(std::chrono::duration<double>(steady_clock::now() - *find("a")->validated_at()).count(), 0, 20);
}

TEST_F(ObjectTierTest, ForgetsARenditionASourceOrAll) {
  const std::string other = "file:dog.jpg";
  for (const char* name : {"a", "b", "c", "d", "e"}) tier.insert(rendition(name));
  tier.insert(rendition("a", other));
  tier.erase("a;" + kSource, kSource, note());
  EXPECT_EQ(std::exchange(erased, "pending"), "ok");
  EXPECT_EQ(store->objects.size(), 5U);
  EXPECT_EQ(find("a"), nullptr);
  tier.erase_source(kSource, note());
  EXPECT_EQ(std::exchange(erased, "pending"), "ok");
  EXPECT_EQ(store->objects.size(), 1U) << "all pages of it";
  EXPECT_NE(find("a", other), nullptr);
  tier.clear(note());
  EXPECT_EQ(erased, "ok");
  EXPECT_TRUE(store->objects.empty());
}

TEST_F(ObjectTierTest, OthersObjectsStay) {
  store->objects["optimized/readme.txt"] = {};
  store->objects["optimized/" + std::string(64, 'a') + "/" + std::string(64, 'G')] = {};
  store->objects["elsewhere/x"] = {};
  tier.insert(rendition("a"));
  tier.clear(note());
  EXPECT_EQ(erased, "ok");
  EXPECT_EQ(store->objects.size(), 3U);
}

TEST_F(ObjectTierTest, AnErasureThatFailsSaysSo) {
  tier.insert(rendition("a"));
  store->fails = true;
  tier.erase("a;" + kSource, kSource, note());
  EXPECT_EQ(std::exchange(erased, "pending"), "internal");
  tier.erase_source(kSource, note());
  EXPECT_EQ(erased, "internal");
}

TEST_F(ObjectTierTest, WhatIsBeingWrittenIsForgottenToo) {
  store->holds = true;
  tier.insert(rendition("a"));
  tier.erase("a;" + kSource, kSource, note());
  // The deletion overtakes the writing.
  std::swap(store->waiting.front(), store->waiting.back());
  {
    const auto callback = std::move(store->waiting.front().second);
    store->waiting.pop_front();
    callback(ObjectAnswer{});
  }
  EXPECT_EQ(erased, "pending") << "it may still be written";
  store->run_all();
  EXPECT_EQ(erased, "ok");
  EXPECT_TRUE(store->objects.empty());
}

TEST_F(ObjectTierTest, WithoutItsStoreEverythingIsAMiss) {
  tier.insert(rendition("a"));
  store.reset();
  EXPECT_EQ(find("a"), nullptr);
  tier.clear(note());
  EXPECT_EQ(erased, "internal");
}

TEST_F(ObjectTierTest, ARevokedOneIsNotWritten) {
  auto made = rendition("a");
  made->revoke();
  tier.insert(made);
  EXPECT_TRUE(store->actions.empty());
}

}  // namespace
}  // namespace optimux::service

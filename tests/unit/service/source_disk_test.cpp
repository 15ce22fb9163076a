#include "service/source_disk.hpp"

#include <memory>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "unit/service/disk_store_fixture.hpp"
#include "unit/service/doubles.hpp"
#include "unit/source/manual_runner.hpp"

namespace optimux::service {
namespace {

using source::FetchedSource;
using source::SourceFacts;
using std::chrono::seconds;
using Clock = SourceDisk::Clock;

class SourceDiskTest : public DiskStoreFixture {
 protected:
  static FetchedSource source(const std::string& content, SourceFacts facts = {.etag = "\"a\""}) {
    return {doubles::bytes_of(content), std::move(facts)};
  }
  std::optional<SourceDisk::Kept> look_for(SourceDisk& disk, const std::string& place) {
    std::optional<std::optional<SourceDisk::Kept>> result;
    disk.find(place, [&](std::optional<SourceDisk::Kept> found) { result = std::move(found); });
    runner.run_all();
    EXPECT_TRUE(result) << "called";
    return result.value_or(std::nullopt);
  }
  /// The content of what is kept, or nothing.
  std::string find(SourceDisk& disk, const std::string& place) {
    const auto kept = look_for(disk, place);
    if (!kept) return "";
    return {reinterpret_cast<const char*>(kept->source.bytes->data()), kept->source.bytes->size()};
  }
  void keep(SourceDisk& disk, const std::string& place, const std::string& content) {
    disk.insert(place, source(content), Clock::now());
    runner.run_all();
  }

  source::ManualRunner runner;
};

TEST_F(SourceDiskTest, GivesBackWhatWasKeptAlsoAfterARestart) {
  const SourceFacts facts{.etag = "\"a\"", .cache_control = "max-age=60", .freshness = {.lifetime = seconds(60)}};
  {
    SourceDisk disk(make(), runner.runner());
    EXPECT_EQ(find(disk, "http:a"), "");
    disk.insert("http:a", source("picture", facts), Clock::now() - seconds(40));
    EXPECT_TRUE(files().empty()) << "nothing is written in the caller's thread";
    runner.run_all();
  }
  SourceDisk disk(make(), runner.runner());
  const auto kept = look_for(disk, "http:a");
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->source.facts.validators(), facts.validators());
  EXPECT_EQ(kept->source.facts.freshness, facts.freshness);
  EXPECT_NEAR(std::chrono::duration<double>(Clock::now() - kept->asked).count(), 40, 20);
  EXPECT_EQ(find(disk, "http:a"), "picture");
  EXPECT_EQ(find(disk, "http:b"), "");
  EXPECT_EQ(disk.figures().entries, 1U);
}

TEST_F(SourceDiskTest, AConfirmationMovesTheTimeAndWritesNoByteWhereTheFactsAreTheSame) {
  SourceDisk disk(make(), runner.runner());
  disk.insert("http:a", source("picture"), Clock::now() - seconds(1000));
  runner.run_all();
  disk.confirm("http:a", source("picture").facts, source("picture"), Clock::now());
  runner.run_all();
  EXPECT_EQ(disk.figures().stored, 1U);
  EXPECT_LT(Clock::now() - look_for(disk, "http:a")->asked, seconds(100));

  disk.confirm("http:a", source("picture").facts, source("picture", {.etag = "\"b\""}), Clock::now());
  runner.run_all();
  EXPECT_EQ(disk.figures().stored, 2U);
  EXPECT_EQ(look_for(disk, "http:a")->source.facts.etag, "\"b\"");
}

TEST_F(SourceDiskTest, WhatItsOriginForbidsToKeepIsNotKeptNorIsWhatWasBefore) {
  SourceDisk disk(make(), runner.runner());
  keep(disk, "http:a", "picture");
  const FetchedSource secret = source("secret", {.freshness = {.may_be_kept = false}});
  disk.confirm("http:a", source("picture").facts, secret, Clock::now());
  runner.run_all();
  EXPECT_EQ(find(disk, "http:a"), "");
  disk.insert("http:b", secret, Clock::now());
  runner.run_all();
  EXPECT_EQ(find(disk, "http:b"), "");
}

TEST_F(SourceDiskTest, ForgetsOneOrAllAndWhatWaitsToBeWritten) {
  SourceDisk disk(make(), runner.runner());
  for (const char* place : {"http:a", "http:b", "http:c"}) keep(disk, place, "picture");
  disk.insert("http:a", source("waiting"), Clock::now());
  base::Status erased = base::fail(base::ErrorCode::kInternal, "not called");
  const auto note = [&](const base::Status& status) { erased = status; };
  disk.erase("http:a", note);
  EXPECT_EQ(find(disk, "http:a"), "");
  EXPECT_TRUE(erased);
  EXPECT_EQ(find(disk, "http:a"), "");
  EXPECT_EQ(find(disk, "http:b"), "picture");
  disk.insert("http:d", source("waiting"), Clock::now());
  disk.erase("", note);
  runner.run_all();
  for (const char* place : {"http:b", "http:c", "http:d"}) EXPECT_EQ(find(disk, place), "") << place;
  EXPECT_TRUE(files().empty());
}

TEST_F(SourceDiskTest, WhatIsWrittenAfterItWasForgottenIsNotFound) {
  SourceDisk disk(make(), runner.runner());
  disk.insert("http:a", source("old"), Clock::now());
  disk.erase("http:a");
  disk.insert("http:a", source("new"), Clock::now());
  runner.run_all();
  EXPECT_EQ(find(disk, "http:a"), "new");
}

TEST_F(SourceDiskTest, ARunnerThatRefusesIsAMissAndNothingIsKept) {
  SourceDisk disk(make(), runner.runner());
  keep(disk, "http:a", "picture");
  runner.refuse();
  EXPECT_EQ(find(disk, "http:a"), "");
  disk.insert("http:b", source("picture"), Clock::now());
  base::Status erased;
  disk.erase("http:a", [&](const base::Status& status) { erased = status; });
  ASSERT_FALSE(erased);
  EXPECT_EQ(erased.error().code, base::ErrorCode::kOverloaded);
}

TEST_F(SourceDiskTest, WhatWaitsToBeWrittenIsBounded) {
  SourceDisk disk(make({.capacity = 1ull << 30, .min_free = 0, .keep_unused = {}}), runner.runner());
  constexpr std::size_t kLarge = SourceDisk::kMaxPendingBytes * 3 / 4;
  disk.insert("http:a", source(std::string(kLarge, 'a')), Clock::now());
  disk.insert("http:b", source(std::string(kLarge, 'b')), Clock::now());
  runner.run_all();
  EXPECT_EQ(find(disk, "http:a").size(), kLarge);
  EXPECT_EQ(find(disk, "http:b"), "");
  disk.insert("http:b", source(std::string(kLarge, 'b')), Clock::now());
  runner.run_all();
  EXPECT_EQ(find(disk, "http:b").size(), kLarge);
}

TEST_F(SourceDiskTest, ARecordOfAnotherTimeOrVersionIsAMissAndIsDeleted) {
  std::shared_ptr<DiskStore> store = make();
  SourceDisk disk(store, runner.runner());
  runner.run_all();
  keep(disk, "http:a", "picture");
  store->set_stamp({"http:a", "http:a"}, std::chrono::system_clock::now() + std::chrono::hours(1));
  EXPECT_EQ(find(disk, "http:a"), "") << "nobody knows how old it is";
  EXPECT_TRUE(files().empty());
  const std::string_view bytes = "picture";
  const std::vector<std::span<const std::byte>> pieces = {std::as_bytes(std::span(bytes))};
  store->insert({"http:b", "http:b"}, "another version", pieces, std::chrono::system_clock::now());
  EXPECT_EQ(find(disk, "http:b"), "");
  EXPECT_TRUE(files().empty());
}

TEST_F(SourceDiskTest, ADiskThatFailsIsAMiss) {
  SourceDisk disk(make(), runner.runner());
  keep(disk, "http:a", "picture");
  calls.fail(1, EIO, true);
  EXPECT_EQ(find(disk, "http:a"), "");
  keep(disk, "http:b", "picture");
  calls.fail(0, 0);
  EXPECT_EQ(find(disk, "http:b"), "");
  EXPECT_GT(disk.figures().faults, 0U);
}

}  // namespace
}  // namespace optimux::service

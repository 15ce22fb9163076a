#include "source/file_source.hpp"

#include <sys/resource.h>

#include <filesystem>
#include <fstream>
#include <future>
#include <memory>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "unit/source/descriptor_leaks.hpp"
#include "unit/source/loop_thread.hpp"
#include "unit/source/manual_runner.hpp"
#include "unit/source/other_media.hpp"
#include "unit/source/temporary_folder.hpp"

namespace optimux::source {
namespace {

namespace fs = std::filesystem;
using base::ErrorCode;

SourceLocator key(std::string name) {
  return {SourceLocator::Kind::kFile, std::move(name)};
}

class FileSourceTest : public WithoutDescriptorLeaks {
 protected:
  FileSourceTest() : loop_(std::make_unique<LoopThread>()) {
    folder_.write("root/a.jpg", "picture");
    make_source(64 << 20);
  }
  void make_source(std::uint64_t max_source_bytes) {
    source_ = std::make_unique<FileSource>(FileSourceSettings{*RootDirectory::make(folder_ / "root"), max_source_bytes},
                                           loop_->reactor(), runner_.runner());
  }
  void TearDown() override {
    if (source_) loop_->run([this] { source_.reset(); });
    loop_.reset();
    expect_no_leaks();
  }
  // Starts a fetch, does the work, waits for the result.
  FetchResult get(const std::string& name, SourceValidators validators = {}) {
    auto result = start_fetch(*source_, {.locator = key(name), .stop = {}, .validators = std::move(validators)});
    runner_.run_all();
    return result.get();
  }

  TemporaryFolder folder_;
  ManualRunner runner_;
  std::unique_ptr<LoopThread> loop_;
  std::unique_ptr<FileSource> source_;
};

TEST_F(FileSourceTest, ReadsAFile) {
  const auto result = get("a.jpg");
  ASSERT_EQ(outcome_of(result), "ok");
  EXPECT_EQ(text_of(result), "picture");
}

TEST_F(FileSourceTest, ReadsFilesOfAllSizes) {
  for (const std::size_t size : {0u, 1u, 262143u, 262144u, 262145u, 1000000u}) {
    std::string content(size, 'x');
    for (std::size_t i = 0; i < size; ++i) content[i] = static_cast<char>(i * 31 % 251);
    folder_.write("root/sized", content);
    EXPECT_EQ(text_of(get("sized")), content) << size;
  }
}

TEST_F(FileSourceTest, ReportsModificationTimeAndATagThatFollowsTheContent) {
  const auto first = get("a.jpg");
  ASSERT_TRUE(first);
  ASSERT_TRUE(first->facts.last_modified);
  const auto age = std::chrono::system_clock::now() - *first->facts.last_modified;
  EXPECT_LT(age, std::chrono::hours(1));
  EXPECT_GT(age, -std::chrono::hours(1));
  EXPECT_EQ(first->facts.etag.front(), '"');
  EXPECT_EQ(first->facts.etag, get("a.jpg")->facts.etag);

  folder_.write("root/b.jpg", "PICTURE");
  fs::last_write_time(folder_ / "root/b.jpg", fs::last_write_time(folder_ / "root/a.jpg"));
  fs::rename(folder_ / "root/b.jpg", folder_ / "root/a.jpg");
  EXPECT_NE(first->facts.etag, get("a.jpg")->facts.etag);
}

TEST_F(FileSourceTest, AFileThatStillHasItsTagIsNotReadAgain) {
  const auto first = get("a.jpg");
  ASSERT_TRUE(first);
  const auto again = get("a.jpg", first->facts.validators());
  ASSERT_EQ(outcome_of(again), "ok");
  EXPECT_TRUE(again->not_modified);
  EXPECT_EQ(again->bytes, nullptr);
  EXPECT_EQ(again->facts.validators(), first->facts.validators());

  folder_.write("root/a.jpg", "another");  // Of the same size.
  fs::last_write_time(folder_ / "root/a.jpg", fs::last_write_time(folder_ / "root/a.jpg") + std::chrono::seconds(1));
  const auto changed = get("a.jpg", first->facts.validators());
  EXPECT_EQ(text_of(changed), "another");
  EXPECT_FALSE(changed->not_modified);
}

TEST_F(FileSourceTest, ADateAloneDoesNotTellThatAFileIsUnchanged) {
  const auto first = get("a.jpg");
  ASSERT_TRUE(first);
  EXPECT_EQ(text_of(get("a.jpg", {.last_modified = first->facts.last_modified})), "picture");
}

TEST_F(FileSourceTest, AMissingFileIsMissingForWhoHadItToo) {
  const auto first = get("a.jpg");
  ASSERT_TRUE(first);
  fs::remove(folder_ / "root/a.jpg");
  EXPECT_EQ(outcome_of(get("a.jpg", first->facts.validators())), "not_found");
}

TEST_F(FileSourceTest, FindsNothingOutsideOfTheRoot) {
  folder_.write("secret.jpg", "secret");
  for (const std::string name : {"../secret.jpg", "missing.jpg", "/etc/passwd", "..%2fsecret.jpg"}) {
    const auto result = get(name);
    EXPECT_EQ(outcome_of(result), "not_found") << name;
    EXPECT_EQ(result.error().detail, "there is no such source");
  }
}

TEST_F(FileSourceTest, RefusesFilesOverTheLimit) {
  make_source(7);
  EXPECT_EQ(outcome_of(get("a.jpg")), "ok");
  make_source(6);
  const auto result = get("a.jpg");
  EXPECT_EQ(outcome_of(result), "source_too_large");
  EXPECT_EQ(result.error().detail, "the source is larger than max_source_bytes (6B)");
}

// Files of procfs say that they are empty: what counts is what comes when they are read.
TEST_F(FileSourceTest, CountsTheBytesThatItReads) {
  source_ = std::make_unique<FileSource>(FileSourceSettings{*RootDirectory::make("/proc"), 8}, loop_->reactor(),
                                         runner_.runner());
  EXPECT_EQ(outcome_of(get("version")), "source_too_large");
  source_ = std::make_unique<FileSource>(FileSourceSettings{*RootDirectory::make("/proc"), 65536}, loop_->reactor(),
                                         runner_.runner());
  EXPECT_EQ(text_of(get("version")).substr(0, 5), "Linux");
}

TEST_F(FileSourceTest, NoRootMeansNoFile) {
  source_ = std::make_unique<FileSource>(FileSourceSettings{}, loop_->reactor(), runner_.runner());
  EXPECT_EQ(outcome_of(get("etc/passwd")), "not_found");
}

TEST_F(FileSourceTest, CallsBackInTheLoopsThreadAndNeverFromInsideFetch) {
  source_ = std::make_unique<FileSource>(FileSourceSettings{*RootDirectory::make(folder_ / "root"), 100},
                                         loop_->reactor(), [](const std::function<void()>& work) {
                                           work();  // Even when the work is done at once.
                                           return true;
                                         });
  std::promise<std::thread::id> called_in;
  const auto inside = std::make_shared<bool>(true);
  loop_->run([&] {
    source_->fetch({key("a.jpg"), {}, {}}, [&called_in, inside](const FetchResult&) {
      EXPECT_FALSE(*inside);
      called_in.set_value(std::this_thread::get_id());
    });
    *inside = false;
  });
  EXPECT_EQ(called_in.get_future().get(), loop_->id());
}

TEST_F(FileSourceTest, IsOverloadedWhenTheRunnerRefuses) {
  runner_.refuse();
  EXPECT_EQ(outcome_of(fetch(*source_, key("a.jpg"))), "overloaded");
}

TEST_F(FileSourceTest, AStopEndsAFetchThatWaitsForTheRunner) {
  std::stop_source stop;
  auto result = start_fetch(*source_, {key("a.jpg"), {}, stop.get_token()});
  stop.request_stop();
  EXPECT_EQ(outcome_of(result.get()), "cancelled");
  EXPECT_EQ(runner_.run_all(), 1u);
}

TEST_F(FileSourceTest, ThePassedDeadlineEndsAFetchThatWaitsForTheRunner) {
  auto result = start_fetch(*source_, {key("a.jpg"), base::Deadline::after(std::chrono::milliseconds(5)), {}});
  EXPECT_EQ(outcome_of(result.get()), "deadline_exceeded");
  EXPECT_EQ(runner_.run_all(), 1u);
}

TEST_F(FileSourceTest, TheEndOfTheSourceEndsItsFetchesBeforeTheRunnerGetsToThem) {
  auto result = start_fetch(*source_, {key("a.jpg"), {}, {}});
  loop_->run([this] { source_.reset(); });
  EXPECT_EQ(result.wait_for(std::chrono::seconds(0)), std::future_status::ready);
  EXPECT_EQ(outcome_of(result.get()), "shutting_down");
  EXPECT_EQ(runner_.run_all(), 1u);
}

TEST_F(FileSourceTest, AVideoIsNotReadWhateverItsSize) {
  make_source(1000);
  const auto get_picture = [&](std::string_view content) {
    folder_.write("root/clip", content);
    FetchRequest request{key("clip"), {}, {}};
    request.is_other = &begins_as_video;
    auto result = start_fetch(*source_, std::move(request));
    runner_.run_all();
    return outcome_of(result.get());
  };
  EXPECT_EQ(get_picture(video_of(5)), "video_source");
  EXPECT_EQ(get_picture(video_of(100)), "video_source");
  EXPECT_EQ(get_picture(video_of(1001)), "video_source");
  EXPECT_EQ(get_picture(std::string(1001, 'p')), "source_too_large");
  EXPECT_EQ(get_picture(std::string(1000, 'p')), "ok");
  EXPECT_EQ(get_picture(""), "ok");
  EXPECT_EQ(outcome_of(get("clip")), "ok");
}

TEST_F(FileSourceTest, NothingIsAskedAboutAFileThatIsUnchanged) {
  folder_.write("root/clip", video_of(100));
  FetchRequest request{key("clip"), {}, {}};
  request.validators = get("clip")->facts.validators();
  request.is_other = &begins_as_video;
  auto result = start_fetch(*source_, std::move(request));
  runner_.run_all();
  EXPECT_TRUE(result.get()->not_modified);
}

TEST_F(FileSourceTest, WithoutDescriptorsTheFaultIsOurs) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  auto result = start_fetch(*source_, {key("a.jpg"), {}, {}});
  const rlimit none{3, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  runner_.run_all();
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(outcome_of(result.get()), "internal");
}

TEST_F(FileSourceTest, ManyFetchesAtOnceKeepApart) {
  std::vector<std::future<FetchResult>> results;
  for (int i = 0; i < 100; ++i) {
    folder_.write("root/" + std::to_string(i), "content " + std::to_string(i));
    results.push_back(start_fetch(*source_, {key(std::to_string(i)), {}, {}}));
  }
  runner_.run_all();
  for (int i = 0; i < 100; ++i) EXPECT_EQ(text_of(results[i].get()), "content " + std::to_string(i));
}

}  // namespace
}  // namespace optimux::source

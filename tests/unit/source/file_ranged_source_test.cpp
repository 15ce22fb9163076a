#include "source/file_ranged_source.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "unit/source/descriptor_leaks.hpp"
#include "unit/source/loop_thread.hpp"
#include "unit/source/manual_runner.hpp"
#include "unit/source/ranged_reading.hpp"
#include "unit/source/temporary_folder.hpp"

namespace optimux::source {
namespace {

namespace fs = std::filesystem;

std::string numbered(std::size_t size) {
  std::string text(size, '\0');
  for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>(i * 31 % 251);
  return text;
}

class FileRangedSourceTest : public WithoutDescriptorLeaks {
 protected:
  FileRangedSourceTest() : loop_(std::make_unique<LoopThread>()) {
    folder_.write("root/a.mp4", content_);
    make_source(1 << 20);
  }
  void make_source(std::uint64_t max_video_bytes) {
    drop_source();
    source_ =
        std::make_unique<FileRangedSource>(FileRangedSettings{*RootDirectory::make(folder_ / "root"), max_video_bytes},
                                           loop_->reactor(), runner_.runner());
  }
  void drop_source() {
    if (source_) loop_->run([this] { source_.reset(); });
  }
  void TearDown() override {
    drop_source();
    loop_.reset();
    expect_no_leaks();
  }
  OpenResult open(const std::string& key) {
    auto result = start_open(*source_, FetchRequest{.locator = {SourceLocator::Kind::kFile, key}, .stop = {}});
    runner_.run_all();
    return result.get();
  }
  RangedFile::ReadResult read(RangedFile& file, std::uint64_t offset, std::size_t count) {
    auto result = start_read(file, offset, count);
    runner_.run_all();
    return result.get();
  }
  void append(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name, std::ios::binary | std::ios::app) << text;
  }

  const std::string content_ = numbered(200'000);
  TemporaryFolder folder_;
  ManualRunner runner_;
  std::unique_ptr<LoopThread> loop_;
  std::unique_ptr<FileRangedSource> source_;
};

TEST_F(FileRangedSourceTest, OpensAFileWithItsBeginning) {
  const auto file = open("a.mp4");
  ASSERT_TRUE(file) << file.error().cause;
  EXPECT_EQ((*file)->size(), content_.size());
  EXPECT_EQ(text_of((*file)->head()), content_.substr(0, RangedFile::kHeadBytes));
  EXPECT_FALSE((*file)->facts().etag.empty());
  EXPECT_TRUE((*file)->facts().last_modified);
}

TEST_F(FileRangedSourceTest, SmallAndEmptyFilesAreAllBeginning) {
  folder_.write("root/small", "abc");
  folder_.write("root/empty", "");
  EXPECT_EQ(text_of((*open("small"))->head()), "abc");
  const auto empty = open("empty");
  ASSERT_TRUE(empty);
  EXPECT_EQ((*empty)->size(), 0u);
  EXPECT_TRUE((*empty)->head().empty());
}

TEST_F(FileRangedSourceTest, ReadsParts) {
  const auto file = open("a.mp4");
  ASSERT_TRUE(file);
  for (const auto& [offset, count] : {std::pair(0u, 1u), std::pair(65'530u, 100'000u), std::pair(199'999u, 1u)}) {
    EXPECT_EQ(text_of(read(**file, offset, count)), content_.substr(offset, count)) << offset;
  }
}

TEST_F(FileRangedSourceTest, ItsDescriptorIsOfTheFileAndIsNotInherited) {
  const auto file = open("a.mp4");
  ASSERT_TRUE(file);
  const int descriptor = (*file)->descriptor();
  std::string bytes(10, '\0');
  ASSERT_EQ(::pread(descriptor, bytes.data(), bytes.size(), 100'000), 10);
  EXPECT_EQ(bytes, content_.substr(100'000, 10));
  EXPECT_TRUE((::fcntl(descriptor, F_GETFD) & FD_CLOEXEC) != 0);
  EXPECT_EQ(::write(descriptor, "x", 1), -1) << "it is for reading alone";
}

TEST_F(FileRangedSourceTest, AFileThatIsReplacedIsStillTheOneThatWasOpened) {
  const auto file = open("a.mp4");
  ASSERT_TRUE(file);
  folder_.write("root/b.mp4", std::string(content_.size(), 'b'));
  fs::rename(folder_ / "root/b.mp4", folder_ / "root/a.mp4");
  EXPECT_EQ(text_of(read(**file, 5, 5)), content_.substr(5, 5));
  EXPECT_EQ(outcome_of((*file)->verify()), "ok");
}

TEST_F(FileRangedSourceTest, AFileThatIsWrittenIsAFailure) {
  const auto file = open("a.mp4");
  ASSERT_TRUE(file);
  EXPECT_EQ(outcome_of((*file)->verify()), "ok");
  append("root/a.mp4", "more");
  EXPECT_EQ(outcome_of((*file)->verify()), "origin_failed");
  const auto part = read(**file, 0, 10);
  ASSERT_FALSE(part);
  EXPECT_EQ(part.error().detail, "the source has changed while it was read");
}

TEST_F(FileRangedSourceTest, AFileThatHasBecomeShorterIsAFailure) {
  const auto file = open("a.mp4");
  ASSERT_TRUE(file);
  fs::resize_file(folder_ / "root/a.mp4", 100);
  EXPECT_EQ(outcome_of(read(**file, 150'000, 10)), "origin_failed");
}

TEST_F(FileRangedSourceTest, AFileOverTheLimitIsRefusedByName) {
  make_source(content_.size());
  EXPECT_EQ(outcome_of(open("a.mp4")), "ok");
  make_source(content_.size() - 1);
  const auto refused = open("a.mp4");
  ASSERT_EQ(outcome_of(refused), "source_too_large");
  EXPECT_NE(refused.error().detail.find("max_video_bytes"), std::string::npos);
}

TEST_F(FileRangedSourceTest, NothingLeadsOutOfTheRoot) {
  folder_.write("secret", "secret");
  fs::create_symlink("../secret", folder_ / "root/link");
  for (const char* key : {"../secret", "/etc/passwd", "link", "missing", ".", "a.mp4/"}) {
    EXPECT_EQ(outcome_of(open(key)), "not_found") << key;
  }
}

TEST_F(FileRangedSourceTest, ARunnerThatRefusesIsOverload) {
  const auto file = open("a.mp4");
  ASSERT_TRUE(file);
  runner_.refuse();
  EXPECT_EQ(outcome_of(open("a.mp4")), "overloaded");
  EXPECT_EQ(outcome_of(read(**file, 0, 1)), "overloaded");
}

TEST_F(FileRangedSourceTest, WhatIsStoppedOrLateEndsWithoutTheFile) {
  const auto file = open("a.mp4");
  ASSERT_TRUE(file);
  std::stop_source stop;
  auto stopped = start_read(**file, 0, 1, {}, stop.get_token());
  auto late = start_read(**file, 0, 1, base::Deadline::after(std::chrono::milliseconds(1)));
  stop.request_stop();
  EXPECT_EQ(outcome_of(stopped.get()), "cancelled");
  EXPECT_EQ(outcome_of(late.get()), "deadline_exceeded");
  EXPECT_EQ(runner_.run_all(), 2u);
}

TEST_F(FileRangedSourceTest, AFileOutlivesItsSourceAndIsReadNoMore) {
  const auto file = open("a.mp4");
  ASSERT_TRUE(file);
  auto under_way = start_read(**file, 0, 1);
  drop_source();
  EXPECT_EQ(outcome_of(under_way.get()), "shutting_down");
  loop_->run([&] { EXPECT_EQ(outcome_of(start_read(**file, 0, 1).get()), "shutting_down"); });
  EXPECT_GE((*file)->descriptor(), 0);
  runner_.run_all();
}

TEST_F(FileRangedSourceTest, WithoutDescriptorsTheFaultIsOurs) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  auto result = start_open(*source_, FetchRequest{.locator = {SourceLocator::Kind::kFile, "a.mp4"}, .stop = {}});
  const rlimit none{3, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  runner_.run_all();
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(outcome_of(result.get()), "internal");
}

}  // namespace
}  // namespace optimux::source

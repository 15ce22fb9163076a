#include "server/file_watch.hpp"

#include <filesystem>
#include <fstream>
#include <functional>

#include <gtest/gtest.h>

#include "unit/server/tls_peer.hpp"

namespace optimux::server {
namespace {

namespace fs = std::filesystem;

class FileWatchTest : public testing::Test {
 protected:
  FileWatchTest() {
    files_.write("file", "one");
    files_.write("other", "one");
  }

  /// Whether `change` is seen.
  bool sees(const std::function<void()>& change) {
    changes_ = 0;
    change();
    const auto timer = loop_.reactor().start_timer(std::chrono::seconds(10), [this] { loop_.stop(); });
    loop_.run();
    loop_.reactor().cancel_timer(timer);
    return changes_ > 0;
  }
  /// Whether `change`, which should not matter, is seen. The event is there before the write has returned.
  bool is_misled_by(const std::function<void()>& change) {
    changes_ = 0;
    change();
    for (int i = 0; i < 10; ++i) loop_.run_ready();
    return changes_ > 0;
  }

  EventLoop loop_;
  TlsFiles files_;
  int changes_ = 0;
  FileWatch watch_{loop_,
                   [this] {
                     ++changes_;
                     loop_.stop();
                   },
                   std::chrono::milliseconds(0)};
};

TEST_F(FileWatchTest, SeesWritingReplacingRemovingAndMaking) {
  ASSERT_TRUE(watch_.watch({files_.path("file")}));
  EXPECT_TRUE(sees([&] { files_.write("file", "two"); }));
  EXPECT_TRUE(sees([&] {
    files_.write("new", "three");
    fs::rename(files_.path("new"), files_.path("file"));
  }));
  EXPECT_TRUE(sees([&] { fs::remove(files_.path("file")); }));
  EXPECT_TRUE(sees([&] { files_.write("file", "four"); }));
}

TEST_F(FileWatchTest, DoesNotCareForOthersInTheFolder) {
  ASSERT_TRUE(watch_.watch({files_.path("file")}));
  EXPECT_FALSE(is_misled_by([&] { files_.write("other", "two"); }));
  EXPECT_FALSE(is_misled_by([&] { std::ifstream(files_.path("file")).get(); }));
  EXPECT_TRUE(sees([&] { files_.write("file", "two"); }));
}

TEST_F(FileWatchTest, SeesALinkTurned) {
  fs::create_symlink("file", files_.path("first"));
  fs::create_symlink("first", files_.path("link"));
  ASSERT_TRUE(watch_.watch({files_.path("link")}));
  const auto turn = [&](const char* link, const char* target) {
    fs::create_symlink(target, files_.path("new"));
    fs::rename(files_.path("new"), files_.path(link));
  };
  EXPECT_TRUE(sees([&] { turn("first", "other"); }));
  ASSERT_TRUE(watch_.watch({files_.path("link")}));
  EXPECT_FALSE(is_misled_by([&] { files_.write("file", "no more"); }));
  EXPECT_TRUE(sees([&] { files_.write("other", "two"); }));
  EXPECT_TRUE(sees([&] { turn("link", "file"); }));
}

TEST_F(FileWatchTest, SeesTheLinkOfAFolderTurned) {
  fs::create_directory(files_.path("v1"));
  fs::create_directory(files_.path("v2"));
  files_.write("v1/file", "one");
  files_.write("v2/file", "two");
  fs::create_directory_symlink("v1", files_.path("data"));
  fs::create_symlink("data/file", files_.path("link"));
  ASSERT_TRUE(watch_.watch({files_.path("link")}));
  EXPECT_TRUE(sees([&] {
    fs::create_directory_symlink("v2", files_.path("new"));
    fs::rename(files_.path("new"), files_.path("data"));
  }));
  ASSERT_TRUE(watch_.watch({files_.path("link")}));
  EXPECT_TRUE(sees([&] { files_.write("v2/file", "three"); }));
}

TEST_F(FileWatchTest, SeveralChangesAreOne) {
  ASSERT_TRUE(watch_.watch({files_.path("file"), files_.path("other")}));
  EXPECT_TRUE(sees([&] {
    files_.write("file", "two");
    files_.write("other", "two");
  }));
  EXPECT_FALSE(is_misled_by([] {}));
}

TEST_F(FileWatchTest, LinksInACircleEnd) {
  fs::create_symlink("b", files_.path("a"));
  fs::create_symlink("a", files_.path("b"));
  EXPECT_TRUE(watch_.watch({files_.path("a")}));
  EXPECT_TRUE(sees([&] { fs::remove(files_.path("b")); }));
}

TEST_F(FileWatchTest, AFolderThatIsNotThereIsAnErrorAndTheOthersAreWatched) {
  const auto status = watch_.watch({files_.path("missing/file"), files_.path("file")});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().cause, files_.path("missing") + ": No such file or directory");
  EXPECT_TRUE(sees([&] { files_.write("file", "two"); }));
}

TEST_F(FileWatchTest, NothingIsWatchedAnyMore) {
  ASSERT_TRUE(watch_.watch({files_.path("file")}));
  ASSERT_TRUE(watch_.watch({}));
  EXPECT_FALSE(is_misled_by([&] { files_.write("file", "two"); }));
}

}  // namespace
}  // namespace optimux::server

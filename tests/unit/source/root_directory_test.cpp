#include "source/root_directory.hpp"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "unit/source/descriptor_leaks.hpp"
#include "unit/source/temporary_folder.hpp"

namespace optimux::source {
namespace {

namespace fs = std::filesystem;
using Resolution = RootDirectory::Resolution;

// Every case for both ways of resolving: what one refuses the other must refuse.
class RootDirectoryTest : public WithoutDescriptorLeaks, public ::testing::WithParamInterface<Resolution> {
 protected:
  RootDirectoryTest() {
    folder_.write("root/inside.jpg", "inside");
    folder_.write("root/dir/deep.jpg", "deep");
    folder_.write("secret.jpg", "secret");
    folder_.write("root-leak/secret.jpg", "secret");
    root_ = *RootDirectory::make(folder_ / "root", GetParam());
  }

  // The file's content, or the name of the error.
  std::string read(std::string_view key) const {
    const auto file = root_.open(key);
    if (!file) return std::string(base::name_of(file.error().code));
    std::array<char, 64> buffer{};
    const auto count = ::read(file->get(), buffer.data(), buffer.size());
    return std::string(buffer.data(), static_cast<std::size_t>(count));
  }

  TemporaryFolder folder_;
  RootDirectory root_;
};

TEST_P(RootDirectoryTest, OpensWhatIsInside) {
  EXPECT_EQ(read("inside.jpg"), "inside");
  EXPECT_EQ(read("dir/deep.jpg"), "deep");
  EXPECT_EQ(read("dir//deep.jpg"), "deep");
  EXPECT_EQ(read("./dir/./deep.jpg"), "deep");
}

TEST_P(RootDirectoryTest, TakesKeysByteForByte) {
  for (const std::string name :
       {"3js%205-x.jpg", "John_Doe #1 (P 1)[5].jpg", "..hidden", "a..", "\xFF\xFE.jpg", "%2e%2e"}) {
    folder_.write("root/" + name, name);
    EXPECT_EQ(read(name), name);
  }
  EXPECT_EQ(read("3js 5-x.jpg"), "not_found");
}

TEST_P(RootDirectoryTest, HasNoWayOut) {
  for (const std::string key : {"../secret.jpg", "dir/../../secret.jpg", "..", "../root-leak/secret.jpg",
                                "dir/../inside.jpg", "/etc/passwd", "//etc/passwd", "%2e%2e/secret.jpg",
                                "..%2fsecret.jpg", "%252e%252e/secret.jpg", "\xEF\xBC\x8E\xEF\xBC\x8E/secret.jpg",
                                "..\\secret.jpg", "-leak/secret.jpg", "/../secret.jpg", "./../secret.jpg"}) {
    EXPECT_EQ(read(key), "not_found") << key;
  }
  EXPECT_EQ(read((folder_ / "secret.jpg").string()), "not_found");
  EXPECT_EQ(read(std::string_view("inside.jpg\0.png", 15)), "not_found");
  EXPECT_EQ(read(std::string_view("..\0/secret.jpg", 14)), "not_found");
}

TEST_P(RootDirectoryTest, FollowsNoLinkThatLeadsOut) {
  fs::create_symlink("../secret.jpg", folder_ / "root/relative.jpg");
  fs::create_symlink(folder_ / "secret.jpg", folder_ / "root/absolute.jpg");
  fs::create_symlink(folder_ / "root/inside.jpg", folder_ / "root/absolute-inside.jpg");
  fs::create_symlink("..", folder_ / "root/up");
  fs::create_symlink("/", folder_ / "root/slash");
  fs::create_symlink("loop", folder_ / "root/loop");
  fs::create_symlink("/proc/self/root", folder_ / "root/magic");
  for (const std::string key : {"relative.jpg", "absolute.jpg", "absolute-inside.jpg", "up/secret.jpg",
                                "slash/etc/passwd", "loop", "magic/etc/passwd"}) {
    EXPECT_EQ(read(key), "not_found") << key;
  }
}

TEST_P(RootDirectoryTest, FollowsLinksWithinOnlyWhereTheKernelCanHoldThem) {
  fs::create_symlink("inside.jpg", folder_ / "root/link.jpg");
  fs::create_symlink("dir", folder_ / "root/linked");
  fs::create_symlink("../inside.jpg", folder_ / "root/dir/up.jpg");
  const bool by_kernel = GetParam() == Resolution::kKernel;
  EXPECT_EQ(read("link.jpg"), by_kernel ? "inside" : "not_found");
  EXPECT_EQ(read("linked/deep.jpg"), by_kernel ? "deep" : "not_found");
  EXPECT_EQ(read("dir/up.jpg"), by_kernel ? "inside" : "not_found");
}

TEST_P(RootDirectoryTest, OpensRegularFilesOnly) {
  ASSERT_EQ(::mkfifo((folder_ / "root/fifo").c_str(), 0600), 0);
  const Descriptor listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string socket_path = folder_ / "root/socket";
  ASSERT_LT(socket_path.size(), sizeof address.sun_path);
  socket_path.copy(address.sun_path, socket_path.size());
  ASSERT_EQ(::bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  for (const std::string key : {"fifo", "socket", "dir", "dir/", ".", ""}) EXPECT_EQ(read(key), "not_found") << key;
}

TEST_P(RootDirectoryTest, OpensNoDevice) {
  const RootDirectory devices = *RootDirectory::make("/dev", GetParam());
  EXPECT_EQ(devices.open("null").error().code, base::ErrorCode::kNotFound);
  EXPECT_EQ(devices.open("zero").error().code, base::ErrorCode::kNotFound);
}

TEST_P(RootDirectoryTest, TellsClientsNothingButThatThereIsNone) {
  fs::permissions(folder_ / "root/inside.jpg", fs::perms::none);
  fs::create_symlink("../secret.jpg", folder_ / "root/out.jpg");
  for (const std::string key : {"missing.jpg", "out.jpg", "dir", "../secret.jpg", "inside.jpg/x"}) {
    const auto file = root_.open(key);
    ASSERT_FALSE(file) << key;
    EXPECT_EQ(file.error().code, base::ErrorCode::kNotFound) << key;
    EXPECT_EQ(file.error().detail, "there is no such source") << key;
    EXPECT_NE(file.error().cause.find(key), std::string::npos) << file.error().cause;
  }
  if (::geteuid() != 0) {  // Root may read everything.
    EXPECT_EQ(read("inside.jpg"), "not_found");
  }
}

TEST_P(RootDirectoryTest, RefusesNamesThatAreTooLong) {
  EXPECT_EQ(read(std::string(256, 'a')), "not_found");
  EXPECT_EQ(read(std::string(5000, '/') + "inside.jpg"), "not_found");
  std::string deep;
  for (int i = 0; i < 3000; ++i) deep += "./";
  EXPECT_EQ(read(deep + "../../secret.jpg"), "not_found");
}

TEST_P(RootDirectoryTest, SeesAFolderThatTookThePlaceOfTheRoot) {
  fs::rename(folder_ / "root", folder_ / "old");
  folder_.write("root/inside.jpg", "new");
  EXPECT_EQ(read("inside.jpg"), "new");
  fs::remove_all(folder_ / "root");
  EXPECT_EQ(read("inside.jpg"), "not_found");
}

INSTANTIATE_TEST_SUITE_P(Resolutions, RootDirectoryTest, ::testing::Values(Resolution::kKernel, Resolution::kWalk),
                         [](const auto& resolution) {
                           return resolution.param == Resolution::kKernel ? "Kernel" : "Walk";
                         });

TEST(RootDirectoryMakeTest, NeedsAFolder) {
  const TemporaryFolder folder;
  folder.write("file", "");
  for (const std::string name : {"missing", "file"}) {
    const auto root = RootDirectory::make(folder / name);
    ASSERT_FALSE(root);
    EXPECT_EQ(root.error().code, base::ErrorCode::kInvalidParameter);
    EXPECT_NE(root.error().detail.find(folder / name), std::string::npos);
  }
}

TEST(RootDirectoryMakeTest, WithoutARootThereIsNoFile) {
  for (const char* key : {"etc/passwd", "../a", "missing"}) {
    const auto file = RootDirectory().open(key);
    ASSERT_FALSE(file);
    EXPECT_EQ(file.error().code, base::ErrorCode::kNotFound);
    EXPECT_EQ(file.error().detail, "no store is configured");
  }
}

}  // namespace
}  // namespace optimux::source

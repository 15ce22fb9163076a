#include "optimux/pool/cpu_count.hpp"

#include <gtest/gtest.h>
#include <unistd.h>
#include <filesystem>
#include <fstream>

namespace optimux::pool {
namespace {

namespace fs = std::filesystem;

/// A made-up root with the files that the parser reads.
class FakeRoot {
 public:
  FakeRoot() {
    std::string pattern = (fs::temp_directory_path() / "optimux-cpu-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  FakeRoot(const FakeRoot&) = delete;
  FakeRoot& operator=(const FakeRoot&) = delete;
  ~FakeRoot() { fs::remove_all(path_); }

  FakeRoot& file(const std::string& name, const std::string& content) {
    const fs::path path = path_.string() + name;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << content;
    return *this;
  }
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  fs::path path_;
};

constexpr const char* kVersion2Mount =
    "25 1 0:22 / / rw - ext4 /dev/sda1 rw\n"
    "30 25 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw\n";

TEST(CpuCount, WithoutControlGroupsThereIsNoQuota) {
  const FakeRoot root;
  EXPECT_FALSE(read_cpu_quota(root.path()).cpus);
}

TEST(CpuCount, ReadsTheQuotaOfVersion2) {
  FakeRoot root;
  root.file("/proc/self/mountinfo", kVersion2Mount)
      .file("/proc/self/cgroup", "0::/service\n")
      .file("/sys/fs/cgroup/service/cpu.max", "150000 100000\n");
  const CpuQuota quota = read_cpu_quota(root.path());
  EXPECT_DOUBLE_EQ(quota.cpus.value(), 1.5);
  EXPECT_EQ(quota.file, "/sys/fs/cgroup/service/cpu.max");
}

TEST(CpuCount, TakesTheSmallestQuotaOfAllAncestors) {
  FakeRoot root;
  root.file("/proc/self/mountinfo", kVersion2Mount)
      .file("/proc/self/cgroup", "0::/a/b/c\n")
      .file("/sys/fs/cgroup/a/cpu.max", "80000 100000\n")
      .file("/sys/fs/cgroup/a/b/cpu.max", "max 100000\n")
      .file("/sys/fs/cgroup/a/b/c/cpu.max", "400000 100000\n");
  const CpuQuota quota = read_cpu_quota(root.path());
  EXPECT_DOUBLE_EQ(quota.cpus.value(), 0.8);
  EXPECT_EQ(quota.file, "/sys/fs/cgroup/a/cpu.max");
}

TEST(CpuCount, MaxIsNoLimitAndAMissingPeriodIsTheDefault) {
  FakeRoot root;
  root.file("/proc/self/mountinfo", kVersion2Mount)
      .file("/proc/self/cgroup", "0::/a\n")
      .file("/sys/fs/cgroup/a/cpu.max", "max 100000\n");
  EXPECT_FALSE(read_cpu_quota(root.path()).cpus);
  root.file("/sys/fs/cgroup/a/cpu.max", "250000");
  EXPECT_DOUBLE_EQ(read_cpu_quota(root.path()).cpus.value(), 2.5);
}

TEST(CpuCount, BrokenFilesDoNotLimit) {
  FakeRoot root;
  root.file("/proc/self/mountinfo", std::string("nonsense\n- - - -\n") + kVersion2Mount)
      .file("/proc/self/cgroup", "nonsense\n0:\n0::/a\n")
      .file("/sys/fs/cgroup/a/cpu.max", "many 0\n");
  EXPECT_FALSE(read_cpu_quota(root.path()).cpus);
  root.file("/sys/fs/cgroup/a/cpu.max", "-5 100000\n");
  EXPECT_FALSE(read_cpu_quota(root.path()).cpus);
}

TEST(CpuCount, ReadsTheQuotaOfVersion1) {
  FakeRoot root;
  root.file("/proc/self/mountinfo",
            "31 25 0:27 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
            "32 25 0:28 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n")
      .file("/proc/self/cgroup", "5:cpuset:/x\n4:cpu,cpuacct:/x/y\n")
      .file("/sys/fs/cgroup/cpu,cpuacct/x/cpu.cfs_quota_us", "300000\n")
      .file("/sys/fs/cgroup/cpu,cpuacct/x/cpu.cfs_period_us", "100000\n")
      .file("/sys/fs/cgroup/cpu,cpuacct/x/y/cpu.cfs_quota_us", "-1\n")
      .file("/sys/fs/cgroup/cpu,cpuacct/x/y/cpu.cfs_period_us", "100000\n");
  const CpuQuota quota = read_cpu_quota(root.path());
  EXPECT_DOUBLE_EQ(quota.cpus.value(), 3);
  EXPECT_EQ(quota.file, "/sys/fs/cgroup/cpu,cpuacct/x/cpu.cfs_quota_us");
}

TEST(CpuCount, InAMixedHierarchyTheSmallerOfBothVersionsCounts) {
  FakeRoot root;
  root.file("/proc/self/mountinfo",
            "31 25 0:27 / /cg/cpu rw - cgroup cgroup rw,cpu\n"
            "33 25 0:29 / /cg/unified rw - cgroup2 cgroup2 rw\n")
      .file("/proc/self/cgroup", "4:cpu:/x\n0::/x\n")
      .file("/cg/cpu/x/cpu.cfs_quota_us", "200000\n")
      .file("/cg/cpu/x/cpu.cfs_period_us", "100000\n")
      .file("/cg/unified/x/cpu.max", "100000 100000\n");
  EXPECT_DOUBLE_EQ(read_cpu_quota(root.path()).cpus.value(), 1);
}

TEST(CpuCount, AContainerThatMountsItsOwnGroupSeesItsQuota) {
  FakeRoot root;
  root.file("/proc/self/mountinfo", "31 25 0:27 /docker/abc /sys/fs/cgroup/cpu ro - cgroup cgroup rw,cpu\n")
      .file("/proc/self/cgroup", "4:cpu:/docker/abc\n")
      .file("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "50000\n")
      .file("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_DOUBLE_EQ(read_cpu_quota(root.path()).cpus.value(), 0.5);
}

TEST(CpuCount, AGroupOutsideOfTheNamespaceLeavesTheMountedRoot) {
  FakeRoot root;
  root.file("/proc/self/mountinfo", kVersion2Mount)
      .file("/proc/self/cgroup", "0::/../other\n")
      .file("/sys/fs/cgroup/cpu.max", "100000 50000\n");
  EXPECT_DOUBLE_EQ(read_cpu_quota(root.path()).cpus.value(), 2);
}

TEST(CpuCount, UnescapesMountPoints) {
  FakeRoot root;
  root.file("/proc/self/mountinfo", "30 25 0:26 / /my\\040groups rw - cgroup2 cgroup2 rw\n")
      .file("/proc/self/cgroup", "0::/\n")
      .file("/my groups/cpu.max", "100000 100000\n");
  EXPECT_DOUBLE_EQ(read_cpu_quota(root.path()).cpus.value(), 1);
}

TEST(CpuCount, RoundsUpAndIsAtLeastOne) {
  EXPECT_EQ(combine(8, {1.5, "f"}).cpus, 2);
  EXPECT_EQ(combine(8, {0.1, "f"}).cpus, 1);
  EXPECT_EQ(combine(8, {3.0, "f"}).cpus, 3);
  EXPECT_EQ(combine(0, {}).cpus, 1);
}

TEST(CpuCount, SaysWhatDecided) {
  EXPECT_EQ(combine(8, {2.0, "/sys/fs/cgroup/cpu.max"}).source, "/sys/fs/cgroup/cpu.max");
  EXPECT_EQ(combine(2, {4.0, "/sys/fs/cgroup/cpu.max"}).source, "affinity");
  EXPECT_EQ(combine(2, {}).source, "affinity");
  EXPECT_DOUBLE_EQ(combine(2, {4.0, "f"}).quota.value(), 4);
}

TEST(CpuCount, CountsThisMachine) {
  const CpuCount count = count_cpus();
  EXPECT_GE(count.cpus, 1);
  EXPECT_LE(count.cpus, count.affinity);
  EXPECT_FALSE(count.source.empty());
}

}  // namespace
}  // namespace optimux::pool

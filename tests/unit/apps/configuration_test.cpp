#include "apps/optimux/settings/configuration.hpp"

#include "apps/optimux/settings/option_table.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>

namespace optimux::apps {
namespace {

class ConfigurationTest : public testing::Test {
 protected:
  ~ConfigurationTest() override { std::remove(path_.c_str()); }

  void write_file(std::string_view text) {
    std::ofstream(path_) << text;
    inputs_.file = path_;
  }
  void set_variable(const std::string& name, const std::string& text) { inputs_.environment[name] = text; }
  void set_flag(std::string_view key, const std::string& text) { inputs_.flags.emplace_back(find_option(key), text); }

  // All problems, one a line; empty when the configuration is right.
  std::string problems() const {
    std::string out;
    const auto configuration = load_configuration(inputs_);
    if (configuration) return out;
    for (const Problem& problem : configuration.error()) out += problem.text() + "\n";
    return out;
  }
  std::string origin_of(std::string_view key) const {
    const auto configuration = load_configuration(inputs_);
    if (!configuration) return "no configuration";
    const Origin& origin = configuration->origin_of(*find_option(key));
    return std::string(name_of(origin.kind)) + " " + origin.place;
  }

  const std::string path_ = testing::TempDir() + "configuration_test_" +
                            testing::UnitTest::GetInstance()->current_test_info()->name() + ".toml";
  ConfigurationInputs inputs_;
};

TEST_F(ConfigurationTest, NothingGivenGivesTheDefaults) {
  const auto configuration = load_configuration(inputs_);
  ASSERT_TRUE(configuration);
  EXPECT_TRUE(changed_options(configuration->settings(), Settings{}).empty());
  EXPECT_EQ(origin_of("listen"), "default ");
}

TEST_F(ConfigurationTest, AFlagIsStrongerThanAVariableAndAVariableThanTheFile) {
  write_file("\nimage_queue = 10\n");
  EXPECT_EQ(load_configuration(inputs_)->settings().image_pool.queue, 10);
  EXPECT_EQ(origin_of("image_queue"), "file " + path_ + ":2");
  set_variable("OPTIMUX_IMAGE_QUEUE", "20");
  EXPECT_EQ(load_configuration(inputs_)->settings().image_pool.queue, 20);
  EXPECT_EQ(origin_of("image_queue"), "environment OPTIMUX_IMAGE_QUEUE");
  set_flag("image_queue", "30");
  EXPECT_EQ(load_configuration(inputs_)->settings().image_pool.queue, 30);
  EXPECT_EQ(origin_of("image_queue"), "flag --image-queue");
}

TEST_F(ConfigurationTest, AFormerNameStillWorks) {
  using std::chrono::milliseconds;
  write_file("memory_cache_time = '7s'\n");
  EXPECT_EQ(load_configuration(inputs_)->settings().service.cache_time, milliseconds(7'000));
  EXPECT_EQ(origin_of("cache_time"), "file " + path_ + ":1");
  set_variable("OPTIMUX_MEMORY_CACHE_TIME", "8s");
  EXPECT_EQ(load_configuration(inputs_)->settings().service.cache_time, milliseconds(8'000));
  EXPECT_EQ(find_option("memory_cache_time"), find_option("cache_time"));
  EXPECT_EQ(find_option("cache_time")->former_flag(), "--memory-cache-time");
  EXPECT_EQ(find_option("memory_cache")->former_flag(), "");
}

TEST_F(ConfigurationTest, ARepeatedFlagIsAListOrTheLastOne) {
  set_flag("listen", "127.0.0.1:1");
  set_flag("listen", "127.0.0.1:2");
  set_flag("image_queue", "1");
  set_flag("image_queue", "2");
  const auto configuration = load_configuration(inputs_);
  ASSERT_TRUE(configuration);
  EXPECT_EQ(configuration->settings().server.listen, (std::vector<std::string>{"127.0.0.1:1", "127.0.0.1:2"}));
  EXPECT_EQ(configuration->settings().image_pool.queue, 2);
}

TEST_F(ConfigurationTest, TheFileMayBeNamedByAVariable) {
  write_file("docs = false\n");
  inputs_.file.clear();
  set_variable("OPTIMUX_CONFIG", path_);
  EXPECT_EQ(origin_of("docs"), "file " + path_ + ":1");
}

TEST_F(ConfigurationTest, AMissingFileIsAnError) {
  inputs_.file = "/no/such/file.toml";
  EXPECT_EQ(problems(), "/no/such/file.toml: cannot be opened\n");
}

TEST_F(ConfigurationTest, AllProblemsOfAllSourcesAreNamed) {
  write_file("image_queue = 0\n");
  set_variable("OPTIMUX_DOCS", "perhaps");
  set_flag("memory_cache", "much");
  EXPECT_EQ(problems(), path_ +
                            ":1: image_queue: 0 is out of range: expected 1 to 1000000\n"
                            "OPTIMUX_DOCS: docs: 'perhaps' is not a truth value: expected true or false\n"
                            "--memory-cache: memory_cache: 'much' is not a size (as in 64MiB, 512KiB or 4096): "
                            "expected 0B to 1TiB\n");
}

TEST_F(ConfigurationTest, AnUnknownVariableIsAWarning) {
  set_variable("OPTIMUX_SERVICE_HOST", "10.0.0.1");
  const auto configuration = load_configuration(inputs_);
  ASSERT_TRUE(configuration);
  ASSERT_EQ(configuration->warnings().size(), 1U);
  EXPECT_EQ(configuration->warnings()[0].text(),
            "OPTIMUX_SERVICE_HOST: is no option of this program and has no effect");
}

TEST_F(ConfigurationTest, WorkerLimitsMustNotCross) {
  set_flag("image_workers_min", "5");
  EXPECT_EQ(problems(), "");
  set_flag("image_workers_max", "4");
  EXPECT_EQ(problems(),
            "--image-workers-min: image_workers_min: 5 is more than image_workers_max, which is 4 "
            "(--image-workers-max)\n");
  inputs_.flags.clear();
  write_file("\nimage_workers_min = 5\n");
  set_variable("OPTIMUX_IMAGE_WORKERS_MAX", "4");
  EXPECT_EQ(problems(), path_ +
                            ":2: image_workers_min: 5 is more than image_workers_max, which is 4 "
                            "(OPTIMUX_IMAGE_WORKERS_MAX)\n");
}

TEST_F(ConfigurationTest, AnAdminAddressForOthersMustBeMeant) {
  set_flag("admin", "0.0.0.0:8812");
  EXPECT_EQ(problems().substr(0, 59), "--admin: admin: '0.0.0.0:8812' can be reached from other ma");
  set_flag("admin_allow_remote", "true");
  EXPECT_EQ(problems(), "");
}

TEST_F(ConfigurationTest, TheAdminListenerCanBeSwitchedOff) {
  set_flag("admin", "");
  EXPECT_EQ(problems(), "");
}

TEST_F(ConfigurationTest, ThereMustBeAnAddressToListenOn) {
  write_file("listen = []\n");
  EXPECT_EQ(problems(), path_ + ":1: listen: needs at least one address\n");
}

TEST_F(ConfigurationTest, TlsAloneIsAnAddressAndNeedsACertificate) {
  write_file("listen = []\nlisten_tls = ['8443']\ntls_key = 'key.pem'\n");
  EXPECT_EQ(problems(),
            path_ + ":2: listen_tls: needs tls_certificate\n" + path_ + ":3: tls_key: needs tls_certificate\n");
  set_flag("tls_certificate", "certificate.pem");
  EXPECT_EQ(problems(), "");
}

TEST_F(ConfigurationTest, PixelsOfAFrameAreNotMoreThanOfAll) {
  set_flag("max_total_pixels", "10");
  EXPECT_EQ(problems(), "max_frame_pixels: 50000000 is more than max_total_pixels, which is 10 (--max-total-pixels)\n");
}

TEST_F(ConfigurationTest, ALowSpeedTimeThatTheWholeFetchDoesNotHaveIsAWarning) {
  const auto warnings = [this] {
    std::string out;
    const auto configuration = load_configuration(inputs_);
    for (const Problem& problem : configuration->warnings()) out += problem.text() + "\n";
    return out;
  };
  set_flag("fetch_timeout", "1s");
  EXPECT_EQ(warnings(), "");  // Nobody has chosen the other.
  set_flag("fetch_low_speed_time", "1s");
  EXPECT_EQ(warnings(),
            "--fetch-low-speed-time: fetch_low_speed_time: 1s is not less than fetch_timeout, which is 1s "
            "(--fetch-timeout): it has no effect\n");
  set_flag("fetch_timeout", "2s");
  EXPECT_EQ(warnings(), "");
}

TEST_F(ConfigurationTest, ByDefaultTheLowSpeedTimeCanAct) {
  EXPECT_LT(Settings{}.origin.low_speed_time, Settings{}.origin.total_timeout);
}

TEST_F(ConfigurationTest, ChangesAreNamed) {
  set_flag("unix_mode", "0600");
  set_flag("image_queue", "5");
  const auto changed = changed_options(Settings{}, load_configuration(inputs_)->settings());
  ASSERT_EQ(changed.size(), 2U);
  EXPECT_EQ(changed[0]->key, "unix_mode");
  EXPECT_EQ(changed[1]->key, "image_queue");
}

}  // namespace
}  // namespace optimux::apps

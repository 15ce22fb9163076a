#include "server/tls_keeper.hpp"

#include <gtest/gtest.h>

#include "unit/server/recording_log.hpp"
#include "unit/server/tls_peer.hpp"

namespace optimux::server {
namespace {

class TlsKeeperTest : public testing::Test {
 protected:
  std::string name_in_use() const { return keeper_.context()->certificate().names.front(); }

  /// Runs the loop until the log has been told something new.
  void run_until_logged() {
    const auto timer = loop_.reactor().start_timer(std::chrono::seconds(20), [this] { loop_.stop(); });
    log_.when_written([this] { loop_.stop(); });
    loop_.run();
    log_.when_written(nullptr);
    loop_.reactor().cancel_timer(timer);
  }

  /// A log that tells when it is written to.
  class Log final : public base::LogSink {
   public:
    void write(base::LogLevel level, std::string_view event, std::span<const base::LogField> fields) override {
      lines_.write(level, event, fields);
      if (written_) written_();
    }
    void set_level(base::LogLevel) override {}
    base::LogLevel level() const override { return base::LogLevel::kDebug; }
    void when_written(std::function<void()> written) { written_ = std::move(written); }
    std::string wait_for(std::string_view text) { return lines_.wait_for(text); }

   private:
    RecordingLog lines_;
    std::function<void()> written_;
  };

  EventLoop loop_;
  Log log_;
  Metrics metrics_;
  TlsFiles files_{make_test_certificate("first.example")};
  TlsKeeper keeper_{loop_, log_, metrics_};
};

TEST_F(TlsKeeperTest, WithoutSettingsThereIsNoTls) {
  EXPECT_TRUE(keeper_.configure(std::nullopt));
  EXPECT_EQ(keeper_.context(), nullptr);
  ASSERT_TRUE(keeper_.configure(files_.settings()));
  EXPECT_NE(keeper_.context(), nullptr);
  EXPECT_TRUE(keeper_.configure(std::nullopt));
  EXPECT_EQ(keeper_.context(), nullptr);
}

TEST_F(TlsKeeperTest, NewFilesAreTakenOverByThemselves) {
  ASSERT_TRUE(keeper_.configure(files_.settings()));
  EXPECT_NE(log_.wait_for("event=certificate names=first.example").find("ends="), std::string::npos);
  const auto before = keeper_.context();
  files_.write(make_test_certificate("second.example"));
  run_until_logged();
  EXPECT_EQ(name_in_use(), "second.example");
  EXPECT_EQ(before->certificate().names.front(), "first.example");  // For those who began with it.
}

TEST_F(TlsKeeperTest, BadFilesChangeNothingUntilTheyAreMended) {
  ASSERT_TRUE(keeper_.configure(files_.settings()));
  const auto second = make_test_certificate("second.example");
  files_.write("certificate.pem", second.certificate);
  run_until_logged();
  EXPECT_EQ(name_in_use(), "first.example");
  EXPECT_NE(log_.wait_for("certificate not reloaded").find("is not the key of the certificate"), std::string::npos);
  files_.write("key.pem", second.key);
  run_until_logged();
  EXPECT_EQ(name_in_use(), "second.example");
}

TEST_F(TlsKeeperTest, BadSettingsChangeNothing) {
  ASSERT_TRUE(keeper_.configure(files_.settings()));
  auto settings = files_.settings();
  settings.key_path = files_.path("missing");
  EXPECT_FALSE(keeper_.configure(settings));
  EXPECT_EQ(name_in_use(), "first.example");
}

TEST_F(TlsKeeperTest, CertificatesOutOfTheirTimeAreUsedWithAWarning) {
  files_.write(make_test_certificate("old.example", -20, -10));
  ASSERT_TRUE(keeper_.configure(files_.settings()));
  log_.wait_for("certificate has expired");
  files_.write(make_test_certificate("young.example", 10, 20));
  ASSERT_TRUE(keeper_.configure(files_.settings()));
  log_.wait_for("certificate is not valid yet");
  EXPECT_EQ(name_in_use(), "young.example");
}

}  // namespace
}  // namespace optimux::server

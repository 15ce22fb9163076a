#include "apps/optimux/settings/path_checks.hpp"

#include "apps/optimux/settings/option_table.hpp"
#include "unit/apps/temporary_folder.hpp"
#include "unit/server/tls_peer.hpp"

#include <gtest/gtest.h>

namespace optimux::apps {
namespace {

class PathChecksTest : public testing::Test {
 protected:
  // All problems, one a line, with `text` as the value of the flag of `key`.
  static std::string problems(std::string_view key, const std::string& text, const FlagValues& others = {}) {
    ConfigurationInputs inputs;
    inputs.flags = others;
    inputs.flags.emplace_back(find_option(key), text);
    std::string out;
    for (const Problem& problem :
         check_paths(*load_configuration(inputs), [](const Option& option) { return option.key != "listen"; })) {
      out += problem.text() + "\n";
    }
    return out;
  }

  TemporaryFolder folder_;
};

TEST_F(PathChecksTest, NothingNamedIsRight) {
  EXPECT_EQ(problems("root", ""), "");
  EXPECT_EQ(problems("origin_ca_file", ""), "");
}

TEST_F(PathChecksTest, ARootMustBeAFolder) {
  EXPECT_EQ(problems("root", folder_.path()), "");
  const std::string missing = (folder_ / "missing").string();
  EXPECT_EQ(problems("root", missing),
            "--root: root: cannot open the folder '" + missing + "': No such file or directory\n");
  const std::string file = folder_.write("file").string();
  EXPECT_EQ(problems("root", file), "--root: root: cannot open the folder '" + file + "': Not a directory\n");
}

TEST_F(PathChecksTest, AuthoritiesMustBeCertificates) {
  const auto said_of = [](const std::string& path) {
    const std::string said = problems("origin_ca_file", path);
    const std::string prefix = "--origin-ca-file: origin_ca_file: ";
    return said.starts_with(prefix) ? said.substr(prefix.size()) : said;
  };
  const std::string missing = (folder_ / "missing.pem").string();
  EXPECT_EQ(said_of(missing), "cannot open the file '" + missing + "': No such file or directory\n");
  EXPECT_EQ(said_of(folder_.path()), "'" + folder_.path().string() + "' is no regular file\n");
  const std::string key = folder_.write("key.pem", "-----BEGIN PRIVATE KEY-----\n").string();
  EXPECT_EQ(said_of(key), "'" + key + "' holds no certificate in PEM form\n");
  EXPECT_EQ(said_of(folder_.write("good.pem", "# text\n-----BEGIN CERTIFICATE-----\n").string()), "");
}

TEST_F(PathChecksTest, KeysMustBePrivateKeys) {
  const server::TlsFiles files(server::make_test_certificate("a.example"));
  const FlagValues others = {{find_option("tls_certificate"), files.certificate()}};
  EXPECT_EQ(problems("tls_key", files.key(), others), "");
  EXPECT_EQ(problems("tls_key", files.certificate(), others),
            "--tls-key: tls_key: '" + files.certificate() + "' holds no private key in PEM form\n");
}

TEST_F(PathChecksTest, ACertificateAndItsKeyGoTogether) {
  const auto certificate = server::make_test_certificate("a.example");
  const server::TlsFiles files(certificate);
  files.write("both.pem", certificate.certificate + certificate.key);
  files.write("other.pem", server::make_test_certificate("b.example").key);
  files.write("broken.pem", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
  const FlagValues others = {{find_option("tls_certificate"), files.certificate()}};
  EXPECT_EQ(problems("tls_key", files.path("other.pem"), others), "--tls-key: tls_key: '" + files.path("other.pem") +
                                                                      "' is not the key of the certificate in '" +
                                                                      files.certificate() + "'\n");
  EXPECT_EQ(problems("tls_certificate", files.path("both.pem")), "");
  EXPECT_EQ(problems("tls_certificate", files.certificate()),
            "tls_key: '" + files.certificate() + "' holds no private key in PEM form\n");
  EXPECT_EQ(
      problems("tls_certificate", files.path("broken.pem")),
      "--tls-certificate: tls_certificate: '" + files.path("broken.pem") + "' holds no certificate in PEM form\n");
}

TEST_F(PathChecksTest, OptionsOfOtherCommandsAreNotLookedAt) {
  ConfigurationInputs inputs;
  inputs.flags.emplace_back(find_option("root"), (folder_ / "missing").string());
  EXPECT_TRUE(
      check_paths(*load_configuration(inputs), [](const Option& option) { return option.key != "root"; }).empty());
}

}  // namespace
}  // namespace optimux::apps

#pragma once

#include <map>
#include <string>

#include "source/credential_provider.hpp"
#include "source/text_file_reader.hpp"

namespace optimux::source {

/// Credentials from variables that were read when the process began.
class EnvironmentCredentials final : public CredentialProvider {
 public:
  explicit EnvironmentCredentials(const std::map<std::string, std::string>& environment);
  void load(Callback callback) override;

 private:
  S3Credentials credentials_;
};

/// Credentials from a section of a shared credentials file, which is read anew each time.
class ProfileCredentials final : public CredentialProvider {
 public:
  /// `was_chosen`: somebody has named file or profile, so that to find nothing there is an error. `reactor` and
  /// `runner` as for TextFileReader.
  ProfileCredentials(std::string file, std::string profile, bool was_chosen, Reactor& reactor, BlockingRunner runner);
  void load(Callback callback) override;

 private:
  const std::string file_;
  const std::string profile_;
  const bool was_chosen_;
  TextFileReader reader_;
};

/// The value of a variable; empty if there is none.
std::string variable(const std::map<std::string, std::string>& environment, const std::string& name);

}  // namespace optimux::source

#pragma once

#include <map>
#include <string>

#include "source/credential_provider.hpp"
#include "source/metadata_client.hpp"
#include "source/text_file_reader.hpp"

namespace optimux::source {

/// The role of a task or pod, from the agent beside it: `AWS_CONTAINER_CREDENTIALS_RELATIVE_URI` at 169.254.170.2, or
/// `AWS_CONTAINER_CREDENTIALS_FULL_URI`, which must be https or lead to this machine or to one of the agents' fixed
/// addresses; with the token of `AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE` or `AWS_CONTAINER_AUTHORIZATION_TOKEN`.
class ContainerCredentials final : public CredentialProvider {
 public:
  /// `http`, `reactor` and `runner` as in `make_credential_providers`.
  ContainerCredentials(const std::map<std::string, std::string>& environment, const HttpContext& http, Reactor& reactor,
                       BlockingRunner runner);
  void load(Callback callback) override;

 private:
  void ask(const std::string& token, const Callback& callback);

  std::string url_;
  const std::string token_;
  const std::string token_file_;
  TextFileReader reader_;
  MetadataClient client_;
};

/// The role of a virtual machine, from its metadata service. Version 2 alone: the one that a request forged by somebody
/// else's URL does not pass, because it asks for a token by PUT first.
class InstanceCredentials final : public CredentialProvider {
 public:
  InstanceCredentials(const std::map<std::string, std::string>& environment, const HttpContext& http);
  void load(Callback callback) override;

 private:
  void ask_for_role(std::string token, const Callback& callback);
  void ask_for_keys(const std::string& token, const std::string& role, const Callback& callback);

  std::string endpoint_;  ///< Empty: switched off.
  MetadataClient client_;
};

/// The role of a service account, from STS: `AWS_ROLE_ARN` with the token in `AWS_WEB_IDENTITY_TOKEN_FILE`, read anew
/// each time. `AWS_ENDPOINT_URL_STS` leads to another STS than Amazon's of the region.
class WebIdentityCredentials final : public CredentialProvider {
 public:
  WebIdentityCredentials(const std::map<std::string, std::string>& environment, const std::string& region,
                         const HttpContext& http, Reactor& reactor, BlockingRunner runner);
  void load(Callback callback) override;

 private:
  void ask(const std::string& token, const Callback& callback);

  const std::string role_;
  const std::string session_;
  const std::string token_file_;
  std::string endpoint_;
  TextFileReader reader_;
  MetadataClient client_;
};

}  // namespace optimux::source

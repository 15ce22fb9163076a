#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "source/credential_provider.hpp"
#include "source/http_exchange.hpp"
#include "source/reactor.hpp"

namespace optimux::source {

/// Where credentials of an object store are looked for.
struct CredentialSettings {
  enum class Place {
    kAuto,         ///< All of the following, in this order.
    kEnvironment,  ///< `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_SESSION_TOKEN`.
    kWebIdentity,  ///< `AWS_ROLE_ARN` and `AWS_WEB_IDENTITY_TOKEN_FILE`: a role of a Kubernetes service account.
    kProfile,      ///< The shared credentials file.
    kContainer,    ///< `AWS_CONTAINER_CREDENTIALS_RELATIVE_URI` or `…_FULL_URI`: a task's or pod's role.
    kInstance,     ///< The role of a virtual machine, by version 2 of its metadata service alone.
    kNone,         ///< Nowhere: requests are not signed.
  };

  Place place = Place::kAuto;
  std::string file;     ///< Of the profile; empty: `AWS_SHARED_CREDENTIALS_FILE`, or `~/.aws/credentials`.
  std::string profile;  ///< Empty: `AWS_PROFILE`, or `default`.
  /// `HOME` and the variables of the process whose names begin with `AWS_`.
  std::map<std::string, std::string> environment;
};

/// `auto`, `environment`, `web-identity`, `profile`, `container`, `instance`, `none`.
std::string_view name_of(CredentialSettings::Place place);
/// Reads what `name_of` writes; nothing for other texts.
std::optional<CredentialSettings::Place> parse_credential_place(std::string_view text);

/// The providers of `settings`, in the order in which they are asked. `http` and `reactor` outlive them, and `reactor`
/// the work that `runner` was given; `http`'s policy must allow all addresses. `region` is that of STS.
std::vector<std::unique_ptr<CredentialProvider>> make_credential_providers(const CredentialSettings& settings,
                                                                           const std::string& region,
                                                                           const HttpContext& http, Reactor& reactor,
                                                                           const BlockingRunner& runner);

}  // namespace optimux::source

#include "source/credential_providers.hpp"

#include <array>
#include <utility>

#include "source/local_credentials.hpp"
#include "source/metadata_credentials.hpp"

namespace optimux::source {
namespace {

using Place = CredentialSettings::Place;

constexpr std::array<std::pair<Place, std::string_view>, 7> kPlaces = {{{Place::kAuto, "auto"},
                                                                        {Place::kEnvironment, "environment"},
                                                                        {Place::kWebIdentity, "web-identity"},
                                                                        {Place::kProfile, "profile"},
                                                                        {Place::kContainer, "container"},
                                                                        {Place::kInstance, "instance"},
                                                                        {Place::kNone, "none"}}};

std::string first_of(const std::string& chosen, const std::string& otherwise) {
  return chosen.empty() ? otherwise : chosen;
}

std::unique_ptr<CredentialProvider> make_profile(const CredentialSettings& settings, Reactor& reactor,
                                                 const BlockingRunner& runner) {
  const std::string file = first_of(settings.file, variable(settings.environment, "AWS_SHARED_CREDENTIALS_FILE"));
  const std::string profile = first_of(settings.profile, variable(settings.environment, "AWS_PROFILE"));
  const std::string home = variable(settings.environment, "HOME");
  const bool was_chosen = settings.place == Place::kProfile || !file.empty() || !profile.empty();
  return std::make_unique<ProfileCredentials>(first_of(file, home.empty() ? "" : home + "/.aws/credentials"),
                                              first_of(profile, "default"), was_chosen, reactor, runner);
}

}  // namespace

std::string_view name_of(Place place) {
  for (const auto& [value, name] : kPlaces) {
    if (value == place) return name;
  }
  return {};
}

std::optional<Place> parse_credential_place(std::string_view text) {
  for (const auto& [value, name] : kPlaces) {
    if (name == text) return value;
  }
  return std::nullopt;
}

std::vector<std::unique_ptr<CredentialProvider>> make_credential_providers(const CredentialSettings& settings,
                                                                           const std::string& region,
                                                                           const HttpContext& http, Reactor& reactor,
                                                                           const BlockingRunner& runner) {
  const auto& environment = settings.environment;
  const auto is_wanted = [&](Place place) { return settings.place == Place::kAuto || settings.place == place; };
  std::vector<std::unique_ptr<CredentialProvider>> providers;
  if (is_wanted(Place::kEnvironment)) providers.push_back(std::make_unique<EnvironmentCredentials>(environment));
  if (is_wanted(Place::kWebIdentity)) {
    providers.push_back(std::make_unique<WebIdentityCredentials>(environment, region, http, reactor, runner));
  }
  if (is_wanted(Place::kProfile)) providers.push_back(make_profile(settings, reactor, runner));
  if (is_wanted(Place::kContainer)) {
    providers.push_back(std::make_unique<ContainerCredentials>(environment, http, reactor, runner));
  }
  if (is_wanted(Place::kInstance)) providers.push_back(std::make_unique<InstanceCredentials>(environment, http));
  return providers;
}

}  // namespace optimux::source

#include "source/local_credentials.hpp"

#include <utility>

#include "source/source_error.hpp"

namespace optimux::source {

EnvironmentCredentials::EnvironmentCredentials(const std::map<std::string, std::string>& environment) {
  credentials_.access_key = variable(environment, "AWS_ACCESS_KEY_ID");
  credentials_.secret_key = variable(environment, "AWS_SECRET_ACCESS_KEY");
  credentials_.session_token = variable(environment, "AWS_SESSION_TOKEN");
}

void EnvironmentCredentials::load(Callback callback) {
  if (credentials_.access_key.empty() || credentials_.secret_key.empty())
    return callback(std::optional<S3Credentials>());
  callback(std::optional<S3Credentials>(credentials_));
}

ProfileCredentials::ProfileCredentials(std::string file, std::string profile, bool was_chosen, Reactor& reactor,
                                       BlockingRunner runner)
    : file_(std::move(file)),
      profile_(std::move(profile)),
      was_chosen_(was_chosen),
      reader_(reactor, std::move(runner)) {}

void ProfileCredentials::load(Callback callback) {
  if (file_.empty()) return callback(std::optional<S3Credentials>());
  reader_.read(file_, [this, callback = std::move(callback)](const base::Result<std::string>& text) {
    if (!text && text.error().code != base::ErrorCode::kNotFound) return callback(base::fail(text.error()));
    auto found = parse_credentials_file(text ? *text : std::string(), profile_);
    if (!found && was_chosen_) {
      return callback(base::fail(origin_failed("credentials: " + file_ + " has no keys for profile " + profile_)));
    }
    callback(std::move(found));
  });
}

std::string variable(const std::map<std::string, std::string>& environment, const std::string& name) {
  const auto found = environment.find(name);
  return found == environment.end() ? std::string() : found->second;
}

}  // namespace optimux::source

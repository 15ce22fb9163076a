#include "source/s3_credential_keeper.hpp"

#include <chrono>
#include <utility>

#include "source/source_error.hpp"

namespace optimux::source {
namespace {

// Metadata services hand out new credentials five minutes before the old ones expire, and earlier.
constexpr std::chrono::minutes kRenewBefore{5};
// A request may take a while, and clocks differ.
constexpr std::chrono::minutes kUnusableBefore{1};

bool expires_within(const S3Credentials& credentials, S3Credentials::Clock::duration time) {
  return credentials.expires && *credentials.expires - S3Credentials::Clock::now() <= time;
}

}  // namespace

void S3CredentialKeeper::get(Callback callback) {
  if (providers_.empty()) return callback(S3Credentials{});
  const bool is_usable = current_ && !expires_within(*current_, kUnusableBefore);
  const bool is_fresh = is_usable && !expires_within(*current_, kRenewBefore);
  if (is_usable) {
    callback(*current_);
  } else {
    waiting_.push_back(std::move(callback));
  }
  if (!is_fresh && !is_loading_) load();
}

void S3CredentialKeeper::reject(const S3Credentials& credentials) {
  if (current_ == credentials) current_.reset();
}

void S3CredentialKeeper::load() {
  is_loading_ = true;
  ask(0);
}

void S3CredentialKeeper::ask(std::size_t index) {
  if (index == providers_.size()) {
    return conclude(
        base::fail(origin_failed("credentials: none in the environment, the profile file or the metadata")));
  }
  providers_[index]->load(
      [this, index](base::Result<std::optional<S3Credentials>> result) { loaded(index, std::move(result)); });
}

// A provider that is set up and fails is not passed over: requests signed by somebody else would only puzzle.
void S3CredentialKeeper::loaded(std::size_t index, base::Result<std::optional<S3Credentials>> result) {
  if (!result) return conclude(base::fail(result.error()));
  if (!*result) return ask(index + 1);
  conclude(**std::move(result));
}

void S3CredentialKeeper::conclude(const base::Result<S3Credentials>& result) {
  is_loading_ = false;
  if (result) current_ = *result;
  for (const Callback& callback : std::exchange(waiting_, {})) callback(result);
}

}  // namespace optimux::source

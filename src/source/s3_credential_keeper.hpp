#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/result.hpp"
#include "source/credential_provider.hpp"
#include "source/reactor.hpp"
#include "source/s3_credentials.hpp"

namespace optimux::source {

/// Has the credentials that requests are signed with: asks its providers in their order for the first that has any,
/// once for all who wait, and anew before they expire. Of the loop's thread alone.
class S3CredentialKeeper {
 public:
  using Callback = std::function<void(const base::Result<S3Credentials>&)>;
  using Clock = S3Credentials::Clock;

  /// Of no providers: requests are not signed.
  explicit S3CredentialKeeper(std::vector<std::unique_ptr<CredentialProvider>> providers)
      : providers_(std::move(providers)) {}
  S3CredentialKeeper(const S3CredentialKeeper&) = delete;
  S3CredentialKeeper& operator=(const S3CredentialKeeper&) = delete;

  /// Calls `callback` once, perhaps before it returns. Credentials that expire within five minutes are given out while
  /// new ones are loaded; those of the last minute are not. Errors: kOriginFailed when no provider has any.
  void get(Callback callback);

  /// A store did not take `credentials`: the next `get` loads new ones.
  void reject(const S3Credentials& credentials);

 private:
  void load();
  void ask(std::size_t index);
  void loaded(std::size_t index, base::Result<std::optional<S3Credentials>> result);
  void conclude(const base::Result<S3Credentials>& result);

  const std::vector<std::unique_ptr<CredentialProvider>> providers_;
  std::optional<S3Credentials> current_;
  bool is_loading_ = false;
  std::vector<Callback> waiting_;
};

}  // namespace optimux::source

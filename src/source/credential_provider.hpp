#pragma once

#include <functional>
#include <optional>

#include "base/result.hpp"
#include "source/s3_credentials.hpp"

namespace optimux::source {

/// A place where credentials of an object store may be found. Of the loop's thread alone.
class CredentialProvider {
 public:
  /// Nothing: this place is not set up, others may be.
  using Callback = std::function<void(base::Result<std::optional<S3Credentials>>)>;

  CredentialProvider() = default;
  CredentialProvider(const CredentialProvider&) = delete;
  CredentialProvider& operator=(const CredentialProvider&) = delete;
  virtual ~CredentialProvider() = default;

  /// Calls `callback` once with what is found now, perhaps before it returns; not after the provider has gone. Not
  /// called again before that. Errors: kOriginFailed, kOriginTimeout, kInternal when the place is set up but has none.
  virtual void load(Callback callback) = 0;
};

}  // namespace optimux::source

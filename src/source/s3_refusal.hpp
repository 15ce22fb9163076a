#pragma once

#include <string>
#include <string_view>

#include "base/error.hpp"

namespace optimux::source {

/// What an object store says when it does not do what it was asked for.
struct S3Refusal {
  int status = 0;
  std::string code;     ///< As in `NoSuchKey`; empty where the answer has none.
  std::string message;  ///< For people.

  /// From the answer's status and its body, which may be cut off, or be no XML at all.
  static S3Refusal read(int status, std::string_view body);
};

/// What may help.
enum class S3Remedy {
  kNone,
  kRetry,             ///< The same once more, after a while.
  kCorrectClock,      ///< The same, dated by the store's clock.
  kRenewCredentials,  ///< The same with credentials that are loaded anew.
};

S3Remedy remedy_for(const S3Refusal& refusal);

/// The error that it comes to when nothing helps: kNotFound, kForbiddenSource, kRangeNotSatisfiable or kOriginFailed.
/// `place` is for the log, as the refusal itself.
base::Error error_for(const S3Refusal& refusal, const std::string& place);

/// Whether it tells of the store's own state, and not of the request's: what a breaker counts.
bool is_failure_of_store(const S3Refusal& refusal);

}  // namespace optimux::source

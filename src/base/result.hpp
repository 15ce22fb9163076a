#pragma once

#include <string>
#include <utility>

#include <tl/expected.hpp>

#include "base/error.hpp"

namespace optimux::base {

/// A value, or the reason why there is none. Functions that can fail in expected ways return this and do not throw.
template <class T>
using Result = tl::expected<T, Error>;

/// Success without a value, or the reason for the failure.
using Status = Result<void>;

/// Makes the failed side of a `Result`. `detail` is for the client, `cause` for the log.
inline tl::unexpected<Error> fail(ErrorCode code, std::string detail, std::string cause = {}) {
  return tl::make_unexpected(Error{code, std::move(detail), std::move(cause)});
}

/// Passes an existing error on.
inline tl::unexpected<Error> fail(Error error) {
  return tl::make_unexpected(std::move(error));
}

}  // namespace optimux::base

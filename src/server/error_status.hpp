#pragma once

#include <string_view>

#include "base/error.hpp"

namespace optimux::server {

/// How an error is told to a client.
struct ErrorStatus {
  int status = 500;
  std::string_view type;   ///< The `type` of the problem: a URI reference below the API description.
  std::string_view title;  ///< The `title` of the problem: one per type.
  /// A phrase without capital and full stop, as details are. Said when the error brings no words of its own, and
  /// instead of them if `is_uniform`.
  std::string_view detail;
  bool is_uniform =
      false;  ///< All errors of this code look the same to clients, so that nothing can be learned from them.
};

/// The one table from error codes to HTTP. Has a row for every code.
const ErrorStatus& error_status(base::ErrorCode code);

}  // namespace optimux::server

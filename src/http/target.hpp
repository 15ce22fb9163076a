#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace optimux::http {

/// A request target cut at its first question mark. Both views point into the target; nothing is decoded.
struct SplitTarget {
  std::string_view path;
  std::string_view query;  ///< Without the question mark.
};
SplitTarget split_target(std::string_view target);

struct QueryParameter {
  std::string name;
  std::string value;
};

/// The parameters of a query string in their order, percent-decoded once, `+` being a space. A part without `=` has an
/// empty value; empty parts are skipped. Errors: kInvalidUrl when a `%` is not followed by two hexadecimal digits.
base::Result<std::vector<QueryParameter>> parse_query(std::string_view query);

/// The reverse of `parse_query`, without a question mark; what needs no escape stays readable.
std::string write_query(const std::vector<QueryParameter>& parameters);

/// Percent-decodes a piece of a path once; a plus sign stays. Errors: kInvalidUrl.
base::Result<std::string> decode_path(std::string_view path);

}  // namespace optimux::http

#include "server/url_signature.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/encoding.hpp"
#include "base/text.hpp"

namespace optimux::server {

using base::ErrorCode;
using base::Result;
using std::chrono::seconds;

Result<std::string_view> admit_query(const RouteCall& call) {
  const auto signed_part = call.context.protection->signer.verify(call.request.target);
  if (!signed_part) return base::fail(signed_part.error());
  // Without its signature the target may have no query at all.
  return call.query.substr(0, signed_part->size() - std::min(signed_part->size(), call.path.size() + 1));
}

Result<seconds> time_left(std::string_view expires, std::chrono::system_clock::time_point now) {
  const auto end = base::parse_number<std::int64_t>(expires);
  if (!end || *end < 0) {
    return base::fail(ErrorCode::kInvalidParameter, "expires cannot be " + base::json_quote(expires.substr(0, 60)) +
                                                        "; allowed: a time in whole seconds since 1970");
  }
  const std::int64_t current = std::chrono::duration_cast<seconds>(now.time_since_epoch()).count();
  if (*end < current - kClockSkew.count()) {
    return base::fail(ErrorCode::kForbiddenSource, {},
                      "the URL has expired " + std::to_string(current - *end) + " s ago");
  }
  return seconds(std::max<std::int64_t>(0, *end - current));
}

std::string signed_target(const RequestContext& context, std::string_view target) {
  std::string encoded = base::percent_encode_url(target);
  auto signed_one = context.protection->signer.sign(encoded);
  // Only for want of memory. What is asked for without a signature is refused, and nothing else happens.
  return signed_one ? *std::move(signed_one) : std::move(encoded);
}

}  // namespace optimux::server

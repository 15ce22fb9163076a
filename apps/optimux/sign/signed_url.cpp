#include "apps/optimux/sign/signed_url.hpp"

#include "base/encoding.hpp"
#include "base/text.hpp"

#include <algorithm>

namespace optimux::apps {
namespace {

using base::ErrorCode;

tl::unexpected<base::Error> invalid(const char* detail) {
  return base::fail(ErrorCode::kInvalidUrl, detail);
}

// Where the path of the URL begins; nothing if it has none.
std::optional<std::size_t> find_path(std::string_view url) {
  if (url.starts_with('/') && !url.starts_with("//")) return 0;
  const std::string start = base::to_lower(url.substr(0, 8));
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!start.starts_with(scheme)) continue;
    const std::size_t path = url.find_first_of("/?#", scheme.size());
    if (path == std::string_view::npos || path == scheme.size() || url[path] != '/') return std::nullopt;
    return path;
  }
  return std::nullopt;
}

bool has_parameter(std::string_view target, std::string_view name) {
  const std::size_t mark = target.find('?');
  if (mark == std::string_view::npos) return false;
  const auto parameters = base::split(target.substr(mark + 1), '&');
  return std::ranges::any_of(parameters, [name](std::string_view one) {
    return base::percent_decode(one.substr(0, one.find('=')), true) == name;
  });
}

}  // namespace

base::Result<std::string> sign_url(std::string_view url, const service::UrlSigner& signer,
                                   std::optional<std::int64_t> expires) {
  const auto path = find_path(url);
  if (!path) return invalid("not a URL with a path: write http://HOST/PATH, https://HOST/PATH or /PATH");
  if (url.find('#') != std::string_view::npos) return invalid("has a fragment, which no server gets to see");
  std::string target = base::percent_encode_url(url.substr(*path));
  if (has_parameter(target, "sig")) return invalid("has a signature already");
  if (expires && has_parameter(target, "expires")) return invalid("has an end already: expires");
  if (expires) {
    target += target.find('?') == std::string::npos ? '?' : '&';
    target += "expires=" + std::to_string(*expires);
  }
  auto signed_target = signer.sign(target);
  if (!signed_target) return base::fail(signed_target.error());
  return std::string(url.substr(0, *path)) + *signed_target;
}

}  // namespace optimux::apps

#include "source/source_url.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "source/curl_handles.hpp"
#include "source/source_error.hpp"

namespace optimux::source {
namespace {

using base::ErrorCode;
using base::Result;
using base::Status;

constexpr const char* kNoFile = "the source URL names no file: write file:///KEY, with three slashes";

tl::unexpected<base::Error> invalid(std::string detail) {
  return base::fail(ErrorCode::kInvalidUrl, std::move(detail));
}

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
}
bool is_host_character(char c) {
  return is_letter(c) || is_digit(c) || c == '-' || c == '.' || c == '_';
}

Status check_characters(std::string_view url) {
  if (url.empty()) return invalid("the source URL is empty");
  if (url.size() > kMaxUrlBytes) return invalid("the source URL is longer than 8192 bytes");
  if (std::any_of(url.begin(), url.end(), is_control)) return invalid("the source URL holds control characters");
  return {};
}

// The value of one part of the URL; nothing when the URL has no such part.
std::optional<std::string> part_of(const CurlUrl& url, CURLUPart part) {
  char* text = nullptr;
  if (curl_url_get(url.get(), part, &text, CURLU_NO_DEFAULT_PORT) != CURLUE_OK) return std::nullopt;
  const CurlText owner(text);
  return std::string(text);
}

Status set_part(const CurlUrl& url, CURLUPart part, const std::string& text, unsigned flags) {
  const CURLUcode code = curl_url_set(url.get(), part, text.c_str(), flags);
  if (code == CURLUE_OUT_OF_MEMORY) return base::fail(source_fault("libcurl: out of memory"));
  if (code != CURLUE_OK) return invalid(std::string("the source URL cannot be parsed: ") + curl_url_strerror(code));
  return {};
}

Result<CurlUrl> make_url() {
  CurlUrl url(curl_url());
  if (!url) return base::fail(source_fault("libcurl: out of memory"));
  return url;
}

// One notation an address: `[0:0::1]` is `::1`. Names come out in lower case.
Result<std::string> canonical_host(std::string host) {
  if (host.size() >= 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
    in6_addr address{};
    std::array<char, INET6_ADDRSTRLEN> text{};
    if (inet_pton(AF_INET6, host.c_str(), &address) != 1 ||
        inet_ntop(AF_INET6, &address, text.data(), text.size()) == nullptr) {
      return invalid("the source URL has a malformed IPv6 address");
    }
    return std::string(text.data());
  }
  if (host.empty() || !std::all_of(host.begin(), host.end(), is_host_character)) {
    return invalid("the source URL has a host that is neither an address nor an ASCII name (write others in Punycode)");
  }
  return base::to_lower(host);
}

Status check_parts(const CurlUrl& url) {
  if (part_of(url, CURLUPART_USER) || part_of(url, CURLUPART_PASSWORD)) {
    return invalid("the source URL holds a user name or password");
  }
  if (part_of(url, CURLUPART_ZONEID)) return invalid("the source URL holds an IPv6 zone");
  if (part_of(url, CURLUPART_PORT) == "0") return invalid("the source URL has port 0");
  return {};
}

// The last step of both ways to an HttpUrl: checks what libcurl has parsed, and writes it in canonical form.
Result<HttpUrl> canonical_url(const CurlUrl& url) {
  if (Status checked = check_parts(url); !checked) return base::fail(checked.error());
  auto host = canonical_host(part_of(url, CURLUPART_HOST).value_or(""));
  if (!host) return base::fail(host.error());
  const bool is_ipv6 = host->find(':') != std::string::npos;
  if (Status set = set_part(url, CURLUPART_HOST, is_ipv6 ? "[" + *host + "]" : *host, 0); !set) {
    return base::fail(set.error());
  }
  curl_url_set(url.get(), CURLUPART_FRAGMENT, nullptr, 0);
  auto text = part_of(url, CURLUPART_URL);
  if (!text) return invalid("the source URL cannot be parsed");
  if (text->size() > kMaxUrlBytes) return invalid("the source URL is longer than 8192 bytes");
  return HttpUrl{std::move(*text), std::move(*host)};
}

}  // namespace

std::string scheme_of(std::string_view url) {
  const std::size_t colon = url.find(':');
  if (colon == std::string_view::npos || colon == 0 || !is_letter(url[0])) return {};
  const std::string_view scheme = url.substr(0, colon);
  const bool valid = std::all_of(scheme.begin(), scheme.end(), [](char c) {
    return is_letter(c) || is_digit(c) || c == '+' || c == '-' || c == '.';
  });
  return valid ? base::to_lower(scheme) : std::string();
}

Result<HttpUrl> parse_http_url(std::string_view url) {
  if (Status checked = check_characters(url); !checked) return base::fail(checked.error());
  const std::string scheme = scheme_of(url);
  if (scheme.empty())
    return invalid(
        "the source URL has no scheme: write http://HOST/PATH, https://HOST/PATH, file:///KEY or s3://BUCKET/KEY");
  if (scheme != "http" && scheme != "https") return base::fail(scheme_not_allowed(scheme));
  auto parsed = make_url();
  if (!parsed) return base::fail(parsed.error());
  if (Status set = set_part(*parsed, CURLUPART_URL, std::string(url), CURLU_URLENCODE); !set) {
    return base::fail(set.error());
  }
  return canonical_url(*parsed);
}

Result<HttpUrl> resolve_http_url(const HttpUrl& base, std::string_view reference) {
  if (!scheme_of(reference).empty()) return parse_http_url(reference);
  if (Status checked = check_characters(reference); !checked) return base::fail(checked.error());
  // libcurl 7.88 takes a lone fragment for the name of a neighbour; it names the same place.
  if (reference[0] == '#') return base;
  auto parsed = make_url();
  if (!parsed) return base::fail(parsed.error());
  for (const std::string& step : {base.text, std::string(reference)}) {
    if (Status set = set_part(*parsed, CURLUPART_URL, step, CURLU_URLENCODE); !set) return base::fail(set.error());
  }
  return canonical_url(*parsed);
}

Result<std::string> parse_file_url(std::string_view url) {
  if (Status checked = check_characters(url); !checked) return base::fail(checked.error());
  if (url.find_first_of("?#") != std::string_view::npos) {
    return invalid("a file URL has no query and no fragment: write ? and # of a name as %3F and %23");
  }
  auto parsed = make_url();
  if (!parsed) return base::fail(parsed.error());
  // No dot segments are resolved here: `..` has to be seen, and refused, where the file is opened.
  if (Status set = set_part(*parsed, CURLUPART_URL, std::string(url), CURLU_PATH_AS_IS | CURLU_ALLOW_SPACE); !set) {
    // libcurl's words for a host in the place of the key help nobody.
    return set.error().code == ErrorCode::kInvalidUrl ? invalid(kNoFile) : base::fail(set.error());
  }
  const std::string path = part_of(*parsed, CURLUPART_PATH).value_or("");
  if (path.size() < 2 || path[0] != '/') return invalid(kNoFile);
  auto key = base::percent_decode(std::string_view(path).substr(1));
  if (!key) return invalid("the source URL holds a % that no two hexadecimal digits follow");
  return std::move(*key);
}

std::string without_query(std::string_view url) {
  const std::size_t mark = url.find('?');
  return mark == std::string_view::npos ? std::string(url) : std::string(url.substr(0, mark)) + "?…";
}

}  // namespace optimux::source

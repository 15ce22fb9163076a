#include "source/allow_list.hpp"

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "source/host_name.hpp"
#include "source/ip_address.hpp"

namespace optimux::source {
namespace {

constexpr std::string_view kStore = "file:///";
constexpr std::string_view kSchemes[] = {"http", "https", "file", "s3"};
/// An origin behind proxies may decode more than once.
constexpr int kDecodings = 4;

tl::unexpected<base::Error> wrong(const char* option, const std::string& entry, const char* what) {
  return base::fail(base::ErrorCode::kInvalidParameter, std::string(option) + ": '" + entry + "' " + what);
}

/// Decodes what is a byte in percent-encoding and leaves everything else.
std::string decode_leniently(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = text[i] == '%' ? base::percent_decode(text.substr(i, 3)) : std::nullopt;
    if (byte) i += 2;
    out += byte ? *byte : std::string(1, text[i]);
  }
  return out;
}

bool has_dot_segment(std::string_view path) {
  std::size_t begin = 0;
  while (begin <= path.size()) {
    const std::size_t end = std::min(path.find_first_of("/\\", begin), path.size());
    const std::string_view segment = path.substr(begin, end - begin);
    const std::string_view name = segment.substr(0, segment.find(';'));  // Some servers take off parameters first.
    if (name == "." || name == "..") return true;
    begin = end + 1;
  }
  return false;
}

/// Whether an origin may take the path for one that leads upwards.
bool may_climb(std::string_view path) {
  std::string decoded(path);
  for (int i = 0; i < kDecodings; ++i) {
    if (has_dot_segment(decoded)) return true;
    std::string next = decode_leniently(decoded);
    if (next == decoded) return false;
    decoded = std::move(next);
  }
  return true;
}

base::Result<std::string> canonical_prefix(const std::string& entry) {
  if (entry.find_first_of("?#") != std::string::npos) {
    return wrong("allowed_source_prefixes", entry, "has a query or a fragment");
  }
  const std::string scheme = scheme_of(entry);
  if (scheme == "file" || scheme == "s3") {
    const std::string start = scheme == "file" ? std::string(kStore) : "s3://";
    auto rest = base::percent_decode(std::string_view(entry).substr(std::min(start.size(), entry.size())));
    if (entry.compare(0, start.size(), start) == 0 && rest && !may_climb(*rest)) return start + *rest;
    return wrong("allowed_source_prefixes", entry, "is no beginning of a file:/// or s3:// URL");
  }
  const auto url = parse_http_url(entry);
  if (url && !may_climb(entry.substr(entry.find("//") + 2))) return url->text;
  return wrong("allowed_source_prefixes", entry, "is no beginning of an http, https, file:/// or s3:// URL");
}

/// The text that prefixes are compared with.
std::string url_of(const SourceLocator& source) {
  switch (source.kind) {
    case SourceLocator::Kind::kFile: return std::string(kStore) + source.value;
    case SourceLocator::Kind::kHttp: return source.value;
    case SourceLocator::Kind::kObject: break;
  }
  return "s3://" + source.value;
}

}  // namespace

base::Result<AllowList> AllowList::make(const Entries& entries) {
  AllowList list;
  for (const std::string& entry : entries.hosts) {
    const std::string lower = base::to_lower(entry);
    const bool is_domain = lower.starts_with("*.");
    const std::string name(without_final_dot(is_domain ? std::string_view(lower).substr(2) : std::string_view(lower)));
    const auto address = is_domain ? std::nullopt : IpAddress::parse(name);
    if (!address && !is_host_name(name)) {
      return wrong("allowed_source_hosts", entry, "is no host name, *.NAME or address");
    }
    if (is_domain) {
      list.domains_.push_back("." + name);
    } else {
      list.hosts_.insert(address ? address->text() : name);
    }
  }
  for (const std::string& entry : entries.prefixes) {
    auto prefix = canonical_prefix(entry);
    if (!prefix) return base::fail(prefix.error());
    list.prefixes_.push_back(*std::move(prefix));
  }
  for (const std::string& entry : entries.schemes) {
    if (std::ranges::find(kSchemes, entry) == std::end(kSchemes)) {
      return wrong("allowed_schemes", entry, "is none of http, https, file and s3");
    }
    list.schemes_.insert(entry);
  }
  return list;
}

std::optional<std::string> AllowList::refusal(const SourceLocator& source) const {
  if (source.kind != SourceLocator::Kind::kHttp) return refusal(url_of(source), {});
  const auto url = parse_http_url(source.value);
  return url ? refusal(*url) : std::optional<std::string>("no URL");
}

std::optional<std::string> AllowList::refusal(const HttpUrl& url) const {
  return refusal(url.text, url.host);
}

std::optional<std::string> AllowList::refusal(std::string_view url, std::string_view host) const {
  if (!schemes_.empty() && !schemes_.contains(scheme_of(url))) {
    return without_query(url) + ": the scheme is not in allowed_schemes";
  }
  if (hosts_.empty() && domains_.empty() && prefixes_.empty()) return std::nullopt;
  if (has_host(host) || has_prefix_of(url)) return std::nullopt;
  return without_query(url) + ": is in neither allowed_source_hosts nor allowed_source_prefixes";
}

bool AllowList::has_host(std::string_view host) const {
  const std::string_view name = without_final_dot(host);
  return hosts_.contains(name) || std::ranges::any_of(domains_, [name](const std::string& domain) {
           return name.size() > domain.size() && name.ends_with(domain);
         });
}

bool AllowList::has_prefix_of(std::string_view url) const {
  // The name of a file may hold a question mark.
  const std::string_view path = url.starts_with("http") ? url.substr(0, url.find('?')) : url;
  return std::ranges::any_of(prefixes_, [url, path](const std::string& prefix) {
    if (!url.starts_with(prefix)) return false;
    const bool is_at_boundary = prefix.ends_with('/') || path.size() == prefix.size() || url[prefix.size()] == '/';
    return is_at_boundary && !may_climb(path.substr(std::min(prefix.size(), path.size())));
  });
}

}  // namespace optimux::source

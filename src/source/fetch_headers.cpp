#include "source/fetch_headers.hpp"

#include <string>

#include "base/http_date.hpp"
#include "source/via.hpp"

namespace optimux::source {
namespace {

/// Whether the line was added; what there was stays if not.
bool add(CurlList& list, const std::string& line) {
  curl_slist* const longer = curl_slist_append(list.get(), line.c_str());
  if (longer == nullptr) return false;
  static_cast<void>(list.release());  // It is a part of the longer one.
  list.reset(longer);
  return true;
}

// Both where there are both: an origin that knows no tags looks at the date (RFC 9111, section 4.3.1).
bool add_conditions(CurlList& list, const SourceValidators& validators) {
  if (!validators.etag.empty() && !add(list, "If-None-Match: " + validators.etag)) return false;
  if (!validators.last_modified) return true;
  return add(list, "If-Modified-Since: " + base::format_http_date(*validators.last_modified));
}

// Empty if there is none that may be asked with.
std::string state_of(const SourceValidators& validators) {
  if (!validators.etag.empty() && validators.etag.substr(0, 2) != "W/") return validators.etag;
  return validators.last_modified ? base::format_http_date(*validators.last_modified) : std::string();
}

}  // namespace

CurlList fetch_headers(std::string_view via, const SourceValidators& validators) {
  CurlList list;
  if (!add(list, "Via: " + via_field(via)) || !add_conditions(list, validators)) return nullptr;
  return list;
}

CurlList part_headers(std::string_view via, const ByteRange& range, const SourceValidators& validators) {
  CurlList list;
  const std::string state = state_of(validators);
  const bool ok = add(list, "Via: " + via_field(via)) && add(list, "Range: " + range.field()) &&
                  (state.empty() || add(list, "If-Range: " + state));
  return ok ? std::move(list) : nullptr;
}

}  // namespace optimux::source

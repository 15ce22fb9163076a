#include "source/s3_credentials.hpp"

#include <algorithm>
#include <ctime>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "source/source_error.hpp"
#include "source/xml_text.hpp"

namespace optimux::source {
namespace {

using base::Result;

tl::unexpected<base::Error> no_credentials(const char* what) {
  return base::fail(origin_failed(std::string("credentials: ") + what));
}

/// `[name]` as `name`; nothing for other lines.
std::optional<std::string_view> section_name(std::string_view line) {
  if (line.size() < 2 || line.front() != '[' || line.back() != ']') return std::nullopt;
  return base::trim(line.substr(1, line.size() - 2));
}

void take_line(S3Credentials& credentials, std::string_view line) {
  const std::size_t equals = line.find('=');
  if (equals == std::string_view::npos) return;
  const std::string name = base::to_lower(base::trim(line.substr(0, equals)));
  const std::string_view value = base::trim(line.substr(equals + 1));
  if (name == "aws_access_key_id") credentials.access_key = value;
  if (name == "aws_secret_access_key") credentials.secret_key = value;
  if (name == "aws_session_token") credentials.session_token = value;
}

std::string text_in(const nlohmann::json& document, const char* name) {
  const auto found = document.find(name);
  return found != document.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// Keys without which nothing can be signed, and an end that can be read if there is one.
Result<S3Credentials> checked(S3Credentials credentials, std::string_view expires) {
  if (credentials.access_key.empty() || credentials.secret_key.empty()) return no_credentials("the answer has no keys");
  if (expires.empty()) return credentials;
  credentials.expires = parse_iso_time(expires);
  if (!credentials.expires) return no_credentials("the answer has an end that is no time");
  return credentials;
}

}  // namespace

std::optional<S3Credentials> parse_credentials_file(std::string_view text, std::string_view profile) {
  S3Credentials credentials;
  bool is_wanted = false;
  for (std::string_view line : base::split(text, '\n')) {
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    line = base::trim(line);
    if (line.empty() || line.front() == '#' || line.front() == ';') continue;
    if (const auto section = section_name(line)) {
      is_wanted = *section == profile;
    } else if (is_wanted) {
      take_line(credentials, line);
    }
  }
  if (credentials.access_key.empty() || credentials.secret_key.empty()) return std::nullopt;
  return credentials;
}

Result<S3Credentials> parse_credentials_document(std::string_view json) {
  const auto document = nlohmann::json::parse(json, nullptr, /*allow_exceptions=*/false);
  if (!document.is_object()) return no_credentials("the answer is no JSON object");
  return checked(
      {text_in(document, "AccessKeyId"), text_in(document, "SecretAccessKey"), text_in(document, "Token"), {}},
      text_in(document, "Expiration"));
}

Result<S3Credentials> parse_web_identity_answer(std::string_view xml) {
  return checked({xml_text(xml, "AccessKeyId"), xml_text(xml, "SecretAccessKey"), xml_text(xml, "SessionToken"), {}},
                 xml_text(xml, "Expiration"));
}

std::optional<S3Credentials::Clock::time_point> parse_iso_time(std::string_view text) {
  std::tm parts{};
  const std::string copy(text);
  const char* const end = ::strptime(copy.c_str(), "%Y-%m-%dT%H:%M:%S", &parts);
  if (end == nullptr) return std::nullopt;
  std::string_view rest(end);
  if (!rest.empty() && rest.front() == '.') {
    const std::size_t after = rest.find_first_not_of("0123456789", 1);
    rest = after == std::string_view::npos ? std::string_view() : rest.substr(after);
  }
  if (rest != "Z" && rest != "+00:00") return std::nullopt;
  // The clock counts nanoseconds: what lies beyond its last year is as good as the last.
  using std::chrono::seconds;
  const auto latest = std::chrono::floor<seconds>(S3Credentials::Clock::time_point::max().time_since_epoch());
  return S3Credentials::Clock::time_point(std::min(seconds(::timegm(&parts)), latest));
}

}  // namespace optimux::source

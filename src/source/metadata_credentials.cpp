#include "source/metadata_credentials.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.hpp"
#include "source/ip_address.hpp"
#include "source/local_credentials.hpp"
#include "source/s3_credentials.hpp"
#include "source/source_error.hpp"
#include "source/source_url.hpp"

namespace optimux::source {
namespace {

using base::Result;
using Method = HttpRequest::Method;

constexpr const char* kTaskAgent = "http://169.254.170.2";
constexpr const char* kInstanceService = "http://169.254.169.254";
constexpr const char* kRolePath = "/latest/meta-data/iam/security-credentials/";

std::string_view text_of(const HttpAnswer& answer) {
  return {reinterpret_cast<const char*>(answer.body.data()), answer.body.size()};
}

std::string without_line_end(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
  return std::string(text);
}

tl::unexpected<base::Error> failed(const std::string& cause) {
  return base::fail(origin_failed("credentials: " + cause));
}

/// The document of an answer, or why there is none.
Result<std::string> document_of(const Result<HttpAnswer>& answer, const char* who) {
  if (!answer) return failed(std::string(who) + ": " + answer.error().cause);
  if (answer->head.status() != 200)
    return failed(std::string(who) + ": status " + std::to_string(answer->head.status()));
  return std::string(text_of(*answer));
}

void deliver(const Result<S3Credentials>& credentials, const CredentialProvider::Callback& callback) {
  if (!credentials) return callback(base::fail(credentials.error()));
  callback(std::optional<S3Credentials>(*credentials));
}

/// Whether keys may come from `url` unencrypted: the machine itself, and the agents of Amazon's containers.
bool may_give_keys(const HttpUrl& url) {
  constexpr std::array<std::string_view, 5> kAgents = {"169.254.170.2", "169.254.170.23", "fd00:ec2::23", "localhost",
                                                       "::1"};
  const bool is_loopback = url.host.substr(0, 4) == "127." && IpAddress::parse(url.host).has_value();
  return url.text.substr(0, 8) == "https://" || is_loopback ||
         std::find(kAgents.begin(), kAgents.end(), url.host) != kAgents.end();
}

}  // namespace

ContainerCredentials::ContainerCredentials(const std::map<std::string, std::string>& environment,
                                           const HttpContext& http, Reactor& reactor, BlockingRunner runner)
    : url_(variable(environment, "AWS_CONTAINER_CREDENTIALS_FULL_URI")),
      token_(variable(environment, "AWS_CONTAINER_AUTHORIZATION_TOKEN")),
      token_file_(variable(environment, "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE")),
      reader_(reactor, std::move(runner)),
      client_(http) {
  const std::string path = variable(environment, "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
  if (!path.empty()) url_ = kTaskAgent + path;
}

void ContainerCredentials::load(Callback callback) {
  if (url_.empty()) return callback(std::optional<S3Credentials>());
  const auto url = parse_http_url(url_);
  if (!url || !may_give_keys(*url)) {
    return callback(failed("AWS_CONTAINER_CREDENTIALS_FULL_URI is neither https nor an agent's address"));
  }
  if (token_file_.empty()) return ask(token_, callback);
  reader_.read(token_file_, [this, callback = std::move(callback)](const Result<std::string>& token) {
    if (!token) return callback(failed(token.error().cause));
    ask(without_line_end(*token), callback);
  });
}

void ContainerCredentials::ask(const std::string& token, const Callback& callback) {
  std::vector<std::string> headers;
  if (!token.empty()) headers.push_back("Authorization: " + token);
  client_.ask(Method::kGet, url_, headers, [callback](const Result<HttpAnswer>& answer) {
    const auto document = document_of(answer, "the container's agent");
    deliver(document ? parse_credentials_document(*document) : base::fail(document.error()), callback);
  });
}

InstanceCredentials::InstanceCredentials(const std::map<std::string, std::string>& environment, const HttpContext& http)
    : endpoint_(variable(environment, "AWS_EC2_METADATA_SERVICE_ENDPOINT")), client_(http) {
  if (endpoint_.empty()) endpoint_ = kInstanceService;
  while (!endpoint_.empty() && endpoint_.back() == '/') endpoint_.pop_back();
  if (base::equals_ignoring_case(variable(environment, "AWS_EC2_METADATA_DISABLED"), "true")) endpoint_.clear();
}

void InstanceCredentials::load(Callback callback) {
  if (endpoint_.empty()) return callback(std::optional<S3Credentials>());
  client_.ask(Method::kPut, endpoint_ + "/latest/api/token", {"X-aws-ec2-metadata-token-ttl-seconds: 21600"},
              [this, callback = std::move(callback)](const Result<HttpAnswer>& answer) {
                const auto token = document_of(answer, "the instance's metadata service");
                if (!token) return callback(base::fail(token.error()));
                ask_for_role(*token, callback);
              });
}

void InstanceCredentials::ask_for_role(std::string token, const Callback& callback) {
  const std::vector<std::string> headers = {"X-aws-ec2-metadata-token: " + token};
  client_.ask(Method::kGet, endpoint_ + kRolePath, headers,
              [this, token = std::move(token), callback](const Result<HttpAnswer>& answer) {
                if (answer && answer->head.status() == 404) return callback(failed("the instance has no role"));
                const auto roles = document_of(answer, "the instance's role");
                if (!roles) return callback(base::fail(roles.error()));
                ask_for_keys(token, without_line_end(roles->substr(0, roles->find('\n'))), callback);
              });
}

void InstanceCredentials::ask_for_keys(const std::string& token, const std::string& role, const Callback& callback) {
  client_.ask(Method::kGet, endpoint_ + kRolePath + base::percent_encode(role), {"X-aws-ec2-metadata-token: " + token},
              [callback](const Result<HttpAnswer>& answer) {
                const auto document = document_of(answer, "the instance's keys");
                deliver(document ? parse_credentials_document(*document) : base::fail(document.error()), callback);
              });
}

WebIdentityCredentials::WebIdentityCredentials(const std::map<std::string, std::string>& environment,
                                               const std::string& region, const HttpContext& http, Reactor& reactor,
                                               BlockingRunner runner)
    : role_(variable(environment, "AWS_ROLE_ARN")),
      session_(variable(environment, "AWS_ROLE_SESSION_NAME")),
      token_file_(variable(environment, "AWS_WEB_IDENTITY_TOKEN_FILE")),
      endpoint_(variable(environment, "AWS_ENDPOINT_URL_STS")),
      reader_(reactor, std::move(runner)),
      client_(http) {
  if (endpoint_.empty()) endpoint_ = "https://sts." + region + ".amazonaws.com";
}

void WebIdentityCredentials::load(Callback callback) {
  if (role_.empty() || token_file_.empty()) return callback(std::optional<S3Credentials>());
  reader_.read(token_file_, [this, callback = std::move(callback)](const Result<std::string>& token) {
    if (!token) return callback(failed(token.error().cause));
    ask(without_line_end(*token), callback);
  });
}

void WebIdentityCredentials::ask(const std::string& token, const Callback& callback) {
  const std::string url =
      endpoint_ + "/?Action=AssumeRoleWithWebIdentity&Version=2011-06-15&RoleArn=" + base::percent_encode(role_) +
      "&RoleSessionName=" + base::percent_encode(session_.empty() ? "optimux" : session_) +
      "&WebIdentityToken=" + base::percent_encode(token);
  client_.ask(Method::kGet, url, {}, [callback](const Result<HttpAnswer>& answer) {
    const auto document = document_of(answer, "STS");
    deliver(document ? parse_web_identity_answer(*document) : base::fail(document.error()), callback);
  });
}

}  // namespace optimux::source

#include "unit/source/s3_store_fixture.hpp"

#include <chrono>
#include <utility>

#include <gtest/gtest.h>

namespace optimux::source {

S3Settings S3StoreFixture::test_settings() {
  S3Settings settings;
  settings.http.connect_timeout = std::chrono::seconds(60);
  settings.http.total_timeout = std::chrono::seconds(60);
  settings.http.low_speed_time = std::chrono::seconds(0);
  settings.region = "us-east-1";
  settings.delays = {std::chrono::milliseconds(0), std::chrono::milliseconds(0)};
  settings.breaker.failures = 0;
  return settings;
}

CredentialSettings S3StoreFixture::static_credentials() {
  CredentialSettings credentials;
  credentials.environment = {{"AWS_ACCESS_KEY_ID", "access"}, {"AWS_SECRET_ACCESS_KEY", "top-secret"}};
  return credentials;
}

void S3StoreFixture::TearDown() {
  drop_store();
  servers_.clear();
  loop_.reset();
  expect_no_leaks();
}

OriginStub& S3StoreFixture::add_server(OriginStub::Handler handler, const std::string& address) {
  return servers_.emplace_back(std::move(handler), address);
}

OriginStub& S3StoreFixture::serve(OriginStub::Handler handler, S3Settings settings, CredentialSettings credentials) {
  OriginStub& server = add_server(std::move(handler));
  settings.endpoint = server.url("");
  make_store(std::move(settings), credentials);
  return server;
}

void S3StoreFixture::make_store(S3Settings settings, const CredentialSettings& credentials) {
  drop_store();
  const BlockingRunner runner = [](const std::function<void()>& work) {
    work();
    return true;
  };
  store_ = S3Store::make(std::move(settings), credentials, loop_->reactor(), runner).value();
}

void S3StoreFixture::drop_store() {
  if (store_) loop_->run([this] { store_.reset(); });
}

std::future<ObjectResult> S3StoreFixture::start(ObjectRequest request) {
  auto promise = std::make_shared<std::promise<ObjectResult>>();
  store_->run(std::move(request), [promise](ObjectResult result) { promise->set_value(std::move(result)); });
  return promise->get_future();
}

std::string S3StoreFixture::outcome_of(const ObjectResult& result) {
  return result ? "ok" : std::string(base::name_of(result.error().code));
}

std::string S3StoreFixture::text_of(const ObjectResult& result) {
  if (!result || !result->bytes) return {};
  return {reinterpret_cast<const char*>(result->bytes->data()), result->bytes->size()};
}

std::string refusal(std::string_view status, std::string_view code, std::string_view headers) {
  return answer(status, "<Error><Code>" + std::string(code) + "</Code><Message>m</Message></Error>", headers);
}

std::string field_of(std::string_view request, std::string_view name) {
  const std::string mark = "\r\n" + std::string(name) + ": ";
  const std::size_t found = request.find(mark);
  if (found == std::string_view::npos) return {};
  const std::string_view rest = request.substr(found + mark.size());
  return std::string(rest.substr(0, rest.find('\r')));
}

}  // namespace optimux::source

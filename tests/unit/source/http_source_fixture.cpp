#include "unit/source/http_source_fixture.hpp"

#include <utility>

namespace optimux::source {

HttpSettings HttpSourceFixture::test_settings() {
  HttpSettings settings;
  settings.policy = AddressPolicy::make({"127.0.0.1"}).value();
  settings.connect_timeout = std::chrono::seconds(60);
  settings.total_timeout = std::chrono::seconds(60);
  settings.low_speed_time = std::chrono::seconds(0);
  return settings;
}

HttpSourceFixture::HttpSourceFixture() : loop_(std::make_unique<LoopThread>()) {
  make_source(test_settings());
}

void HttpSourceFixture::TearDown() {
  drop_source();
  origins_.clear();
  for (const OriginStub& canary : canaries_) EXPECT_EQ(canary.connection_count(), 0) << "the canary was reached";
  canaries_.clear();
  loop_.reset();
  expect_no_leaks();
}

void HttpSourceFixture::make_source(HttpSettings settings) {
  drop_source();
  source_ = HttpSource::make(std::move(settings), loop_->reactor()).value();
}

void HttpSourceFixture::drop_source() {
  if (source_) loop_->run([this] { source_.reset(); });
}

OriginStub& HttpSourceFixture::add_origin(OriginStub::Handler handler, const std::string& address,
                                          const TlsIdentity* identity) {
  return origins_.emplace_back(std::move(handler), address, identity);
}

OriginStub& HttpSourceFixture::add_canary(const std::string& address) {
  return canaries_.emplace_back(always(answer("200 OK", "canary")), address);
}

std::future<FetchResult> HttpSourceFixture::start(const std::string& url, base::Deadline deadline,
                                                  std::stop_token stop) {
  return start_fetch(*source_, FetchRequest{parse_source_url(url).value(), deadline, std::move(stop)});
}

FetchResult HttpSourceFixture::get(const std::string& url, SourceValidators validators) {
  FetchRequest request{.locator = parse_source_url(url).value(), .stop = {}};
  request.validators = std::move(validators);
  return start_fetch(*source_, std::move(request)).get();
}

}  // namespace optimux::source

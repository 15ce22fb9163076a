#pragma once

#include <list>
#include <memory>
#include <string>

#include "source/http_source.hpp"
#include "unit/source/descriptor_leaks.hpp"
#include "unit/source/loop_thread.hpp"
#include "unit/source/origin_stub.hpp"

namespace optimux::source {

/// An `HttpSource` on a loop of its own, and origins that it fetches from. At the end everything is taken down, and no
/// descriptor is left.
class HttpSourceFixture : public WithoutDescriptorLeaks {
 protected:
  /// Settings under which the origins of the test, on 127.0.0.1, are allowed, and time limits are out of the way.
  static HttpSettings test_settings();

  HttpSourceFixture();
  void TearDown() override;

  /// Replaces the source.
  void make_source(HttpSettings settings);
  HttpSource& source() { return *source_; }
  LoopThread& loop() { return *loop_; }
  /// Ends the source, in the loop's thread.
  void drop_source();

  /// Starts an origin that lives until the end of the test.
  OriginStub& add_origin(OriginStub::Handler handler, const std::string& address = "127.0.0.1",
                         const TlsIdentity* identity = nullptr);
  /// Starts a listener that nothing may ever connect to; the end of the test checks that.
  OriginStub& add_canary(const std::string& address);

  std::future<FetchResult> start(const std::string& url, base::Deadline deadline = {}, std::stop_token stop = {});
  FetchResult get(const std::string& url) { return start(url).get(); }
  /// Fetches as somebody who has the state that `validators` name.
  FetchResult get(const std::string& url, SourceValidators validators);

 private:
  std::unique_ptr<LoopThread> loop_;
  std::unique_ptr<HttpSource> source_;
  std::list<OriginStub> origins_;
  std::list<OriginStub> canaries_;
};

}  // namespace optimux::source

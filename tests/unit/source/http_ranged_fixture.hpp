#pragma once

#include <memory>
#include <string>

#include "source/http_ranged_source.hpp"
#include "unit/source/http_source_fixture.hpp"
#include "unit/source/ranged_origin.hpp"
#include "unit/source/ranged_reading.hpp"

namespace optimux::source {

/// An `HttpRangedSource` on the fixture's loop. At the end no descriptor is left.
class HttpRangedFixture : public HttpSourceFixture {
 protected:
  static constexpr std::uint64_t kMaxVideoBytes = 1ull << 30;

  HttpRangedFixture() { make_ranged(test_settings(), kMaxVideoBytes); }
  void TearDown() override {
    drop_ranged();
    HttpSourceFixture::TearDown();
  }

  /// Replaces the source.
  void make_ranged(HttpSettings settings, std::uint64_t max_video_bytes) {
    drop_ranged();
    ranged_ = HttpRangedSource::make(std::move(settings), max_video_bytes, loop().reactor()).value();
  }
  /// Ends the source, in the loop's thread.
  void drop_ranged() {
    if (ranged_) loop().run([this] { ranged_.reset(); });
  }
  HttpRangedSource& ranged() { return *ranged_; }

  static FetchRequest request_for(const std::string& url) {
    return FetchRequest{.locator = {SourceLocator::Kind::kHttp, url}, .deadline = {}, .stop = {}};
  }
  OpenResult open(const std::string& url) { return start_open(ranged(), request_for(url)).get(); }

 private:
  std::unique_ptr<HttpRangedSource> ranged_;
};

}  // namespace optimux::source

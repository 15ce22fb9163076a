#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "service/rendition_service.hpp"
#include "unit/service/doubles.hpp"

namespace optimux::service {

/// A service on doubles. At the end of each test nothing may be left in the making, and no memory granted.
class ServiceFixture : public testing::Test {
 protected:
  void SetUp() override { restart({}); }
  void TearDown() override {
    if (!service) return;
    EXPECT_EQ(service->figures().in_flight, 0U);
    EXPECT_EQ(service->figures().decoded_bytes_in_use, 0U);
    EXPECT_EQ(service->figures().source_bytes_in_use, 0U);
  }

  void restart(const ServiceLimits& limits) {
    service.reset();
    service = std::make_unique<RenditionService>(limits, pool, source, executor, *log);
  }

  static TransformSpec spec(std::vector<media::Size> sizes = {{10, 0}}, std::string name = "cat.jpg") {
    TransformSpec spec{{source::SourceLocator::Kind::kFile, std::move(name)}, {}};
    spec.render.sizes = std::move(sizes);
    return spec;
  }
  /// As above, of a source from an origin.
  static TransformSpec remote(std::vector<media::Size> sizes = {{10, 0}}, const std::string& name = "cat.jpg") {
    TransformSpec remote = spec(std::move(sizes));
    remote.source = {source::SourceLocator::Kind::kHttp, "http://origin/" + name};
    return remote;
  }
  std::vector<OpenedRendition> open_all(const TransformSpec& wanted,
                                        base::Deadline deadline = base::Deadline::never()) {
    return service->open(wanted, deadline);
  }
  OpenedRendition open(const TransformSpec& wanted = spec(), base::Deadline deadline = base::Deadline::never()) {
    return std::move(service->open(wanted, deadline).front());
  }
  /// Lets everything that is under way end well.
  void finish() {
    while (source.answer() || pool.run_next()) {
    }
  }
  /// That a new request of its own fetch and render is met: nothing of what went before is in its way.
  void expect_works() {
    const auto wanted = spec({{77, 0}}, "another.jpg");
    auto opened = open(wanted);
    finish();
    EXPECT_EQ(doubles::read(opened.reader), "picture@77x0q0");
  }
  static base::ErrorCode error_of(const OpenedRendition& opened) {
    const auto error = opened.rendition->body()->error();
    EXPECT_TRUE(error.has_value()) << "the body has not failed";
    return error.value_or(base::Error{base::ErrorCode::kMalformedRequest, {}, {}}).code;
  }
  static bool is_complete(const OpenedRendition& opened) {
    return opened.rendition->body()->state() == base::SharedBody::State::kComplete;
  }

  std::unique_ptr<base::LogSink> log = base::make_null_log();
  doubles::ManualPool pool;
  doubles::ManualSource source;
  doubles::TextExecutor executor;
  std::unique_ptr<RenditionService> service;
};

}  // namespace optimux::service

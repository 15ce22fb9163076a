#include "media/interrupt.hpp"

#include <gtest/gtest.h>

#include <stop_token>
#include <string>

#include "test_image.hpp"

namespace optimux::media {
namespace {

using std::chrono::hours;
using test::gradient;
using test::gradient_with_alpha;
using test::save;

/// Noise does not compress, so that encoders are slow and write much.
ImageHandle noise(int width, int height) {
  VipsImage* made = nullptr;
  EXPECT_EQ(vips_gaussnoise(&made, width, height, "mean", 128.0, "sigma", 50.0, "seed", 1, nullptr), 0);
  const ImageHandle floats(made);
  VipsImage* bytes = nullptr;
  EXPECT_EQ(vips_cast(floats.get(), &bytes, VIPS_FORMAT_UCHAR, nullptr), 0);
  const ImageHandle grey(bytes);
  VipsImage* copied = vips_image_copy_memory(grey.get());
  copied->Type = VIPS_INTERPRETATION_B_W;
  return ImageHandle(copied);
}

TEST(Interrupt, TellsStopFromDeadline) {
  std::stop_source stop;
  OperationControl control{stop.get_token(), base::Deadline::after(hours(1))};
  EXPECT_TRUE(check_interrupt(control));
  control.deadline = base::Deadline::after(-hours(1));
  EXPECT_EQ(check_interrupt(control).error().code, base::ErrorCode::kDeadlineExceeded);
  stop.request_stop();
  EXPECT_EQ(check_interrupt(control).error().code, base::ErrorCode::kCancelled);
}

TEST(Interrupt, EndsARenderBeforeItStarts) {
  std::stop_source stop;
  stop.request_stop();
  const auto rendered = test::render(save(gradient(40, 30).get(), ".jpg"), {}, {stop.get_token(), {}});
  ASSERT_FALSE(rendered.report);
  EXPECT_EQ(rendered.report.error().code, base::ErrorCode::kCancelled);
  EXPECT_EQ(rendered.bodies[0]->error()->code, base::ErrorCode::kCancelled);
  EXPECT_FALSE(rendered.bodies[0]->head());
}

/// Stops the operation in the thread that encodes, as soon as the body has as many bytes as asked for.
class StopAtBytes {
 public:
  StopAtBytes(base::SharedBody& body, std::uint64_t bytes) : reader_(body.attach()), bytes_(bytes) {
    reader_.acknowledge_head();
    listen();
  }
  std::stop_token token() const { return stop_.get_token(); }

 private:
  void listen() {
    while (!reader_.wait([this] { listen(); })) {
      reader_.consume(reader_.peek().size());
      if (reader_.offset() >= bytes_) return static_cast<void>(stop_.request_stop());
      if (reader_.body().is_finished()) return;
    }
  }

  base::SharedBody::Reader reader_;
  std::uint64_t bytes_;
  std::stop_source stop_;
};

class StreamingEncoder : public testing::TestWithParam<Format> {};

// JPEG and PNG leave their encoder while rows go in: a stop after the first bytes keeps the rest from being encoded.
TEST_P(StreamingEncoder, StopsAfterTheFirstBytes) {
  const auto source = save(noise(1500, 1500).get(), ".png[compression=0]");
  const RenderSpec spec{.format = GetParam(), .effort = 1};
  const auto whole = test::render(source, spec).bytes().size();

  const auto body = std::make_shared<base::SharedBody>();
  const StopAtBytes stopper(*body, 1000);
  const std::vector<std::shared_ptr<base::SharedBody>> bodies = {body};
  const auto report = test::executor().render(source, spec, bodies, {stopper.token(), {}});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, base::ErrorCode::kCancelled);
  EXPECT_EQ(body->state(), base::SharedBody::State::kFailed);
  EXPECT_GE(body->size(), 1000U);
  EXPECT_LT(body->size(), whole / 2);
}

INSTANTIATE_TEST_SUITE_P(Formats, StreamingEncoder, testing::Values(Format::kJpeg, Format::kPng));

class EveryEncoder : public testing::TestWithParam<Format> {};

// The Nth write meets a body that has failed, for every N until the encoder gets through.
TEST_P(EveryEncoder, ReportsABodyThatFailsInTheMiddle) {
  const auto source = save(noise(160, 160).get(), ".png");
  const RenderSpec spec{.format = GetParam(), .quality = 100, .effort = 1};
  const auto whole = test::render(source, spec).bytes().size();
  ASSERT_GT(whole, 1000U);
  int failures = 0;
  for (std::uint64_t limit = 1; limit < whole; limit += whole / 7) {
    const auto body = std::make_shared<base::SharedBody>();
    auto reader = body->attach();
    reader.acknowledge_head();
    std::function<void()> listen = [&] {
      while (!reader.wait(listen)) {
        reader.consume(reader.peek().size());
        if (reader.offset() >= limit) return body->fail({base::ErrorCode::kOverloaded, "full", ""});
        if (body->is_finished()) return;
      }
    };
    listen();
    const std::vector<std::shared_ptr<base::SharedBody>> bodies = {body};
    const auto report = test::executor().render(source, spec, bodies, {});
    ASSERT_FALSE(report) << limit;
    EXPECT_EQ(report.error().code, base::ErrorCode::kOverloaded) << limit;
    ++failures;
  }
  EXPECT_GE(failures, 7);
}

TEST_P(EveryEncoder, FailsWhenTheBodyHadFailedBefore) {
  const auto body = std::make_shared<base::SharedBody>();
  body->fail({base::ErrorCode::kShuttingDown, "bye", ""});
  const std::vector<std::shared_ptr<base::SharedBody>> bodies = {body};
  const auto report = test::executor().render(save(gradient(40, 30).get(), ".png"), {.format = GetParam()}, bodies, {});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, base::ErrorCode::kShuttingDown);
}

INSTANTIATE_TEST_SUITE_P(Formats, EveryEncoder,
                         testing::Values(Format::kJpeg, Format::kPng, Format::kWebp, Format::kAvif, Format::kGif));

// A stop while an earlier size is being written leaves that size's successors unstarted, and fails them.
TEST(Interrupt, FailsTheSizesThatAreNotComplete) {
  const auto source = save(noise(400, 400).get(), ".png");
  const RenderSpec spec{.sizes = {Size{50, 0}, Size{400, 0}, Size{200, 0}}, .format = Format::kJpeg};
  std::vector<std::shared_ptr<base::SharedBody>> bodies;
  for (int i = 0; i < 3; ++i) bodies.push_back(std::make_shared<base::SharedBody>());
  const StopAtBytes stopper(*bodies[1], 1);
  const auto report = test::executor().render(source, spec, bodies, {stopper.token(), {}});
  ASSERT_FALSE(report);
  EXPECT_EQ(bodies[0]->state(), base::SharedBody::State::kComplete);
  EXPECT_EQ(bodies[1]->state(), base::SharedBody::State::kFailed);
  EXPECT_EQ(bodies[2]->state(), base::SharedBody::State::kFailed);
  EXPECT_FALSE(bodies[2]->head());
}

}  // namespace
}  // namespace optimux::media

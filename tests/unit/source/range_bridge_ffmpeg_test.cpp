// The real ffmpeg reads videos of an HTTP origin by way of a bridge.

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "source/range_bridge.hpp"
#include "unit/source/http_ranged_fixture.hpp"
#include "unit/source/program.hpp"
#include "unit/source/temporary_folder.hpp"

namespace optimux::source {
namespace {

namespace fs = std::filesystem;

fs::path corpus() {
  const char* given = std::getenv("OPTIMUX_CORPUS");  // NOLINT(concurrency-mt-unsafe): nothing sets it.
  return given != nullptr ? given : OPTIMUX_DEFAULT_CORPUS;
}

class RangeBridgeFfmpegTest : public HttpRangedFixture {
 protected:
  void SetUp() override {
    if (!fs::exists(clip())) GTEST_SKIP() << "no corpus";
  }
  /// Half a minute, 4 MB, its index at the end.
  static fs::path clip() { return corpus() / "video/big-buck-bunny-480p-30s.mp4"; }
  /// The same again and again: some twenty minutes and 170 MB, its index in the front or at the end.
  std::string long_clip(bool index_in_front) {
    std::string path = folder_ / "long.mp4";
    std::vector<std::string> copy{"ffmpeg", "-y", "-nostdin", "-loglevel", "error", "-stream_loop",
                                  "40",     "-i", clip(),     "-c",        "copy"};
    if (index_in_front) copy.insert(copy.end(), {"-movflags", "+faststart"});
    copy.push_back(path);
    EXPECT_EQ(run_program(copy).exit_code, 0);
    return path;
  }

  /// Runs ffmpeg as the product does, on `url`; `output` follows the input.
  static ProgramEnd run_ffmpeg(const std::string& environment, const std::string& url,
                               const std::vector<std::string>& output, const std::string& start = "0") {
    std::vector<std::string> argv{"ffmpeg",
                                  "-nostdin",
                                  "-hide_banner",
                                  "-loglevel",
                                  "error",
                                  "-protocol_whitelist",
                                  "http,tcp",
                                  "-format_whitelist",
                                  "mov,mp4,m4a,3gp,3g2,mj2",
                                  "-threads",
                                  "1",
                                  "-ss",
                                  start,
                                  "-i",
                                  url};
    argv.insert(argv.end(), output.begin(), output.end());
    return run_program(argv, {environment});
  }
  /// Has it take one frame at `time` of what the bridge serves.
  static ProgramEnd take_frame(const RangeBridge& bridge, const std::string& time) {
    return run_ffmpeg(bridge.environment(), RangeBridge::url(),
                      {"-map", "0:v:0", "-frames:v", "1", "-c:v", "png", "-f", "image2pipe", "pipe:1"}, time);
  }
  static ProgramEnd probe(const RangeBridge& bridge) {
    return run_program(
        {"ffprobe", "-hide_banner", "-loglevel", "error", "-protocol_whitelist", "http,tcp", "-format_whitelist",
         "mov,mp4,m4a,3gp,3g2,mj2", "-show_entries", "format=duration", "-of", "csv=p=0", RangeBridge::url()},
        {bridge.environment()});
  }
  std::unique_ptr<RangeBridge> bridge_to(const std::string& url) {
    auto file = open(url);
    if (!file) ADD_FAILURE() << file.error().cause;
    return file ? std::move(RangeBridge::make(*file, loop().reactor(), {}).value()) : nullptr;
  }
  /// An origin of the clip that does `instead` from request number `from` on, the first being 1.
  OriginStub& add_failing_origin(int from, OriginStub::Handler instead) {
    auto requests = std::make_shared<std::atomic<int>>(0);
    return add_origin(
        [requests, from, instead = std::move(instead), well = serve_ranges(RangedContent::of_file(clip()))](
            OriginConnection& connection, const std::string& request) {
          return ++*requests < from ? well(connection, request) : instead(connection, request);
        });
  }

  const std::vector<std::string> copy_all_{"-map", "0", "-c", "copy", "-f", "md5", "pipe:1"};
  TemporaryFolder folder_;
};

TEST_F(RangeBridgeFfmpegTest, APosterNearTheEndReadsAFewPartsWhereverTheIndexIs) {
  for (const bool index_in_front : {true, false}) {
    const std::string path = long_clip(index_in_front);
    const std::uint64_t size = fs::file_size(path);
    std::atomic<std::uint64_t> sent = 0;
    const auto& origin = add_origin(serve_ranges(RangedContent::of_file(path), "ETag: \"state\"\r\n", &sent));
    const auto bridge = bridge_to(origin.url("/long.mp4"));
    ASSERT_TRUE(bridge);

    const ProgramEnd probed = probe(*bridge);
    EXPECT_EQ(probed.exit_code, 0) << probed.errors;
    EXPECT_NEAR(std::stod(probed.output), 1230.6, 1.0);
    const ProgramEnd frame = take_frame(*bridge, std::to_string(0.9 * 1230.6));
    EXPECT_EQ(frame.exit_code, 0) << frame.errors;
    EXPECT_EQ(frame.output.substr(0, 4), "\x89PNG");

    EXPECT_LT(sent.load(), size / 10);
    EXPECT_FALSE(bridge->first_error());
    const double percent = 100.0 * static_cast<double>(sent) / static_cast<double>(size);
    RecordProperty(index_in_front ? "percent_read_index_in_front" : "percent_read_index_at_end",
                   std::to_string(percent));
  }
}

TEST_F(RangeBridgeFfmpegTest, WhatItReadsAsAWholeIsByteForByteTheFile) {
  const auto bridge = bridge_to(add_origin(serve_ranges(RangedContent::of_file(clip()))).url("/clip.mp4"));
  ASSERT_TRUE(bridge);
  const ProgramEnd bridged = run_ffmpeg(bridge->environment(), RangeBridge::url(), copy_all_);
  EXPECT_EQ(bridged.exit_code, 0) << bridged.errors;
  std::vector<std::string> direct{"ffmpeg", "-nostdin", "-loglevel", "error", "-i", clip()};
  direct.insert(direct.end(), copy_all_.begin(), copy_all_.end());
  EXPECT_EQ(bridged.output, run_program(direct).output);
  EXPECT_LT(bridge->figures().source_bytes, fs::file_size(clip()) * 5 / 4);
}

TEST_F(RangeBridgeFfmpegTest, AnOriginWithoutRangesIsSeekedInToo) {
  const auto content = RangedContent::of_file(clip());
  const auto bridge = bridge_to(add_origin(always(answer("200 OK", content.read({0, content.size})))).url("/clip.mp4"));
  ASSERT_TRUE(bridge);
  EXPECT_EQ(take_frame(*bridge, "27").output.substr(0, 4), "\x89PNG");
}

// ffmpeg 5.1 takes a connection that is cut for the end of the file, and exits with 0: the bridge knows better.
TEST_F(RangeBridgeFfmpegTest, ASourceThatChangesIsNotTakenForBrokenMedia) {
  const auto& origin = add_failing_origin(5, serve_ranges(RangedContent::of_file(clip()), "ETag: \"other\"\r\n"));
  const auto bridge = bridge_to(origin.url("/clip.mp4"));
  ASSERT_TRUE(bridge);
  const ProgramEnd end = run_ffmpeg(bridge->environment(), RangeBridge::url(), copy_all_);
  EXPECT_NE(end.errors, "") << "it has seen a failure";
  ASSERT_TRUE(bridge->first_error());
  EXPECT_EQ(bridge->first_error()->code, base::ErrorCode::kOriginFailed);
  EXPECT_EQ(bridge->first_error()->detail, "the source has changed while it was read");
}

TEST_F(RangeBridgeFfmpegTest, AnOriginThatGoesIsNotTakenForBrokenMedia) {
  const auto& origin = add_failing_origin(4, [](OriginConnection& connection, const std::string&) {
    connection.send("HTTP/1.1 206 Partial Content\r\nContent-Length: 1000000\r\n\r\nhalf");
    connection.reset();
    return false;
  });
  const auto bridge = bridge_to(origin.url("/clip.mp4"));
  ASSERT_TRUE(bridge);
  run_ffmpeg(bridge->environment(), RangeBridge::url(), copy_all_);
  ASSERT_TRUE(bridge->first_error());
  EXPECT_EQ(bridge->first_error()->code, base::ErrorCode::kOriginFailed);
}

TEST_F(RangeBridgeFfmpegTest, TheChildComesNowhereElse) {
  const auto& canary = add_canary("127.0.0.1");
  const auto bridge = bridge_to(add_origin(serve_ranges(RangedContent::of_file(clip()))).url("/clip.mp4"));
  ASSERT_TRUE(bridge);
  for (const std::string& url : {canary.url("/clip.mp4"), std::string("http://input/other"),
                                 std::string("http://job:x@input/media/"), canary.url("/", "localhost")}) {
    const ProgramEnd end = run_ffmpeg(bridge->environment(), url, copy_all_);
    EXPECT_NE(end.exit_code, 0) << url;
    EXPECT_NE(end.errors.find("403"), std::string::npos) << end.errors;
  }
  const std::string wrong = "http_proxy=http://job:wrong@127.0.0.1:" + std::to_string(bridge->port());
  EXPECT_NE(run_ffmpeg(wrong, RangeBridge::url(), copy_all_).exit_code, 0);
  EXPECT_EQ(bridge->figures().requests, 0u);
}

}  // namespace
}  // namespace optimux::source

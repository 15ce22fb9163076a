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
  /// A clip of some twenty minutes and 170 MB, its index in the front or at the end. Empty where there is no corpus.
  std::string long_clip(bool index_in_front) {
    const fs::path clip = corpus() / "video/big-buck-bunny-480p-30s.mp4";
    if (!fs::exists(clip)) return {};
    const std::string path = folder_ / "long.mp4";
    std::vector<std::string> copy{"ffmpeg", "-y", "-nostdin", "-loglevel", "error", "-stream_loop",
                                  "40",     "-i", clip,       "-c",        "copy"};
    if (index_in_front) copy.insert(copy.end(), {"-movflags", "+faststart"});
    copy.push_back(path);
    EXPECT_EQ(run_program(copy).exit_code, 0);
    return path;
  }

  /// Has ffmpeg take one frame at `time`, as the product does, of what the bridge serves.
  static ProgramEnd take_frame(const RangeBridge& bridge, const std::string& time) {
    return run_program({"ffmpeg",
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
                        time,
                        "-i",
                        RangeBridge::url(),
                        "-map",
                        "0:v:0",
                        "-frames:v",
                        "1",
                        "-c:v",
                        "png",
                        "-f",
                        "image2pipe",
                        "pipe:1"},
                       {bridge.environment()});
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

  TemporaryFolder folder_;
};

TEST_F(RangeBridgeFfmpegTest, APosterNearTheEndReadsAFewPartsWhereverTheIndexIs) {
  for (const bool index_in_front : {true, false}) {
    const std::string path = long_clip(index_in_front);
    if (path.empty()) GTEST_SKIP() << "no corpus";
    const std::uint64_t size = fs::file_size(path);
    std::atomic<std::uint64_t> sent = 0;
    const auto& origin = add_origin(serve_ranges(RangedContent::of_file(path), "ETag: \"state\"\r\n", &sent));
    auto bridge = bridge_to(origin.url("/long.mp4"));
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

}  // namespace
}  // namespace optimux::source

#include "test_image.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace optimux::media::test {
namespace {

class MediaEnvironment : public testing::Environment {
 public:
  void SetUp() override { ASSERT_TRUE(initialise_media("media_test")); }
  void TearDown() override { release_thread_resources(); }
};

// gtest owns the environment.
const testing::Environment* const kEnvironment = testing::AddGlobalTestEnvironment(new MediaEnvironment);

ImageHandle from_pixels(int width, int height, int bands, const std::function<void(int, int, std::uint8_t*)>& fill) {
  std::vector<std::uint8_t> pixels(static_cast<std::size_t>(width) * height * bands);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) fill(x, y, &pixels[(static_cast<std::size_t>(y) * width + x) * bands]);
  }
  VipsImage* image =
      vips_image_new_from_memory_copy(pixels.data(), pixels.size(), width, height, bands, VIPS_FORMAT_UCHAR);
  image->Type = bands < 3 ? VIPS_INTERPRETATION_B_W : VIPS_INTERPRETATION_sRGB;
  return ImageHandle(image);
}

void gradient_pixel(int x, int y, int width, int height, std::uint8_t* pixel) {
  pixel[0] = static_cast<std::uint8_t>(255 * x / std::max(1, width - 1));
  pixel[1] = static_cast<std::uint8_t>(255 * y / std::max(1, height - 1));
  pixel[2] = static_cast<std::uint8_t>(pixel[0] * pixel[1] / 255);
}

}  // namespace

ImageHandle gradient(int width, int height) {
  return from_pixels(width, height, 3,
                     [=](int x, int y, std::uint8_t* pixel) { gradient_pixel(x, y, width, height, pixel); });
}

ImageHandle gradient_with_alpha(int width, int height) {
  return from_pixels(width, height, 4, [=](int x, int y, std::uint8_t* pixel) {
    gradient_pixel(x, y, width, height, pixel);
    pixel[3] = static_cast<std::uint8_t>(255 * (x + y) / std::max(1, width + height - 2));
  });
}

ImageHandle animation(int width, int height, int frames) {
  auto image = from_pixels(width, height * frames, 3, [=](int /*x*/, int y, std::uint8_t* pixel) {
    const int frame = y / height;
    pixel[0] = static_cast<std::uint8_t>(40 * frame);
    pixel[1] = static_cast<std::uint8_t>(250 - 40 * frame);
    pixel[2] = 90;
  });
  std::vector<int> delays;
  for (int i = 0; i < frames; ++i) delays.push_back(50 + 10 * i);
  vips_image_set_int(image.get(), VIPS_META_PAGE_HEIGHT, height);
  vips_image_set_int(image.get(), "loop", 3);
  vips_image_set_array_int(image.get(), "delay", delays.data(), frames);
  return image;
}

ImageHandle textured(int width, int height) {
  return from_pixels(width, height, 3, [](int x, int y, std::uint8_t* pixel) {
    for (int band = 0; band < 3; ++band) {
      const double coarse = std::sin(x / (31.0 + band)) * std::cos(y / (23.0 - band));
      const double middle = std::sin((x + 2.0 * y) / (5.0 + band));
      const double fine = static_cast<double>((x * 7919 + y * 104'729 + x * y * 31) % 97) / 97 - 0.5;
      pixel[band] = static_cast<std::uint8_t>(128 + 70 * coarse + 25 * middle + 40 * fine);
    }
  });
}

SourceBuffer save(VipsImage* image, const std::string& suffix) {
  void* data = nullptr;
  std::size_t size = 0;
  if (vips_image_write_to_buffer(image, suffix.c_str(), &data, &size, nullptr) != 0) {
    ADD_FAILURE() << suffix << ": " << vips_error_buffer();
    vips_error_clear();
    return source_of("");
  }
  auto source = source_of({static_cast<const char*>(data), size});
  g_free(data);
  return source;
}

SourceBuffer source_of(std::string_view bytes) {
  return std::make_shared<const base::ByteBuffer>(std::as_bytes(std::span(bytes)));
}

std::string_view text_of(const SourceBuffer& source) {
  return {reinterpret_cast<const char*>(source->data()), source->size()};
}

ImageHandle read_back(std::string_view bytes, Format format) {
  void* data = const_cast<char*>(bytes.data());
  VipsImage* loaded = nullptr;
  int outcome = -1;
  switch (format) {
    case Format::kJpeg: outcome = vips_jpegload_buffer(data, bytes.size(), &loaded, nullptr); break;
    case Format::kPng: outcome = vips_pngload_buffer(data, bytes.size(), &loaded, nullptr); break;
    case Format::kWebp: outcome = vips_webpload_buffer(data, bytes.size(), &loaded, "n", -1, nullptr); break;
    case Format::kGif: outcome = vips_gifload_buffer(data, bytes.size(), &loaded, "n", -1, nullptr); break;
    case Format::kTiff: outcome = vips_tiffload_buffer(data, bytes.size(), &loaded, nullptr); break;
    case Format::kAvif:
    case Format::kHeic: outcome = vips_heifload_buffer(data, bytes.size(), &loaded, nullptr); break;
  }
  if (outcome != 0) {
    ADD_FAILURE() << "cannot read " << name_of(format) << " back: " << vips_error_buffer();
    vips_error_clear();
    return gradient(1, 1);
  }
  const ImageHandle lazy(loaded);
  VipsImage* memory = vips_image_copy_memory(lazy.get());
  EXPECT_NE(memory, nullptr) << vips_error_buffer();
  return memory != nullptr ? ImageHandle(memory) : gradient(1, 1);
}

double pixel(VipsImage* image, int x, int y, int band) {
  double* values = nullptr;
  int count = 0;
  if (vips_getpoint(image, &values, &count, x, y, nullptr) != 0 || band >= count) {
    ADD_FAILURE() << "no pixel " << x << "," << y << " band " << band << ": " << vips_error_buffer();
    vips_error_clear();
    return -1;
  }
  const double value = values[band];
  g_free(values);
  return value;
}

double mean_difference(VipsImage* left, VipsImage* right) {
  VipsImage* difference = nullptr;
  VipsImage* absolute = nullptr;
  double mean = 1e9;
  if (vips_subtract(left, right, &difference, nullptr) != 0) return mean;
  const ImageHandle first(difference);
  if (vips_abs(difference, &absolute, nullptr) != 0) return mean;
  const ImageHandle second(absolute);
  return vips_avg(absolute, &mean, nullptr) == 0 ? mean : 1e9;
}

PhaseFindings find_phases(std::string_view bytes, Format format, std::size_t step) {
  PhaseScanner scanner(format);
  PhaseFindings found;
  for (; !bytes.empty(); bytes.remove_prefix(std::min(step, bytes.size()))) {
    const std::string piece(bytes.substr(0, step));  // A copy that goes, as that of an encoder does.
    const auto ends = scanner.feed(std::as_bytes(std::span(piece)));
    found.ends.insert(found.ends.end(), ends.begin(), ends.end());
  }
  EXPECT_EQ(found.ends, scanner.findings().ends);
  return scanner.findings();
}

PhaseEnd end_of(base::Phase phase, const PhaseFindings& found) {
  for (const PhaseEnd& end : found.ends) {
    if (end.phase >= phase) return end;
  }
  ADD_FAILURE() << "no end of phase " << static_cast<int>(phase);
  return {};
}

std::string bytes_of(base::SharedBody& body) {
  std::string bytes;
  auto reader = body.attach();
  for (auto piece = reader.peek(); !piece.empty(); piece = reader.peek()) {
    bytes.append(reinterpret_cast<const char*>(piece.data()), piece.size());
    reader.consume(piece.size());
  }
  return bytes;
}

Executor& executor() {
  static const auto kExecutor = make_in_process_executor(MediaLimits{});
  return *kExecutor;
}

Rendered render(const SourceBuffer& source, const RenderSpec& spec, const OperationControl& control, Executor& with) {
  Rendered rendered;
  for (std::size_t i = 0; i < spec.sizes.size(); ++i) rendered.bodies.push_back(std::make_shared<base::SharedBody>());
  rendered.report = with.render(source, spec, rendered.bodies, control);
  return rendered;
}

}  // namespace optimux::media::test

// The HEVC encoder of HEIC sources (x265 3.5) does not give back a few hundred bytes of each encode. Read by
// LeakSanitizer, where there is one.
extern "C" const char* __lsan_default_suppressions();   // NOLINT(bugprone-reserved-identifier)
extern "C" const char* __lsan_default_suppressions() {  // NOLINT(bugprone-reserved-identifier)
  return "leak:libx265";
}

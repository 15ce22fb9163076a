#include "media/blur_hash.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string_view>
#include <vector>

#include "media/thumbnail_pixels.hpp"

namespace optimux::media {
namespace {

constexpr std::string_view kDigits =
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz#$%*+,-.:;=?@[]^_{|}~";

using LinearColour = std::array<double, 3>;

// IEC 61966-2-1: sRGB's transfer function and its inverse.
double to_linear(std::uint8_t value) {
  const double v = value / 255.0;
  return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
}

int to_srgb(double linear) {
  const double v = std::clamp(linear, 0.0, 1.0);
  const double encoded = v <= 0.0031308 ? v * 12.92 : 1.055 * std::pow(v, 1 / 2.4) - 0.055;
  return static_cast<int>(encoded * 255 + 0.5);
}

std::array<double, 256> linear_table() {
  std::array<double, 256> table{};
  for (std::size_t i = 0; i < table.size(); ++i) table[i] = to_linear(static_cast<std::uint8_t>(i));
  return table;
}

std::vector<double> cosines(int component, int length) {
  std::vector<double> values(static_cast<std::size_t>(length));
  for (int i = 0; i < length; ++i) {
    values[static_cast<std::size_t>(i)] = std::cos(std::numbers::pi * component * i / length);
  }
  return values;
}

LinearColour component_of(std::span<const LinearColour> pixels, int width, int height, int x, int y) {
  const auto horizontal = cosines(x, width);
  const auto vertical = cosines(y, height);
  LinearColour sum{};
  std::size_t at = 0;
  for (const double row : vertical) {
    for (const double column : horizontal) {
      for (std::size_t band = 0; band < 3; ++band) sum[band] += row * column * pixels[at][band];
      ++at;
    }
  }
  const double scale = (x == 0 && y == 0 ? 1.0 : 2.0) / (static_cast<double>(width) * height);
  for (double& value : sum) value *= scale;
  return sum;
}

std::string base83(int value, int digits) {
  std::string text(static_cast<std::size_t>(digits), '0');
  for (auto digit = text.rbegin(); digit != text.rend(); ++digit) {
    *digit = kDigits[static_cast<std::size_t>(value % 83)];
    value /= 83;
  }
  return text;
}

int quantise_ac(double value, double most) {
  const double v = value / most;
  const double root = std::copysign(std::sqrt(std::abs(v)), v);
  return std::clamp(static_cast<int>(std::floor(root * 9 + 9.5)), 0, 18);
}

std::vector<LinearColour> linearise(std::span<const std::uint8_t> rgb) {
  const auto table = linear_table();
  std::vector<LinearColour> pixels(rgb.size() / 3);
  for (std::size_t i = 0; i < pixels.size(); ++i)
    pixels[i] = {table[rgb[3 * i]], table[rgb[3 * i + 1]], table[rgb[3 * i + 2]]};
  return pixels;
}

std::string encode_components(std::span<const LinearColour> components) {
  double largest = 0;
  for (const LinearColour& component : components.subspan(1)) {
    for (const double value : component) largest = std::max(largest, std::abs(value));
  }
  const int quantised = std::clamp(static_cast<int>(std::floor(largest * 166 - 0.5)), 0, 82);
  const double most = (quantised + 1) / 166.0;
  const LinearColour& mean = components[0];
  std::string hash = base83(components.size() > 1 ? quantised : 0, 1);
  hash += base83(to_srgb(mean[0]) << 16 | to_srgb(mean[1]) << 8 | to_srgb(mean[2]), 4);
  for (const LinearColour& c : components.subspan(1)) {
    hash += base83((quantise_ac(c[0], most) * 19 + quantise_ac(c[1], most)) * 19 + quantise_ac(c[2], most), 2);
  }
  return hash;
}

}  // namespace

std::string blur_hash(std::span<const std::uint8_t> rgb, int width, int height, int horizontal, int vertical) {
  const auto pixels = linearise(rgb);
  std::vector<LinearColour> components;
  for (int y = 0; y < vertical; ++y) {
    for (int x = 0; x < horizontal; ++x) components.push_back(component_of(pixels, width, height, x, y));
  }
  return base83(horizontal - 1 + (vertical - 1) * 9, 1) + encode_components(components);
}

base::Result<std::string> blur_hash_of(const SourceBuffer& source, const MediaLimits& limits,
                                       const OperationControl& control) {
  constexpr int kSide = 64;
  const auto pixels = thumbnail_pixels(source, kSide, limits, control);
  if (!pixels) return base::fail(pixels.error());
  return blur_hash(pixels->rgb, pixels->width, pixels->height, 4, 3);
}

}  // namespace optimux::media

#include "simulator/loads.hpp"

#include "simulator/random.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace optimux::pool::simulator {
namespace {

constexpr double kMinute = 60;
constexpr double kDay = 600;
constexpr double kLow = 0.1;
constexpr double kStepHeight = 0.8;
constexpr double kBurstHeight = 1.5;
constexpr double kBurstFrom = 50;  // second of the minute
constexpr double kSawtoothHeight = 0.9;
constexpr double kNoon = 0.85;
constexpr double kMidnight = 0.05;

struct Outline {
  std::string_view name;
  double height;    // largest load
  double seconds;   // length
  double rises_at;  // seconds
};

// In the order of Shape. A sawtooth is at its first peak after a minute; a day begins at midnight.
constexpr std::array<Outline, 4> kOutlines = {{
    {"step", kStepHeight, 600, kMinute},
    {"burst", kBurstHeight, 600, kBurstFrom},
    {"sawtooth", kSawtoothHeight, 600, 0},
    {"diurnal", kNoon, 1200, 0},
}};

const Outline& outline(Shape shape) {
  return kOutlines[static_cast<std::size_t>(shape)];
}

// Load at a second of the unscaled time.
double level(Shape shape, double second) {
  switch (shape) {
    case Shape::kStep: return second < kMinute ? kLow : kStepHeight;
    case Shape::kBurst: return std::fmod(second, kMinute) < kBurstFrom ? kLow : kBurstHeight;
    case Shape::kSawtooth: return kSawtoothHeight * std::fmod(second, kMinute) / kMinute;
    case Shape::kDiurnal: break;
  }
  return kMidnight + (kNoon - kMidnight) * (1 - std::cos(2 * std::numbers::pi * second / kDay)) / 2;
}

double capacity(const LoadOptions& options) {
  return options.cpus / to_seconds(options.cpu);
}

Duration draw(Random& random, Duration mean, double variation) {
  if (mean == Duration::zero()) return mean;
  return from_seconds(random.lognormal(to_seconds(mean), variation));
}

}  // namespace

std::string_view to_string(Shape shape) {
  return outline(shape).name;
}

std::optional<Shape> shape_of(std::string_view name) {
  const auto* const found = std::find_if(kShapes.begin(), kShapes.end(), [&](Shape s) { return to_string(s) == name; });
  if (found == kShapes.end()) return std::nullopt;
  return *found;
}

double rate(Shape shape, const LoadOptions& options, Duration at) {
  return capacity(options) * level(shape, to_seconds(at) / options.time_scale);
}

Trace make_load(Shape shape, const LoadOptions& options, std::uint64_t seed) {
  Random random(seed);
  Trace trace;
  trace.name = to_string(shape);
  trace.length = from_seconds(outline(shape).seconds * options.time_scale);
  trace.rises_at = from_seconds(outline(shape).rises_at * options.time_scale);
  const double most = capacity(options) * outline(shape).height;
  trace.busy_workers = most * to_seconds(options.cpu + options.wait);
  double second = 0;
  for (;;) {
    second += random.exponential(1 / most);
    const Duration at = from_seconds(second);
    if (at > trace.length) return trace;
    if (random.uniform() * most >= rate(shape, options, at)) continue;
    const Duration wait = draw(random, options.wait, options.variation);
    trace.jobs.push_back({at, wait, draw(random, options.cpu, options.variation)});
  }
}

}  // namespace optimux::pool::simulator

/// \file
/// Four loads that pools meet, made up.
#pragma once

#include "simulator/trace.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace optimux::pool::simulator {

/// How the arrival rate changes over time. A load of 1 is what the machine can just do: CPUs over the CPU time of a
/// job.
enum class Shape : std::uint8_t {
  kStep,      ///< 0.1, and from 60 s on 0.8. Ten minutes.
  kBurst,     ///< 0.1, and during the last 10 s of each minute 1.5: more than the machine can do. Ten minutes.
  kSawtooth,  ///< Rises evenly from 0 to 0.9 within a minute and falls back at once. Ten minutes.
  kDiurnal,   ///< A day and a night within ten minutes: a sine between 0.05 and 0.85. Twenty minutes.
};

inline constexpr std::array kShapes = {Shape::kStep, Shape::kBurst, Shape::kSawtooth, Shape::kDiurnal};

/// "step", "burst", "sawtooth" or "diurnal".
[[nodiscard]] std::string_view to_string(Shape shape);
/// The shape of that name.
[[nodiscard]] std::optional<Shape> shape_of(std::string_view name);

/// The jobs of a load, and the machine whose limits it is measured by.
struct LoadOptions {
  int cpus = 8;                                   ///< At least 1.
  Duration cpu = std::chrono::milliseconds(700);  ///< Mean CPU time of a job; above 0.
  Duration wait{};                                ///< Mean time that it waits for something else; 0 or more.
  double variation = 0.3;  ///< Standard deviation over mean of either, lognormally distributed; 0 or more.
  double time_scale = 1;   ///< Length of the load over what it is above; above 0. A replay may be in a hurry.
};

/// Mean arrivals a second at time `at` of the load.
[[nodiscard]] double rate(Shape shape, const LoadOptions& options, Duration at);

/// The jobs of a load: a Poisson stream with that rate (thinned, Lewis and Shedler 1979). Equal arguments give equal
/// traces.
[[nodiscard]] Trace make_load(Shape shape, const LoadOptions& options, std::uint64_t seed);

}  // namespace optimux::pool::simulator

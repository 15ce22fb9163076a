// What it costs to understand a request: parameters as they come from a query string.
#include "service/parameters.hpp"

#include <vector>

#include <benchmark/benchmark.h>

namespace optimux::service {
namespace {

void parse_three_parameters(benchmark::State& state) {
  const std::vector<Parameter> parameters = {{"sizes", "300x0"}, {"format", "webp"}, {"quality", "60"}};
  for (auto _ : state) benchmark::DoNotOptimize(parse_transform_parameters(parameters));
}
BENCHMARK(parse_three_parameters);

void parse_many_parameters(benchmark::State& state) {
  const std::vector<Parameter> parameters = {{"sizes", "300x0,600x0,1200x0"},
                                             {"format", "jpeg"},
                                             {"quality", "75"},
                                             {"fit", "cover"},
                                             {"gravity", "fp:0.25,0.75"},
                                             {"dpr", "1.5"},
                                             {"crop", "10%,10%,80%,80%"},
                                             {"rotate", "90"},
                                             {"flip", "h"},
                                             {"sharpen", "0.8"},
                                             {"background", "ffcc00"},
                                             {"progressive", "true"}};
  for (auto _ : state) benchmark::DoNotOptimize(parse_transform_parameters(parameters));
}
BENCHMARK(parse_many_parameters);

void refuse_an_unknown_parameter(benchmark::State& state) {
  const std::vector<Parameter> parameters = {{"sizes", "300x0"}, {"qualty", "60"}};
  for (auto _ : state) benchmark::DoNotOptimize(parse_transform_parameters(parameters));
}
BENCHMARK(refuse_an_unknown_parameter);

}  // namespace
}  // namespace optimux::service

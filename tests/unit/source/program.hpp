#pragma once

#include <string>
#include <vector>

namespace optimux::source {

/// How a program has ended.
struct ProgramEnd {
  int exit_code = -1;  ///< -1: it was ended by a signal.
  std::string output;
  std::string errors;
};

/// Runs a program with nothing but `environment`, its input empty, and waits for its end. `argv[0]` is looked for in
/// the usual folders. The test fails when there is no such program.
ProgramEnd run_program(const std::vector<std::string>& argv, const std::vector<std::string>& environment = {});

}  // namespace optimux::source

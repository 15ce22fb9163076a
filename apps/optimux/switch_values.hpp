#pragma once

#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's own
class App;
}

namespace optimux::apps {

/// The arguments of the command line, where the words `true` and `false` behind a switch have become its value:
/// `--lossless true` is `--lossless=true`. Any other word behind a switch stays what it is, so that `--lossless a.jpg`
/// names an input.
std::vector<std::string> join_switch_values(const CLI::App& program, int argc, const char* const* argv);

}  // namespace optimux::apps

#pragma once

#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's own
class App;
}

namespace optimux::apps {

/// The arguments of the command line, without the program's name, where CLI11 would read something else than people
/// mean:
/// - The words `true` and `false` behind a switch have become its value: `--lossless true` is `--lossless=true`. Any
///   other word behind a switch stays what it is, so that `--lossless a.jpg` names an input.
/// - An empty value has become a word of its own: `--admin=` gives `--admin` nothing, and not the word that follows.
std::vector<std::string> read_arguments(const CLI::App& program, int argc, const char* const* argv);

}  // namespace optimux::apps

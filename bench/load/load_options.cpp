#include "load/load_options.hpp"

#include <fstream>
#include <iostream>

#include <CLI/CLI.hpp>

namespace optimux::bench {
namespace {

std::vector<std::string> read_lines(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty()) lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace

std::optional<LoadOptions> read_load_options(int argc, char** argv, int& exit_code) {
  LoadOptions options;
  std::string targets_file;
  std::int64_t duration_ms = 0;
  std::int64_t timeout_ms = options.timeout.count();
  CLI::App app("Sends HTTP/1.1 requests to a server on 127.0.0.1 and times each of them");
  app.add_option("--port", options.port, "Port on 127.0.0.1")->required();
  app.add_option("--targets", targets_file, "File with one request target a line")
      ->required()
      ->check(CLI::ExistingFile);
  app.add_option("--connections", options.connections, "Connections at most")->check(CLI::Range(1, 10'000));
  app.add_option("--requests", options.requests, "Requests to send; 0: as many as the duration allows");
  app.add_option("--duration", duration_ms, "Milliseconds in which requests are sent; 0: until all are sent");
  app.add_option("--rate", options.rate, "Requests a second by the clock; 0: each as soon as the last one is answered");
  app.add_option("--timeout", timeout_ms, "Milliseconds that one request may take");
  app.add_option("--output", options.output, "CSV file to write, one line a request")->required();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    exit_code = app.exit(error);
    return std::nullopt;
  }
  options.duration = std::chrono::milliseconds(duration_ms);
  options.timeout = std::chrono::milliseconds(timeout_ms);
  options.targets = read_lines(targets_file);
  if (options.targets.empty() || (options.requests == 0 && duration_ms == 0)) {
    std::cerr << "nothing to do: no targets, or neither --requests nor --duration\n";
    exit_code = 2;
    return std::nullopt;
  }
  return options;
}

}  // namespace optimux::bench

#pragma once

#include "apps/optimux/command.hpp"
#include "apps/optimux/transform/outcome.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string>

namespace optimux::apps {

/// Tells the user what becomes of a batch: a line for each failure, a progress bar where somebody can see it, a summary
/// at the end, or all of it as JSON, one object a line. Used by one thread.
class Report {
 public:
  struct Options {
    bool json = false;         ///< Objects on `out` instead of lines for people on `messages`.
    bool quiet = false;        ///< Failures only.
    bool progress = false;     ///< Draw a bar; for terminals.
    std::size_t expected = 0;  ///< Outcomes to come.
  };

  /// The streams must outlive it.
  Report(const Options& options, std::ostream& out, std::ostream& messages);

  void add(const Outcome& outcome);
  /// The end: what was expected and has not been added was not made. With the number of files in folders that were
  /// passed over.
  void finish(std::size_t passed_over, bool was_interrupted);

  /// kSuccess, or kFailure when something failed or `out` could not take all of it.
  ExitCode exit_code() const;

 private:
  void add_json(const Outcome& outcome);
  void print_failure(const Outcome& outcome);
  void draw_bar(const std::string& name);
  void clear_bar();
  void finish_json(std::size_t passed_over, bool was_interrupted);
  std::size_t done() const;
  std::size_t not_made() const;
  double seconds() const;

  const Options options_;
  std::ostream& out_;
  std::ostream& messages_;
  const std::chrono::steady_clock::time_point started_;
  std::size_t written_ = 0, skipped_ = 0, failed_ = 0;
  std::uint64_t bytes_ = 0;
  bool has_bar_ = false;
};

/// One outcome as a JSON object without a line end.
std::string to_json(const Outcome& outcome);

}  // namespace optimux::apps

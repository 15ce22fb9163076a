#pragma once

#include "apps/optimux/transform/input_list.hpp"
#include "apps/optimux/transform/outcome.hpp"
#include "apps/optimux/transform/output_file.hpp"
#include "apps/optimux/transform/output_plan.hpp"
#include "service/rendition.hpp"
#include "source/reactor.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>

namespace optimux::apps {

/// An error of the service as the command reports it: about a file, what the service calls not found or forbidden is
/// one that is missing or cannot be read.
Failure failure_of(const base::Error& error, const Input& input);

/// One rendition on its way into its file, as fast as its bytes come. Lives in the loop's thread. Destroying it before
/// it is done tells the service that nobody reads any more, and removes what has been written.
class Transfer : public std::enable_shared_from_this<Transfer> {
 public:
  using Done = std::function<void(Outcome outcome)>;

  /// `plan` and `reactor` must outlive it. `outcome` says which size of which input `opened` is; where it names an
  /// output already, that has been claimed.
  Transfer(service::OpenedRendition opened, const Input& input, std::size_t size_index, Outcome outcome,
           OutputPlan& plan, source::Reactor& reactor);

  /// Begins; `done` is called once, in the loop's thread, never from inside `start`. It may drop its pointer to this
  /// object.
  void start(Done done);

 private:
  void wake_later();
  void advance();
  /// Moves what can be moved now. True when that was the end; the outcome is then filled in.
  bool pump();
  bool open_output(const base::BodyHead& head);
  bool claim_output(const base::BodyHead& head);
  bool write_available();
  bool finish_written();
  bool fail(Failure failure);

  service::OpenedRendition opened_;
  const Input input_;
  const std::size_t size_index_;
  OutputPlan& plan_;
  source::Reactor& reactor_;
  const std::chrono::steady_clock::time_point started_;
  Done done_;
  std::optional<OutputFile> file_;
  Outcome outcome_;
};

}  // namespace optimux::apps

#pragma once

#include "apps/optimux/transform/input_list.hpp"
#include "apps/optimux/transform/outcome.hpp"
#include "apps/optimux/transform/output_plan.hpp"
#include "apps/optimux/transform/transfer.hpp"
#include "media/render_spec.hpp"
#include "service/rendition_service.hpp"
#include "source/reactor.hpp"

#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <vector>

namespace optimux::apps {

/// Renders all inputs through the service, a few at a time, so that memory does not grow with their number. Lives in
/// the loop's thread.
class Batch {
 public:
  struct Hooks {
    std::function<void(const Outcome& outcome)> report;  ///< Once for each size of each input.
    std::function<void()> finished;                      ///< Once, when all have been reported.
  };

  /// `plan`, `service` and `reactor` must outlive it. At most `parallel` inputs (at least 1) are open at one time.
  Batch(std::vector<Input> inputs, const media::RenderSpec& spec, std::size_t parallel, OutputPlan& plan,
        service::RenditionService& service, source::Reactor& reactor, Hooks hooks);

  void start();
  /// Gives up what is open, removing what was half-written; nothing is reported any more, and `finished` is not called.
  void cancel();

 private:
  struct Item {
    std::vector<std::shared_ptr<Transfer>> transfers;
    std::size_t open = 0;
  };
  using Items = std::list<Item>;

  /// One size of an input that is to be rendered.
  struct Wanted {
    std::size_t size_index = 0;
    Outcome outcome;  ///< With its output, where that is known already.
  };

  void start_more();
  void start_item(const Input& input);
  std::vector<Wanted> claim_outputs(const Input& input);
  base::Result<service::TransformSpec> spec_for(const Input& input, const std::vector<Wanted>& wanted) const;
  void start_transfers(const Input& input, std::vector<Wanted> wanted, std::vector<service::OpenedRendition> opened);
  void take(Items::iterator item, const Outcome& outcome);
  void fail(Outcome outcome, Failure failure);

  const std::vector<Input> inputs_;
  const media::RenderSpec spec_;
  const std::size_t parallel_;
  OutputPlan& plan_;
  service::RenditionService& service_;
  source::Reactor& reactor_;
  const Hooks hooks_;
  std::size_t next_ = 0;
  Items items_;
  bool has_finished_ = false;
};

}  // namespace optimux::apps

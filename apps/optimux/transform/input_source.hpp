#pragma once

#include "source/pending_fetches.hpp"
#include "source/reactor.hpp"
#include "source/source.hpp"

#include <cstdint>
#include <memory>

namespace optimux::apps {

/// The inputs of the command: a locator of kind kFile holds a path as the user's shell understands it, anywhere the
/// process may read, or `-` for standard input. Pipes and devices are read too. Unlike a server, the command may say
/// what is wrong with a path: kNotFound where there is nothing, kForbiddenSource where it cannot be read, both with
/// what the system said.
class InputSource final : public source::Source {
 public:
  /// Reads in the runner's threads, each input in one. `reactor` must outlive the source.
  InputSource(std::uint64_t max_source_bytes, source::Reactor& reactor, source::BlockingRunner runner);
  /// In the loop's thread, or after the loop has ended. What is being read ends at once.
  ~InputSource() override;

  void fetch(source::FetchRequest request, source::FetchCallback callback) override;

 private:
  const std::uint64_t max_source_bytes_;
  const std::shared_ptr<source::PendingFetches> pending_;
  const source::BlockingRunner runner_;
};

}  // namespace optimux::apps

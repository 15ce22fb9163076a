#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/result.hpp"
#include "source/reactor.hpp"

namespace optimux::source {

/// Reads small files (credentials, tokens) off the event loop. Of the loop's thread alone.
class TextFileReader {
 public:
  using Callback = std::function<void(const base::Result<std::string>&)>;

  /// `reactor` must outlive the work that `runner` has been given.
  TextFileReader(Reactor& reactor, BlockingRunner runner) : reactor_(reactor), runner_(std::move(runner)) {}
  TextFileReader(const TextFileReader&) = delete;
  TextFileReader& operator=(const TextFileReader&) = delete;

  /// Calls `callback` once with the file's bytes, from the loop; not after the reader has gone. Errors: kNotFound when
  /// there is no such file, kInternal when it cannot be read or is larger than 64 KiB, kOverloaded when the runner
  /// refuses.
  void read(std::string path, Callback callback);

 private:
  Reactor& reactor_;
  const BlockingRunner runner_;
  const std::shared_ptr<int> life_ = std::make_shared<int>();  ///< Held weakly by work under way.
};

}  // namespace optimux::source

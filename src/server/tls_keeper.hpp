#pragma once

#include <memory>
#include <optional>

#include "base/log.hpp"
#include "base/result.hpp"
#include "server/event_loop.hpp"
#include "server/file_watch.hpp"
#include "server/metrics.hpp"
#include "server/tls_context.hpp"

namespace optimux::server {

/// The certificate in use. When its files are replaced the new one is for the connections that come; one that cannot be
/// used changes nothing but the log. Loop's thread, or before the loop runs.
class TlsKeeper {
 public:
  /// All must outlive the keeper.
  TlsKeeper(EventLoop& loop, base::LogSink& log, Metrics& metrics);
  TlsKeeper(const TlsKeeper&) = delete;
  TlsKeeper& operator=(const TlsKeeper&) = delete;

  /// Reads the files, uses them and watches them from now on; unset: there is no TLS. Blocks on the file system. Errors
  /// as TlsContext::make; nothing has changed then.
  base::Status configure(const std::optional<TlsContext::Settings>& settings);

  /// What connections begin with now; nullptr: there is no TLS.
  const std::shared_ptr<const TlsContext>& context() const { return context_; }

 private:
  void refresh();
  void use(std::shared_ptr<const TlsContext> context);
  void watch_files();

  base::LogSink& log_;
  Metrics& metrics_;
  const std::shared_ptr<TicketKeys> tickets_ = std::make_shared<TicketKeys>();
  std::shared_ptr<const TlsContext> context_;
  FileWatch files_;
};

}  // namespace optimux::server

#include "server/tls_keeper.hpp"

#include <chrono>
#include <string>
#include <utility>

#include "base/http_date.hpp"

namespace optimux::server {

TlsKeeper::TlsKeeper(EventLoop& loop, base::LogSink& log, Metrics& metrics)
    : log_(log), metrics_(metrics), files_(loop, [this] { refresh(); }) {}

base::Status TlsKeeper::configure(const std::optional<TlsContext::Settings>& settings) {
  if (!settings) {
    context_ = nullptr;
    return files_.watch({});
  }
  auto context = TlsContext::make(*settings, tickets_);
  if (!context) return base::fail(context.error());
  use(*std::move(context));
  watch_files();
  return {};
}

/// Not every event is a new certificate; the log is told of those that are.
void TlsKeeper::refresh() {
  if (context_ == nullptr) return;
  watch_files();
  auto context = TlsContext::make(context_->settings(), tickets_);
  if (!context) {
    log_.error("certificate not reloaded", {{"problem", context.error().detail}, {"effect", "the one before stays"}});
    return;
  }
  use(*std::move(context));
}

void TlsKeeper::use(std::shared_ptr<const TlsContext> context) {
  const bool is_known = context_ != nullptr && context_->certificate().pem == context->certificate().pem;
  context_ = std::move(context);
  if (is_known) return;
  const TlsContext::Certificate& certificate = context_->certificate();
  metrics_.set_certificate_end(certificate.ends);
  std::string names;
  for (const std::string& name : certificate.names) names += (names.empty() ? "" : ",") + name;
  log_.info("certificate", {{"names", names}, {"ends", base::format_http_date(certificate.ends)}});
  const auto now = std::chrono::system_clock::now();
  if (now >= certificate.ends)
    log_.warning("certificate has expired", {{"ends", base::format_http_date(certificate.ends)}});
  if (now < certificate.begins) {
    log_.warning("certificate is not valid yet", {{"begins", base::format_http_date(certificate.begins)}});
  }
}

void TlsKeeper::watch_files() {
  const TlsContext::Settings& settings = context_->settings();
  std::vector<std::string> paths = {settings.certificate_path};
  if (!settings.key_path.empty()) paths.push_back(settings.key_path);
  if (const auto status = files_.watch(paths); !status) {
    log_.warning("certificate files are not watched",
                 {{"cause", status.error().cause}, {"effect", "a new certificate needs SIGHUP"}});
  }
}

}  // namespace optimux::server

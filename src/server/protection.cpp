#include "server/protection.hpp"

#include <string>
#include <utility>

namespace optimux::server {
namespace {

tl::unexpected<base::Error> named(const char* field, base::Error error) {
  error.detail = std::string(field) + ": " + error.detail;
  return base::fail(std::move(error));
}

}  // namespace

base::Result<std::shared_ptr<const Protection>> Protection::make(const ServerSettings& settings) {
  auto protection = std::make_shared<Protection>();
  auto signer = service::UrlSigner::make(settings.signing_keys);
  if (!signer) return named("signing_keys", signer.error());
  protection->signer = *std::move(signer);
  auto sources = source::AllowList::make(
      {settings.allowed_source_hosts, settings.allowed_source_prefixes, settings.allowed_schemes});
  if (!sources) return base::fail(sources.error());
  protection->sources = *std::move(sources);
  auto outputs = make_output_rules(settings.max_sizes, settings.allowed_formats);
  if (!outputs) return base::fail(outputs.error());
  protection->outputs = *std::move(outputs);
  auto presets = Presets::make(settings.presets, protection->outputs);
  if (!presets) return named("presets", presets.error());
  protection->presets = *std::move(presets);
  auto proxies = TrustedProxies::make(settings.trusted_proxies, settings.forwarded_header);
  if (!proxies) return base::fail(proxies.error());
  protection->proxies = *std::move(proxies);
  return protection;
}

}  // namespace optimux::server

#include "server/protection.hpp"

#include <string>
#include <utility>

#include "service/parameter_values.hpp"

namespace optimux::server {
namespace {

tl::unexpected<base::Error> named(const char* field, base::Error error) {
  error.detail = std::string(field) + ": " + error.detail;
  return base::fail(std::move(error));
}

base::Result<OutputRules> rules_of(const ServerSettings& settings) {
  OutputRules rules;
  rules.max_sizes = settings.max_sizes;
  for (const std::string& name : settings.allowed_formats) {
    const auto format = service::read_format(name);
    if (!format) {
      return base::fail(base::ErrorCode::kInvalidParameter, "allowed_formats: '" + name + "' is no format");
    }
    rules.formats.push_back(*format);
  }
  return rules;
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
  auto presets = Presets::make(settings.presets);
  if (!presets) return named("presets", presets.error());
  protection->presets = *std::move(presets);
  auto outputs = rules_of(settings);
  if (!outputs) return base::fail(outputs.error());
  protection->outputs = *std::move(outputs);
  auto proxies = TrustedProxies::make(settings.trusted_proxies, settings.forwarded_header);
  if (!proxies) return base::fail(proxies.error());
  protection->proxies = *std::move(proxies);
  return protection;
}

}  // namespace optimux::server

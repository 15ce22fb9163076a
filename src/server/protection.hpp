#pragma once

#include <memory>

#include "base/result.hpp"
#include "server/output_rules.hpp"
#include "server/presets.hpp"
#include "server/server_settings.hpp"
#include "server/trusted_proxies.hpp"
#include "service/url_signer.hpp"
#include "source/allow_list.hpp"

namespace optimux::server {

/// What the settings that protect the server and its owner come to, once they have been read and checked. Immutable;
/// replaced as a whole on reload, while a request keeps the one that it began with.
struct Protection {
  service::UrlSigner signer;
  source::AllowList sources;
  Presets presets;
  OutputRules outputs;
  TrustedProxies proxies;

  /// Reads the files that the settings name. Blocks on the file system. Errors: kInvalidParameter naming the field.
  static base::Result<std::shared_ptr<const Protection>> make(const ServerSettings& settings);
};

}  // namespace optimux::server

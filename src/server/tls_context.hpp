#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "server/ticket_keys.hpp"

struct ssl_ctx_st;

namespace optimux::server {

enum class TlsVersion { k12, k13 };

/// `1.2`, `1.3`.
std::string_view name_of(TlsVersion version);

/// What all TLS connections that begin at one time share: certificate, versions, ciphers, protocols. Never changes: a
/// new certificate is a new context, and a connection keeps the one that it began with. Loop's thread only.
///
/// TLS 1.2 and 1.3 with forward secrecy and authenticated encryption only (Mozilla's intermediate profile without DHE,
/// whose ciphers HTTP/2 allows too: RFC 9113, section 9.2.2). No compression, no renegotiation, no early data.
/// Sessions are resumed by tickets alone, so the server keeps nothing of them.
class TlsContext {
 public:
  struct Settings {
    std::string certificate_path;
    std::string key_path;  ///< Empty: in the file of the certificate.
    TlsVersion min_version = TlsVersion::k12;
    bool offers_http2 = false;  ///< By ALPN, before `http/1.1`.
  };
  struct Certificate {
    std::vector<std::string> names;  ///< DNS names that it is for; its subject when it has none.
    std::chrono::system_clock::time_point begins;
    std::chrono::system_clock::time_point ends;
    std::string pem;  ///< Of the whole chain, to tell one from another.
  };

  /// Reads the files. `tickets` may be shared by contexts, so that sessions survive a new certificate. Blocks on the
  /// file system. Errors: kInvalidParameter whose detail begins with the name of the option that is wrong.
  static base::Result<std::shared_ptr<const TlsContext>> make(const Settings& settings,
                                                              std::shared_ptr<TicketKeys> tickets);
  TlsContext(const TlsContext&) = delete;
  TlsContext& operator=(const TlsContext&) = delete;
  ~TlsContext();

  const Settings& settings() const;
  const Certificate& certificate() const;
  /// OpenSSL's side of it, for the sources of this layer.
  ssl_ctx_st* native() const;

 private:
  struct Inner;
  explicit TlsContext(std::unique_ptr<Inner> inner);
  const std::unique_ptr<Inner> inner_;
};

}  // namespace optimux::server

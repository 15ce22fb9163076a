#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "server/openssl_handles.hpp"

namespace optimux::server {

/// A certificate, those that lead from it to a root, and its private key, as two PEM files hold them. Included only by
/// sources that speak OpenSSL.
struct TlsCertificate {
  CertificateHandle leaf;
  std::vector<CertificateHandle> chain;  ///< Above the leaf, in the order of the file.
  PrivateKeyHandle key;
  std::string pem;                 ///< Of the file with the certificates, whole.
  std::vector<std::string> names;  ///< DNS names that it is for; its subject when it has none.
  std::chrono::system_clock::time_point begins;
  std::chrono::system_clock::time_point ends;
};

/// Reads both files, and checks that the key is the certificate's. The first certificate of the file is the server's.
/// With an empty `key_path` the key stands in the file of the certificate. Blocks on the file system. Errors:
/// kInvalidParameter whose detail begins with the option that is wrong, `tls_certificate` or `tls_key`, and names the
/// file.
base::Result<TlsCertificate> read_tls_certificate(const std::string& certificate_path, const std::string& key_path);

}  // namespace optimux::server

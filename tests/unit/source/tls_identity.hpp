#pragma once

#include <memory>
#include <string>

#include <openssl/ssl.h>

namespace optimux::source {

struct OpensslDeleter {
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  void operator()(SSL* session) const { SSL_free(session); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(BIO* bio) const { BIO_free(bio); }
};
template <class T>
using Openssl = std::unique_ptr<T, OpensslDeleter>;

/// A fresh key with a certificate that it signed itself, and all that a TLS server needs of them.
class TlsIdentity {
 public:
  /// `subject` is an entry of the certificate's alternative names, as in `IP:127.0.0.1` or `DNS:example.com`.
  explicit TlsIdentity(const std::string& subject);

  SSL_CTX* server_context() const { return context_.get(); }
  /// The certificate as a PEM text: what a client has to trust.
  const std::string& certificate() const { return certificate_; }

 private:
  Openssl<SSL_CTX> context_;
  std::string certificate_;
};

}  // namespace optimux::source

#pragma once

#include <memory>

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

namespace optimux::server {

/// Owners of what OpenSSL makes. Included only by sources that speak OpenSSL.

template <auto Free>
struct FreedBy {
  template <class T>
  void operator()(T* handle) const {
    Free(handle);
  }
};

using SslContextHandle = std::unique_ptr<SSL_CTX, FreedBy<&SSL_CTX_free>>;
using SslHandle = std::unique_ptr<SSL, FreedBy<&SSL_free>>;
using BioHandle = std::unique_ptr<BIO, FreedBy<&BIO_free_all>>;
using BioMethodHandle = std::unique_ptr<BIO_METHOD, FreedBy<&BIO_meth_free>>;
using CertificateHandle = std::unique_ptr<X509, FreedBy<&X509_free>>;
using PrivateKeyHandle = std::unique_ptr<EVP_PKEY, FreedBy<&EVP_PKEY_free>>;
using GeneralNamesHandle = std::unique_ptr<GENERAL_NAMES, FreedBy<&GENERAL_NAMES_free>>;

}  // namespace optimux::server

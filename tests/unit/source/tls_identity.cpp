#include "unit/source/tls_identity.hpp"

#include <cstdlib>

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

namespace optimux::source {
namespace {

void require(bool ok) {
  if (!ok) std::abort();
}

void add_extension(X509* certificate, int kind, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str());
  require(extension != nullptr && X509_add_ext(certificate, extension, -1) == 1);
  X509_EXTENSION_free(extension);
}

Openssl<X509> self_signed(EVP_PKEY* key, const std::string& subject) {
  Openssl<X509> certificate(X509_new());
  require(certificate != nullptr);
  X509_set_version(certificate.get(), X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), 1);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -3600);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 3600);
  X509_set_pubkey(certificate.get(), key);
  X509_NAME* const name = X509_get_subject_name(certificate.get());
  const auto* const text = reinterpret_cast<const unsigned char*>("optimux test");
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, text, -1, -1, 0);
  X509_set_issuer_name(certificate.get(), name);
  add_extension(certificate.get(), NID_basic_constraints, "critical,CA:TRUE");
  add_extension(certificate.get(), NID_subject_alt_name, subject);
  require(X509_sign(certificate.get(), key, EVP_sha256()) > 0);
  return certificate;
}

std::string pem_of(X509* certificate) {
  const Openssl<BIO> memory(BIO_new(BIO_s_mem()));
  require(memory != nullptr && PEM_write_bio_X509(memory.get(), certificate) == 1);
  char* text = nullptr;
  const long size = BIO_get_mem_data(memory.get(), &text);
  return std::string(text, static_cast<std::size_t>(size));
}

}  // namespace

TlsIdentity::TlsIdentity(const std::string& subject) : context_(SSL_CTX_new(TLS_server_method())) {
  const Openssl<EVP_PKEY> key(EVP_EC_gen("P-256"));
  require(context_ != nullptr && key != nullptr);
  const Openssl<X509> certificate = self_signed(key.get(), subject);
  require(SSL_CTX_use_certificate(context_.get(), certificate.get()) == 1);
  require(SSL_CTX_use_PrivateKey(context_.get(), key.get()) == 1);
  certificate_ = pem_of(certificate.get());
}

}  // namespace optimux::source

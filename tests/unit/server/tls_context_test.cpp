#include "server/tls_context.hpp"

#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include "unit/server/tls_peer.hpp"

namespace optimux::server {
namespace {

using namespace std::chrono_literals;

/// Why no context can be made of the files; empty when one can.
std::string problem_of(const TlsContext::Settings& settings) {
  const auto context = TlsContext::make(settings, std::make_shared<TicketKeys>());
  return context ? "" : context.error().detail;
}

std::string encrypted_key() {
  const PrivateKeyHandle key(EVP_EC_gen("P-256"));
  const BioHandle text(BIO_new(BIO_s_mem()));
  unsigned char passphrase[] = "secret";
  PEM_write_bio_PrivateKey(text.get(), key.get(), EVP_aes_128_cbc(), passphrase, 6, nullptr, nullptr);
  char* data = nullptr;
  const long size = BIO_get_mem_data(text.get(), &data);
  return {data, static_cast<std::size_t>(size)};
}

TEST(TlsContext, KnowsItsCertificate) {
  const auto certificate = make_test_certificate("pictures.example", -2, 10);
  const TlsFiles files(certificate);
  const auto context = TlsContext::make(files.settings(), std::make_shared<TicketKeys>());
  ASSERT_TRUE(context);
  const auto& known = (*context)->certificate();
  EXPECT_EQ(known.names, std::vector<std::string>{"pictures.example"});
  EXPECT_EQ(known.pem, certificate.certificate);
  const auto now = std::chrono::system_clock::now();
  EXPECT_NEAR(std::chrono::duration<double>(known.begins - now).count(), -2.0 * 86'400, 60);
  EXPECT_NEAR(std::chrono::duration<double>(known.ends - now).count(), 10.0 * 86'400, 60);
}

TEST(TlsContext, OneFileMayHoldCertificateChainAndKey) {
  const auto certificate = make_test_certificate("pictures.example");
  const TlsFiles files;
  files.write("all.pem", certificate.certificate + make_test_certificate("above").certificate + certificate.key);
  EXPECT_EQ(problem_of({files.path("all.pem"), ""}), "");
}

TEST(TlsContext, ErrorsNameTheOptionAndTheFile) {
  const auto certificate = make_test_certificate("pictures.example");
  const TlsFiles files(certificate);
  files.write("text.pem", "no PEM");
  files.write("broken.pem", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
  files.write("other_key.pem", make_test_certificate("other").key);
  files.write("encrypted.pem", encrypted_key());
  const auto problem = [&](const std::string& certificate_name, const std::string& key_name) {
    return problem_of({files.path(certificate_name), key_name.empty() ? "" : files.path(key_name)});
  };
  EXPECT_EQ(problem("certificate.pem", "key.pem"), "");
  EXPECT_EQ(problem("missing.pem", "key.pem"),
            "tls_certificate: '" + files.path("missing.pem") + "' cannot be opened: No such file or directory");
  for (const char* name : {"text.pem", "broken.pem", "key.pem"}) {
    EXPECT_EQ(problem(name, "key.pem"), "tls_certificate: '" + files.path(name) + "' holds no certificate in PEM form");
  }
  EXPECT_EQ(problem("certificate.pem", "missing.pem"),
            "tls_key: '" + files.path("missing.pem") + "' cannot be opened: No such file or directory");
  EXPECT_EQ(problem("certificate.pem", "text.pem"),
            "tls_key: '" + files.path("text.pem") + "' holds no private key in PEM form");
  EXPECT_EQ(problem("certificate.pem", ""), "tls_key: '" + files.certificate() + "' holds no private key in PEM form");
  EXPECT_EQ(problem("certificate.pem", "encrypted.pem"),
            "tls_key: '" + files.path("encrypted.pem") + "' is encrypted: give a key without a passphrase");
  EXPECT_EQ(problem("certificate.pem", "other_key.pem"), "tls_key: '" + files.path("other_key.pem") +
                                                             "' is not the key of the certificate in '" +
                                                             files.certificate() + "'");
}

TEST(TlsContext, FoldersAreNoFiles) {
  const TlsFiles files(make_test_certificate("a"));
  EXPECT_TRUE(problem_of({files.path("."), files.key()}).starts_with("tls_certificate: "))
      << problem_of({files.path("."), files.key()});
}

TEST(TlsContext, WeakCertificatesAreRefused) {
  const PrivateKeyHandle key(EVP_RSA_gen(512));
  const CertificateHandle certificate(X509_new());
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), 0);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 3'600);
  X509_set_pubkey(certificate.get(), key.get());
  X509_sign(certificate.get(), key.get(), EVP_sha256());
  const BioHandle text(BIO_new(BIO_s_mem()));
  PEM_write_bio_X509(text.get(), certificate.get());
  PEM_write_bio_PrivateKey(text.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr);
  char* data = nullptr;
  const long size = BIO_get_mem_data(text.get(), &data);
  const TlsFiles files;
  files.write("weak.pem", {data, static_cast<std::size_t>(size)});
  EXPECT_EQ(problem_of({files.path("weak.pem"), ""}),
            "tls_certificate: '" + files.path("weak.pem") + "' cannot be used: ee key too small");
}

}  // namespace
}  // namespace optimux::server

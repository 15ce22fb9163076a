#include "server/tls_certificate.hpp"

#include <cerrno>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

#include <openssl/pem.h>

#include "server/openssl_error.hpp"

namespace optimux::server {
namespace {

/// A chain of certificates has a few thousand bytes.
constexpr std::streamsize kMostBytes = 1 << 20;

tl::unexpected<base::Error> refuse(std::string_view option, const std::string& path, std::string_view what) {
  return base::fail(base::ErrorCode::kInvalidParameter, std::string(option) + ": '" + path + "' " + std::string(what));
}

base::Result<std::string> read_file(std::string_view option, const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return refuse(option, path, "cannot be opened: " + std::generic_category().message(errno));
  std::string text(static_cast<std::size_t>(kMostBytes), '\0');
  file.read(text.data(), kMostBytes);
  if (file.bad()) return refuse(option, path, "cannot be read");
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

BioHandle over(const std::string& text) {
  return BioHandle(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

/// OpenSSL asks for a passphrase on the terminal otherwise.
int have_no_passphrase(char* /*buffer*/, int /*size*/, int /*for_writing*/, void* was_asked) {
  *static_cast<bool*>(was_asked) = true;
  return -1;
}

base::Status read_chain(const std::string& path, TlsCertificate& certificate) {
  const BioHandle pem = over(certificate.pem);
  certificate.leaf.reset(PEM_read_bio_X509(pem.get(), nullptr, nullptr, nullptr));
  if (!certificate.leaf) {
    take_openssl_reason();
    return refuse("tls_certificate", path, "holds no certificate in PEM form");
  }
  while (X509* const next = PEM_read_bio_X509(pem.get(), nullptr, nullptr, nullptr))
    certificate.chain.emplace_back(next);
  take_openssl_reason();  // That there are no more.
  return {};
}

base::Status read_key(const std::string& path, const std::string& text, TlsCertificate& certificate) {
  const BioHandle pem = over(text);
  bool was_asked = false;
  certificate.key.reset(PEM_read_bio_PrivateKey(pem.get(), nullptr, &have_no_passphrase, &was_asked));
  if (certificate.key) return {};
  take_openssl_reason();
  if (was_asked) return refuse("tls_key", path, "is encrypted: give a key without a passphrase");
  return refuse("tls_key", path, "holds no private key in PEM form");
}

std::chrono::system_clock::time_point time_of(const ASN1_TIME* time) {
  std::tm parts{};
  if (ASN1_TIME_to_tm(time, &parts) != 1) return {};
  return std::chrono::system_clock::from_time_t(::timegm(&parts));
}

std::string subject_of(const X509& leaf) {
  const BioHandle text(BIO_new(BIO_s_mem()));
  X509_NAME_print_ex(text.get(), X509_get_subject_name(&leaf), 0, XN_FLAG_RFC2253);
  char* data = nullptr;
  const long size = BIO_get_mem_data(text.get(), &data);
  return {data, static_cast<std::size_t>(size)};
}

std::vector<std::string> names_of(const X509& leaf) {
  const GeneralNamesHandle all(
      static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(&leaf, NID_subject_alt_name, nullptr, nullptr)));
  std::vector<std::string> names;
  for (int i = 0; all && i < sk_GENERAL_NAME_num(all.get()); ++i) {
    const GENERAL_NAME* const name = sk_GENERAL_NAME_value(all.get(), i);
    if (name->type != GEN_DNS) continue;
    const auto* const bytes = ASN1_STRING_get0_data(name->d.dNSName);
    names.emplace_back(reinterpret_cast<const char*>(bytes),
                       static_cast<std::size_t>(ASN1_STRING_length(name->d.dNSName)));
  }
  if (names.empty()) names.push_back(subject_of(leaf));
  return names;
}

}  // namespace

base::Result<TlsCertificate> read_tls_certificate(const std::string& certificate_path, const std::string& key_path) {
  TlsCertificate certificate;
  auto text = read_file("tls_certificate", certificate_path);
  if (!text) return base::fail(text.error());
  certificate.pem = *std::move(text);
  if (auto status = read_chain(certificate_path, certificate); !status) return base::fail(status.error());
  const std::string& path = key_path.empty() ? certificate_path : key_path;
  auto key_text = read_file("tls_key", path);
  if (!key_text) return base::fail(key_text.error());
  const auto status = read_key(path, *key_text, certificate);
  OPENSSL_cleanse(key_text->data(), key_text->size());
  if (!status) return base::fail(status.error());
  if (X509_check_private_key(certificate.leaf.get(), certificate.key.get()) != 1) {
    take_openssl_reason();
    return refuse("tls_key", path, "is not the key of the certificate in '" + certificate_path + "'");
  }
  certificate.names = names_of(*certificate.leaf);
  certificate.begins = time_of(X509_get0_notBefore(certificate.leaf.get()));
  certificate.ends = time_of(X509_get0_notAfter(certificate.leaf.get()));
  return certificate;
}

}  // namespace optimux::server

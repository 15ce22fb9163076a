#include "unit/server/tls_peer.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <functional>
#include <utility>

#include <gtest/gtest.h>
#include <openssl/err.h>
#include <openssl/pem.h>

namespace optimux::server {
namespace {

constexpr long kDay = 24L * 3'600;

std::string text_of(const BioHandle& bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &data);
  return {data, static_cast<std::size_t>(size)};
}

class WireTransport final : public Transport {
 public:
  WireTransport(EventLoop& loop, Wire& wire) : loop_(loop), wire_(wire) {}
  ~WireTransport() override { WireTransport::close(); }

  Outcome read(std::span<char> buffer) override {
    if (has_to_wait(may_read_)) return {Result::kWouldBlock, 0};
    if (wire_.to_server.empty() && !wire_.client_has_left) return {Result::kWouldBlock, 0};
    if (has_failed()) return {Result::kClosed, 0};
    if (wire_.to_server.empty()) return {Result::kClosed, 0};
    const std::size_t count = wire_.to_server.copy(buffer.data(), std::min(buffer.size(), wire_.bytes_a_read));
    wire_.to_server.erase(0, count);
    return {Result::kDone, count};
  }

  Outcome write(Pieces pieces) override {
    if (has_to_wait(may_write_)) return {Result::kWouldBlock, 0};
    if (has_failed()) return {Result::kClosed, 0};
    std::size_t left = wire_.bytes_a_write;
    std::size_t written = 0;
    for (const auto& piece : pieces) {
      const std::size_t count = std::min(left, piece.size());
      wire_.to_client.append(reinterpret_cast<const char*>(piece.data()), count);
      left -= count;
      written += count;
    }
    ++wire_.writes;
    return {Result::kDone, written};
  }

  void when_readable(std::function<void()> ready) override {
    may_read_ = true;
    wire_.waiting = [this, alive = std::weak_ptr<int>(alive_), ready = std::move(ready)] {
      if (!alive.expired()) post(ready);
    };
    wire_.tell_reader();
  }
  void when_writable(std::function<void()> ready) override {
    may_write_ = true;
    post(std::move(ready));
  }
  void when_gone(std::function<void()>) override {}
  void finish_writing() override { wire_.is_finished = true; }
  void close() override {
    wire_.is_closed = true;
    alive_.reset();
  }

 private:
  bool has_to_wait(bool& may) const { return wire_.blocks_between && !std::exchange(may, false); }
  bool has_failed() { return ++wire_.operations >= wire_.failing_operation && wire_.failing_operation > 0; }
  void post(std::function<void()> ready) {
    loop_.post([alive = std::weak_ptr<int>(alive_), ready = std::move(ready)] {
      if (!alive.expired()) ready();
    });
  }

  EventLoop& loop_;
  Wire& wire_;
  bool may_read_ = true;
  bool may_write_ = true;
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);
};

}  // namespace

TestCertificate make_test_certificate(const std::string& name, int first_day, int last_day) {
  const PrivateKeyHandle key(EVP_EC_gen("P-256"));
  const CertificateHandle certificate(X509_new());
  X509* const raw = certificate.get();
  X509_set_version(raw, X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(raw), 1);
  X509_gmtime_adj(X509_getm_notBefore(raw), first_day * kDay);
  X509_gmtime_adj(X509_getm_notAfter(raw), last_day * kDay);
  X509_set_pubkey(raw, key.get());
  X509_NAME_add_entry_by_txt(X509_get_subject_name(raw), "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
  X509_set_issuer_name(raw, X509_get_subject_name(raw));
  const std::string names = "DNS:" + name;
  X509_EXTENSION* const extension = X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, names.c_str());
  X509_add_ext(raw, extension, -1);
  X509_EXTENSION_free(extension);
  X509_sign(raw, key.get(), EVP_sha256());
  const BioHandle certificate_text(BIO_new(BIO_s_mem()));
  PEM_write_bio_X509(certificate_text.get(), raw);
  const BioHandle key_text(BIO_new(BIO_s_mem()));
  PEM_write_bio_PrivateKey(key_text.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr);
  return {text_of(certificate_text), text_of(key_text)};
}

TlsFiles::TlsFiles() {
  std::string pattern = testing::TempDir() + "optimux-tls-XXXXXX";
  folder_ = ::mkdtemp(pattern.data());
}

TlsFiles::~TlsFiles() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

void TlsFiles::write(const TestCertificate& certificate) const {
  write("certificate.pem", certificate.certificate);
  write("key.pem", certificate.key);
}

void TlsFiles::write(const std::string& name, std::string_view text) const {
  std::ofstream(folder_ / name, std::ios::binary | std::ios::trunc) << text;
}

std::unique_ptr<Transport> make_wire_transport(EventLoop& loop, Wire& wire) {
  return std::make_unique<WireTransport>(loop, wire);
}

TlsPeer::TlsPeer(Wire& wire, const Settings& settings) : wire_(wire), context_(SSL_CTX_new(TLS_client_method())) {
  SSL_CTX_set_min_proto_version(context_.get(), settings.min_version);
  SSL_CTX_set_max_proto_version(context_.get(), settings.max_version);
  SSL_CTX_set_security_level(context_.get(), 0);  // For the versions that a server must refuse.
  SSL_CTX_set_mode(context_.get(), SSL_MODE_AUTO_RETRY);
  ssl_.reset(SSL_new(context_.get()));
  if (!settings.protocols.empty()) {
    SSL_set_alpn_protos(ssl_.get(), reinterpret_cast<const unsigned char*>(settings.protocols.data()),
                        static_cast<unsigned>(settings.protocols.size()));
  }
  if (settings.session != nullptr) SSL_set_session(ssl_.get(), settings.session);
  SSL_set_bio(ssl_.get(), BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
  SSL_set_connect_state(ssl_.get());
}

void TlsPeer::fetch() {
  if (wire_.to_client.empty()) return;
  BIO_write(SSL_get_rbio(ssl_.get()), wire_.to_client.data(), static_cast<int>(wire_.to_client.size()));
  wire_.to_client.clear();
}

void TlsPeer::deliver() {
  std::array<char, 4'096> buffer{};
  int count = 0;
  while ((count = BIO_read(SSL_get_wbio(ssl_.get()), buffer.data(), buffer.size())) > 0) {
    wire_.to_server.append(buffer.data(), static_cast<std::size_t>(count));
  }
}

bool TlsPeer::shake_hands() {
  fetch();
  ERR_clear_error();
  const int result = SSL_do_handshake(ssl_.get());
  has_failed_ = result != 1 && SSL_get_error(ssl_.get(), result) != SSL_ERROR_WANT_READ;
  deliver();
  return result == 1;
}

void TlsPeer::send(std::string_view text) {
  if (!text.empty()) SSL_write(ssl_.get(), text.data(), static_cast<int>(text.size()));
  deliver();
}

std::string TlsPeer::receive() {
  fetch();
  std::string text;
  std::array<char, 16'384> buffer{};
  ERR_clear_error();
  int count = 0;
  while ((count = SSL_read(ssl_.get(), buffer.data(), buffer.size())) > 0) {
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
  deliver();
  return text;
}

void TlsPeer::finish() {
  SSL_shutdown(ssl_.get());
  deliver();
}

bool TlsPeer::has_been_told_the_end() const {
  return (SSL_get_shutdown(ssl_.get()) & SSL_RECEIVED_SHUTDOWN) != 0;
}

std::string TlsPeer::protocol() const {
  const unsigned char* name = nullptr;
  unsigned size = 0;
  SSL_get0_alpn_selected(ssl_.get(), &name, &size);
  return {reinterpret_cast<const char*>(name), size};
}

std::string TlsPeer::name_of_server() const {
  const CertificateHandle certificate(SSL_get1_peer_certificate(ssl_.get()));
  std::array<char, 256> name{};
  X509_NAME_get_text_by_NID(X509_get_subject_name(certificate.get()), NID_commonName, name.data(), name.size());
  return name.data();
}

}  // namespace optimux::server

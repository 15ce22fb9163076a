#include "server/tls_context.hpp"

#include <array>
#include <cstdint>
#include <new>
#include <string_view>
#include <utility>

#include <openssl/core_names.h>
#include <openssl/rand.h>

#include "server/openssl_error.hpp"
#include "server/openssl_handles.hpp"
#include "server/tls_certificate.hpp"

namespace optimux::server {

struct TlsContext::Inner {
  Settings settings;
  Certificate certificate;
  std::shared_ptr<TicketKeys> tickets;
  SslContextHandle context;
};

namespace {

/// Mozilla's intermediate profile of 2023 without finite-field DHE, for TLS 1.2. Those of 1.3 are all good.
constexpr const char* kCiphers =
    "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:"
    "ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305";
constexpr const char* kGroups = "X25519:P-256:P-384";

/// Names in the form of RFC 7301: each after its length.
constexpr std::string_view kBothProtocols = "\x02h2\x08http/1.1";
constexpr std::string_view kHttp1 = "\x08http/1.1";

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

/// A client that names protocols and none of ours is refused, so that no bytes of one protocol are taken for another's
/// (RFC 7301, section 3.2).
int select_protocol(SSL* /*ssl*/, const unsigned char** out, unsigned char* out_size, const unsigned char* offered,
                    unsigned offered_size, void* context) {
  const bool has_http2 = static_cast<const TlsContext::Settings*>(context)->offers_http2;
  const std::string_view ours = has_http2 ? kBothProtocols : kHttp1;
  unsigned char* selected = nullptr;
  const int outcome = SSL_select_next_proto(&selected, out_size, bytes_of(ours), static_cast<unsigned>(ours.size()),
                                            offered, offered_size);
  *out = selected;
  return outcome == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

bool prepare_mac(EVP_MAC_CTX* mac, const TicketKeys::Key& key) {
  std::string digest = "SHA256";
  auto mac_key = key.mac;
  const std::array<OSSL_PARAM, 3> parameters = {
      OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_KEY, mac_key.data(), mac_key.size()),
      OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest.data(), 0), OSSL_PARAM_construct_end()};
  const bool is_ready = EVP_MAC_CTX_set_params(mac, parameters.data()) == 1;
  OPENSSL_cleanse(mac_key.data(), mac_key.size());
  return is_ready;
}

int seal_ticket(TicketKeys& keys, unsigned char* name, unsigned char* iv, EVP_CIPHER_CTX* cipher, EVP_MAC_CTX* mac) {
  const TicketKeys::Key* const key = keys.sealing_key();
  if (key == nullptr) return 0;
  std::copy(key->name.begin(), key->name.end(), name);
  if (RAND_bytes(iv, EVP_CIPHER_get_iv_length(EVP_aes_256_cbc())) != 1) return -1;
  const bool is_ready =
      EVP_EncryptInit_ex(cipher, EVP_aes_256_cbc(), nullptr, key->cipher.data(), iv) == 1 && prepare_mac(mac, *key);
  return is_ready ? 1 : -1;
}

int open_ticket(TicketKeys& keys, const unsigned char* name, const unsigned char* iv, EVP_CIPHER_CTX* cipher,
                EVP_MAC_CTX* mac) {
  const TicketKeys::Key* const key = keys.find(name);
  if (key == nullptr) return 0;  // A full handshake then.
  const bool is_ready =
      EVP_DecryptInit_ex(cipher, EVP_aes_256_cbc(), nullptr, key->cipher.data(), iv) == 1 && prepare_mac(mac, *key);
  if (!is_ready) return -1;
  return keys.is_old(*key) ? 2 : 1;
}

/// What OpenSSL asks of the keys of tickets; the results are those of SSL_CTX_set_tlsext_ticket_key_evp_cb(3).
int use_ticket_key(SSL* ssl, unsigned char* name, unsigned char* iv, EVP_CIPHER_CTX* cipher, EVP_MAC_CTX* mac,
                   int is_sealing) {
  auto& keys = *static_cast<TicketKeys*>(SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl)));
  return is_sealing == 1 ? seal_ticket(keys, name, iv, cipher, mac) : open_ticket(keys, name, iv, cipher, mac);
}

int native_version(TlsVersion version) {
  return version == TlsVersion::k13 ? TLS1_3_VERSION : TLS1_2_VERSION;
}

/// False only when OpenSSL does not know one of the constants, which is a matter of how it was built.
bool set_rules(SSL_CTX* context, TlsVersion min_version) {
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_PRIORITIZE_CHACHA |
                                   SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_IGNORE_UNEXPECTED_EOF);
  // Writing goes on with what a later call offers again; idle connections keep no buffers.
  SSL_CTX_set_mode(context,
                   SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_read_ahead(context, 1);  // A record by one system call, not one for its head and one for the rest.
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_timeout(context, std::chrono::seconds(TicketKeys::kPeriod).count());
  return SSL_CTX_set_min_proto_version(context, native_version(min_version)) == 1 &&
         SSL_CTX_set_cipher_list(context, kCiphers) == 1 && SSL_CTX_set1_groups_list(context, kGroups) == 1;
}

bool use_certificate(SSL_CTX* context, const TlsCertificate& certificate) {
  if (SSL_CTX_use_certificate(context, certificate.leaf.get()) != 1) return false;
  for (const CertificateHandle& link : certificate.chain) {
    if (SSL_CTX_add1_chain_cert(context, link.get()) != 1) return false;
  }
  return SSL_CTX_use_PrivateKey(context, certificate.key.get()) == 1;
}

}  // namespace

std::string_view name_of(TlsVersion version) {
  return version == TlsVersion::k13 ? "1.3" : "1.2";
}

base::Result<std::shared_ptr<const TlsContext>> TlsContext::make(const Settings& settings,
                                                                 std::shared_ptr<TicketKeys> tickets) {
  auto certificate = read_tls_certificate(settings.certificate_path, settings.key_path);
  if (!certificate) return base::fail(certificate.error());
  auto inner = std::make_unique<Inner>();
  inner->settings = settings;
  inner->tickets = std::move(tickets);
  inner->context.reset(SSL_CTX_new(TLS_server_method()));
  SSL_CTX* const context = inner->context.get();
  if (context == nullptr) throw std::bad_alloc();
  if (!set_rules(context, settings.min_version)) {
    return base::fail(base::ErrorCode::kInternal, "TLS cannot be set up", take_openssl_reason());
  }
  if (!use_certificate(context, *certificate)) {
    return base::fail(base::ErrorCode::kInvalidParameter,
                      "tls_certificate: '" + settings.certificate_path + "' cannot be used: " + take_openssl_reason());
  }
  SSL_CTX_set_app_data(context, inner->tickets.get());
  SSL_CTX_set_tlsext_ticket_key_evp_cb(context, &use_ticket_key);
  SSL_CTX_set_alpn_select_cb(context, &select_protocol, &inner->settings);
  inner->certificate = {std::move(certificate->names), certificate->begins, certificate->ends,
                        std::move(certificate->pem)};
  return std::shared_ptr<const TlsContext>(new TlsContext(std::move(inner)));
}

TlsContext::TlsContext(std::unique_ptr<Inner> inner) : inner_(std::move(inner)) {}
TlsContext::~TlsContext() = default;

const TlsContext::Settings& TlsContext::settings() const {
  return inner_->settings;
}
const TlsContext::Certificate& TlsContext::certificate() const {
  return inner_->certificate;
}
ssl_ctx_st* TlsContext::native() const {
  return inner_->context.get();
}

}  // namespace optimux::server

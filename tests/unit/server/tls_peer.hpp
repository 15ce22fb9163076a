#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "server/event_loop.hpp"
#include "server/openssl_handles.hpp"
#include "server/tls_context.hpp"
#include "server/transport.hpp"

namespace optimux::server {

/// A self-signed certificate and its key, in PEM form.
struct TestCertificate {
  std::string certificate;
  std::string key;
};

/// For `name`, from `first_day` to `last_day` as seen from today. Slow curves and long keys would only slow the tests.
TestCertificate make_test_certificate(const std::string& name, int first_day = -1, int last_day = 30);

/// A folder with the files of a certificate; removed at the end.
class TlsFiles {
 public:
  TlsFiles();
  explicit TlsFiles(const TestCertificate& certificate) : TlsFiles() { write(certificate); }
  TlsFiles(const TlsFiles&) = delete;
  TlsFiles& operator=(const TlsFiles&) = delete;
  ~TlsFiles();

  void write(const TestCertificate& certificate) const;
  void write(const std::string& name, std::string_view text) const;
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string certificate() const { return path("certificate.pem"); }
  std::string key() const { return path("key.pem"); }
  TlsContext::Settings settings() const { return {certificate(), key(), TlsVersion::k12, false}; }

 private:
  std::filesystem::path folder_;
};

/// Bytes on their way between a server and its client, and how well they travel.
struct Wire {
  std::string to_server;
  std::string to_client;
  std::size_t bytes_a_read = 1u << 30;   ///< That the server gets at once.
  std::size_t bytes_a_write = 1u << 30;  ///< That the server gets rid of at once.
  bool blocks_between = false;           ///< Every other read and write of the server has to wait.
  int operations = 0;                    ///< Reads and writes of the server that moved something or failed.
  int failing_operation = 0;             ///< The connection is broken from this one on; 0: never.
  bool client_has_left = false;          ///< Behind `to_server` is the end.
  bool is_finished = false;              ///< The server writes no more.
  bool is_closed = false;
  int writes = 0;
  std::function<void()> waiting;  ///< Tells the server that there is something to read; empty: it does not wait.

  /// Tells the server if there is something to read now.
  void tell_reader() {
    if (waiting && (!to_server.empty() || client_has_left)) std::exchange(waiting, nullptr)();
  }
};

/// The server's end of a wire, without a socket.
std::unique_ptr<Transport> make_wire_transport(EventLoop& loop, Wire& wire);

/// A client of TLS at the other end of a wire. Nothing blocks: each call does what the bytes that are there allow.
class TlsPeer {
 public:
  struct Settings {
    int min_version = 0;  ///< As OpenSSL counts; 0: any.
    int max_version = 0;
    std::string_view protocols;  ///< For ALPN, each after its length; empty: no ALPN.
    SSL_SESSION* session = nullptr;
  };

  TlsPeer(Wire& wire, const Settings& settings);

  /// Goes on with the handshake; true when it is done.
  bool shake_hands();
  bool has_failed() const { return has_failed_; }
  /// Sends `text`, encrypted.
  void send(std::string_view text);
  /// What has come, decrypted.
  std::string receive();
  /// Says that it will send no more.
  void finish();
  /// Whether the server has said that it will send no more.
  bool has_been_told_the_end() const;

  std::string protocol() const;
  std::string name_of_server() const;
  SSL* native() { return ssl_.get(); }

 private:
  void fetch();
  void deliver();

  Wire& wire_;
  SslContextHandle context_;
  SslHandle ssl_;
  bool has_failed_ = false;
};

}  // namespace optimux::server

#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "server/backend.hpp"
#include "service/rendition.hpp"

namespace optimux::server {

/// Connections of the public listeners.
struct ConnectionFigures {
  std::size_t open = 0;
  std::size_t idle = 0;  ///< Of the open ones: between two requests.
  std::uint64_t accepted = 0;
  std::uint64_t refused = 0;      ///< Answered 503 because too many were open.
  std::uint64_t closed_idle = 0;  ///< Closed to make room for others.
};

/// What `GET /metrics` shows, in the exposition format of Prometheus. Counts of requests are kept here; everything else
/// is asked for when somebody looks. Used in the loop's thread only.
class Metrics {
 public:
  Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;
  ~Metrics();

  /// Counts a request that has ended. `route` is one of a fixed set of names, so the number of series is bounded.
  void count_request(std::string_view route, int status, std::uint64_t body_bytes, std::chrono::microseconds total);

  /// Counts what the parts of a rendition's making took; a time of zero was not measured. Once a rendition: not for
  /// requests that found it finished or in the making.
  void count_stages(const service::RenditionTimings& timings);

  /// Counts a connection that speaks HTTP/2.
  void count_http2_connection();
  /// Counts streams that clients have opened, and those that were reset by the client and from here.
  void count_http2_streams(std::uint64_t opened, std::uint64_t reset_by_client, std::uint64_t reset_by_server);
  /// Counts a connection that was ended from here. `reason` is one of a fixed set.
  void count_http2_goaway(std::string_view reason);
  /// Counts a request by how it came; both as in `Client`, of static duration.
  void count_protocol(std::string_view protocol, std::string_view tls);

  /// Counts a connection to a TLS port by what became of its handshake: `full`, `resumed`, `failed`, `abandoned` (too
  /// slow, or the client has left), `cleartext` (it was none).
  void count_handshake(std::string_view outcome);

  /// Tells when the certificate in use ends. Until then there is none.
  void set_certificate_end(std::chrono::system_clock::time_point end);

  /// The whole page.
  std::string page(const Backend& backend, const ConnectionFigures& connections, bool is_draining) const;

 private:
  struct Inner;
  std::unique_ptr<Inner> inner_;
};

}  // namespace optimux::server

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "http/stream_scheduler.hpp"
#include "service/parameters.hpp"

namespace optimux::server {

/// How the HTTP server is set up. Every field is a configuration key of the same name. Sizes are bytes.
struct ServerSettings {
  // Where it listens.

  /// `HOST:PORT`, `[V6]:PORT` or `unix:PATH`; port 0 picks a free one. Sockets passed by systemd (LISTEN_FDS) that are
  /// not named `admin` or `tls` are used instead when there are any.
  std::vector<std::string> listen = {"127.0.0.1:8811"};
  /// As `listen`, with TLS. Sockets passed by systemd that are named `tls` are used instead when there are any.
  std::vector<std::string> listen_tls;
  /// PEM file with the server's certificate and, behind it, those that lead to a root. Read again when it changes.
  std::string tls_certificate;
  std::string tls_key;                  ///< PEM file with its private key; empty: it is in the file of the certificate.
  std::string tls_min_version = "1.2";  ///< `1.2` or `1.3`.
  /// As `listen`, for operations: metrics, pools, log level. Empty: no admin listener.
  std::string admin = "127.0.0.1:8812";
  /// The admin listener has no authentication: another address than loopback or a Unix socket is refused unless this is
  /// set.
  bool admin_allow_remote = false;
  bool reuse_port = false;    ///< SO_REUSEPORT: a successor may listen on the same port before this process ends.
  int listen_backlog = 1024;  ///< Connections that the kernel keeps until they are accepted.
  unsigned unix_mode = 0660;  ///< Permissions of Unix sockets that are made here.

  // What a client may take of it.

  std::size_t max_connections = 2048;  ///< Public ones; beyond it the longest idle one is closed, else 503.
  std::size_t max_pipelined = 16;      ///< Requests of one connection that are read before the first is answered.
  std::size_t max_uri_bytes = std::size_t{8} * 1024;      ///< Of a request target; beyond it 414.
  std::size_t max_header_bytes = std::size_t{32} * 1024;  ///< Of a request's head; beyond it 431.
  std::size_t max_header_fields = 100;                    ///< Of a request's head; beyond it 431.
  std::size_t max_body_bytes = std::size_t{1024} * 1024;  ///< Of a request's body; beyond it 413.
  /// Of all requests that are being read or wait for their turn, together; beyond it 503. A request that is no larger
  /// than a head may be is never refused for it.
  std::size_t max_request_bytes_under_way = std::size_t{64} * 1024 * 1024;
  std::size_t max_preload_entries = 2000;  ///< Of one preload list; beyond it 400.

  // How long things may take.

  std::chrono::milliseconds header_timeout{10'000};       ///< First byte of a request to the end of its head and body.
  std::chrono::milliseconds idle_timeout{60'000};         ///< Between requests on a connection that is kept alive.
  std::chrono::milliseconds write_stall_timeout{30'000};  ///< Without the client taking a single byte.
  /// Bytes a second that a client has to take of an answer that is ready, averaged over `write_stall_timeout`; 0: one
  /// byte in that time will do.
  std::size_t min_send_rate = 4096;
  /// How long an answer may have bytes that its client does not take, in all, from its head on; 0: for ever. Time in
  /// which it waits to be made does not count; on HTTP/2 the turns of others on its connection do.
  std::chrono::milliseconds max_send_time{600'000};
  std::chrono::milliseconds request_deadline{15'000};  ///< From a whole request to the last byte being made.
  std::chrono::milliseconds drain_timeout{30'000};  ///< From the begin of draining to the end of the process, at most.
  /// How long a draining server still accepts connections, so that balancers see `/ready` answer 503.
  std::chrono::milliseconds drain_delay{0};
  /// How long a draining server leaves an idle connection open for a request that may be on its way.
  std::chrono::milliseconds drain_idle_grace{1'000};

  // HTTP/2. A limit with a burst and a rate is a bucket of tokens: so many frames at once, and so many a second in the
  // long run. Beyond it the connection ends with ENHANCE_YOUR_CALM.

  bool http2 = true;  ///< Offer it, over TLS and in cleartext.
  /// Requests open at one time on one connection; more are refused. Under `phases` no picture of a page ends before all
  /// that are open look finished, so those that find no place wait long: a page of up to 256 finds it. What an open
  /// request costs is bounded elsewhere: its head (`max_request_bytes_under_way`), its work (`image_queue`), taking it
  /// back (`http2_reset_burst`, twice as many).
  std::uint32_t http2_max_streams = 256;
  http::SchedulingPolicy http2_policy = http::SchedulingPolicy::kPhases;  ///< Whose bytes go out first.
  std::uint32_t http2_reset_burst = 512;                                  ///< RST_STREAM from the client.
  std::uint32_t http2_reset_rate = 32;
  std::uint32_t http2_error_burst = 100;  ///< Streams that are reset from here for errors of the client.
  std::uint32_t http2_error_rate = 10;
  std::uint32_t http2_control_burst = 100;  ///< PING, SETTINGS and frames of unknown types.
  std::uint32_t http2_control_rate = 10;
  std::uint32_t http2_empty_data_burst = 100;  ///< DATA without bytes that ends nothing.
  std::uint32_t http2_empty_data_rate = 10;
  std::uint32_t http2_window_update_burst = 1000;  ///< WINDOW_UPDATE; each request and each frame sent allows two more.
  std::uint32_t http2_window_update_rate = 100;
  std::uint32_t http2_priority_burst = 1000;  ///< PRIORITY and PRIORITY_UPDATE; each request allows four more.
  std::uint32_t http2_priority_rate = 100;
  std::uint32_t http2_max_continuations = 8;      ///< CONTINUATION frames of one head.
  std::uint32_t http2_max_settings_entries = 32;  ///< Of one SETTINGS frame.
  std::uint32_t http2_max_queued_acks = 200;      ///< Answers to PING and SETTINGS that the client does not read.
  std::chrono::milliseconds http2_preface_timeout{10'000};   ///< From the connection's begin to the client's SETTINGS.
  std::chrono::milliseconds http2_settings_timeout{10'000};  ///< To the client's acknowledgement of ours.

  // What it answers.

  /// Key prefix below `/optimux/assets/` at which `/optimux/static/` looks; ends with a slash, or is empty.
  std::string static_prefix = "static/";
  /// Origins that may read answers from scripts, as in `https://example.org`; `*` for all. Empty: no CORS headers.
  std::vector<std::string> cors_origins;
  std::chrono::seconds cache_ttl{86'400};    ///< `max-age` of renditions; 0: `no-cache`.
  bool use_origin_cache_control = false;     ///< Pass on what the origin said of its source, where it said something.
  std::chrono::seconds error_cache_ttl{60};  ///< `max-age` of 404 and 422; 0: `no-store`, as all other errors.
  /// Who is told of other sizes in a 103 while the first is being made: `off`, `navigate` or `always`, as in
  /// `early_hints`.
  std::string early_hints = "navigate";
  bool server_timing = true;                  ///< Send `Server-Timing`.
  bool docs = true;                           ///< Serve `/`, `/optimux/docs` and `/openapi.json`.
  std::size_t max_logged_target_bytes = 512;  ///< Of a request target in the request log; the rest is cut.

  // Whom it serves.

  /// Keys of signed URLs as in `service::UrlSigner`: the first one signs, all are accepted. Empty: no URL is signed.
  std::vector<std::string> signing_keys;
  /// Hosts, beginnings and schemes of the URLs that may be named as sources, as in `source::AllowList`. What is empty
  /// allows all.
  std::vector<std::string> allowed_source_hosts;
  std::vector<std::string> allowed_source_prefixes;
  std::vector<std::string> allowed_schemes;

  /// Requests a second that one client may make in the long run; 0: as many as it likes. Beyond it 429.
  std::uint32_t rate_limit = 0;
  std::uint32_t rate_burst = 100;  ///< Requests that one client may make at once.
  /// Networks of proxies that are believed when they say for whom they ask, in CIDR notation; `unix` for Unix sockets.
  std::vector<std::string> trusted_proxies;
  std::string forwarded_header = "x-forwarded-for";  ///< The field in which they say it: that, or `forwarded`.

  // What may be asked of it.

  std::vector<std::string> presets;            ///< Declarations as in `Presets`: `NAME=QUERY`.
  bool presets_only = false;                   ///< No parameter of a rendition is taken but `preset`.
  std::size_t max_sizes = service::kMaxSizes;  ///< Of one request; at most `service::kMaxSizes`.
  std::vector<std::string> allowed_formats;  ///< Of renditions; the first is that of requests without one. Empty: all.
};

}  // namespace optimux::server

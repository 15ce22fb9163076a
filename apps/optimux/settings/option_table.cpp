#include "apps/optimux/settings/option_table.hpp"

#include "apps/optimux/settings/cache_options.hpp"
#include "apps/optimux/settings/object_store_options.hpp"
#include "apps/optimux/settings/option_builder.hpp"
#include "apps/optimux/settings/protection_options.hpp"
#include "apps/optimux/settings/text_form.hpp"
#include "service/nearest_name.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace optimux::apps {
namespace {

using media::MediaLimits;
using server::ServerSettings;
using service::PoolSettings;
using OriginConnections = decltype(Settings::origin_connections);
using source::HttpSettings;
using Type = OptionType;

constexpr std::int64_t kKiB = 1 << 10;
constexpr std::int64_t kMiB = 1 << 20;
constexpr std::int64_t kTiB = std::int64_t{1} << 40;
constexpr std::int64_t kSecond = 1'000;
constexpr std::int64_t kHour = 3'600 * kSecond;
constexpr std::int64_t kYear = std::int64_t{365} * 24 * kHour;

void set_form(Option& option, std::string_view form, bool (*matches)(std::string_view)) {
  option.form = form;
  option.matches_form = matches;
}

void set_path(Option& option, std::string_view form, PathKind path) {
  option.form = form;
  option.path = path;
}

// Permissions are octal digits in a text: as a number, 660 and 0660 would be two.
void set_file_mode(Option& option) {
  set_form(option, "octal digits, 000 to 0777", is_file_mode);
  option.get = [](const Settings& settings) {
    std::string digits(4, '0');
    for (std::size_t i = 1; i < 4; ++i) {
      digits[i] = static_cast<char>('0' + ((settings.server.unix_mode >> (3 * (3 - i))) & 7U));
    }
    return OptionValue(digits);
  };
  option.set = [](Settings& settings, const OptionValue& value) {
    const std::string& digits = std::get<std::string>(value);
    settings.server.unix_mode = std::accumulate(digits.begin(), digits.end(), 0U, [](unsigned mode, char digit) {
      return mode * 8 + static_cast<unsigned>(digit - '0');
    });
  };
}

void add_listening(OptionBuilder& rows) {
  const auto server = &Settings::server;
  rows.begin(OptionGroup::kListening);
  set_form(rows.add("listen", Type::kList, server, &ServerSettings::listen,
                    "Where to answer requests; PORT alone is 127.0.0.1, :PORT all addresses, port 0 picks one."),
           "ADDRESS:PORT, [V6]:PORT, PORT, :PORT or unix:PATH", is_listen_address);
  set_form(rows.add("listen_tls", Type::kList, server, &ServerSettings::listen_tls,
                    "Where to answer requests over TLS; forms as in listen."),
           "ADDRESS:PORT, [V6]:PORT, PORT, :PORT or unix:PATH", is_listen_address);
  set_form(rows.add("admin", Type::kText, server, &ServerSettings::admin,
                    "Where to answer metrics and operations; empty: nowhere."),
           "ADDRESS:PORT, [V6]:PORT, PORT, unix:PATH or nothing", is_optional_listen_address);
  rows.add("admin_allow_remote", Type::kBoolean, server, &ServerSettings::admin_allow_remote,
           "Allow an admin address that other machines can reach; it has no authentication.");
  rows.add("reuse_port", Type::kBoolean, server, &ServerSettings::reuse_port,
           "Let a successor listen on the same port before this process ends (SO_REUSEPORT).");
  rows.add("listen_backlog", Type::kInteger, server, &ServerSettings::listen_backlog, {1, 65'535},
           "Connections that the kernel keeps until they are accepted.");
  set_file_mode(rows.add("unix_mode", Type::kText, "Permissions of Unix sockets that are made."));
}

void add_tls(OptionBuilder& rows) {
  const auto server = &Settings::server;
  rows.begin(OptionGroup::kTls);
  set_path(rows.add("tls_certificate", Type::kText, server, &ServerSettings::tls_certificate,
                    "The server's certificate, and behind it those that lead to a root; read again when it changes."),
           "a PEM file, or nothing", PathKind::kCertificates);
  set_path(rows.add("tls_key", Type::kText, server, &ServerSettings::tls_key,
                    "The certificate's private key; nothing: it stands in the file of the certificate."),
           "a PEM file, or nothing", PathKind::kPrivateKey);
  rows.add("tls_min_version", Type::kText, server, &ServerSettings::tls_min_version,
           "The oldest version of TLS that a client may speak.")
      .choices = {"1.2", "1.3"};
}

void add_http_limits(OptionBuilder& rows) {
  const auto server = &Settings::server;
  rows.begin(OptionGroup::kHttp);
  rows.add("max_connections", Type::kInteger, server, &ServerSettings::max_connections, {1, 1'000'000},
           "Client connections; beyond it the longest idle one is closed, else 503.");
  rows.add("max_pipelined", Type::kInteger, server, &ServerSettings::max_pipelined, {1, 1'000},
           "Requests of one connection that are read before the first is answered.");
  rows.add("max_uri_bytes", Type::kBytes, server, &ServerSettings::max_uri_bytes, {64, kMiB},
           "Size of a request target; beyond it 414.");
  rows.add("max_header_bytes", Type::kBytes, server, &ServerSettings::max_header_bytes, {kKiB, 16 * kMiB},
           "Size of a request's head; beyond it 431.");
  rows.add("max_header_fields", Type::kInteger, server, &ServerSettings::max_header_fields, {1, 10'000},
           "Fields in a request's head; beyond it 431.");
  rows.add("max_body_bytes", Type::kBytes, server, &ServerSettings::max_body_bytes, {0, 1'024 * kMiB},
           "Size of a request's body; beyond it 413.");
  rows.add("max_request_bytes_under_way", Type::kBytes, server, &ServerSettings::max_request_bytes_under_way,
           {64 * kKiB, 1'024 * kMiB},
           "Memory of all requests that are being read or wait for their turn; beyond it 503.");
  rows.add("max_preload_entries", Type::kInteger, server, &ServerSettings::max_preload_entries, {1, 100'000},
           "Entries of one preload list; beyond it 400.");
}

void add_http_times(OptionBuilder& rows) {
  const auto server = &Settings::server;
  rows.add("header_timeout", Type::kDuration, server, &ServerSettings::header_timeout, {1, kHour},
           "From the first byte of a request to the end of its head and body.");
  rows.add("idle_timeout", Type::kDuration, server, &ServerSettings::idle_timeout, {1, 24 * kHour},
           "Between requests on a connection that is kept alive.");
  rows.add("write_stall_timeout", Type::kDuration, server, &ServerSettings::write_stall_timeout, {1, kHour},
           "How long a client may take not a single byte of its answer.");
  rows.add("min_send_rate", Type::kBytes, server, &ServerSettings::min_send_rate, {0, kMiB},
           "How much of an answer a client has to take each second, averaged over write_stall_timeout; 0: anything.");
  rows.add("max_send_time", Type::kDuration, server, &ServerSettings::max_send_time, {0, 24 * kHour},
           "How long an answer may have bytes that its client does not take, in all; 0: for ever.");
  rows.add("request_deadline", Type::kDuration, server, &ServerSettings::request_deadline, {1, 24 * kHour},
           "From a whole request to the last byte being made.");
  rows.add("drain_timeout", Type::kDuration, server, &ServerSettings::drain_timeout, {0, 24 * kHour},
           "From the begin of draining to the end of the process, at most.");
  rows.add("drain_delay", Type::kDuration, server, &ServerSettings::drain_delay, {0, kHour},
           "How long a draining server still accepts connections, so that balancers see /ready answer 503.");
  rows.add("drain_idle_grace", Type::kDuration, server, &ServerSettings::drain_idle_grace, {0, kHour},
           "How long a draining server leaves an idle connection open for a request on its way.");
}

void add_http2(OptionBuilder& rows) {
  const auto server = &Settings::server;
  rows.begin(OptionGroup::kHttp2);
  rows.add("http2", Type::kBoolean, server, &ServerSettings::http2, "Speak HTTP/2 with clients that ask for it.");
  rows.add("http2_max_streams", Type::kInteger, server, &ServerSettings::http2_max_streams, {1, 2'000},
           "Requests open at one time on one connection; more are refused.");
  rows.add("http2_policy", Type::kText, server, &ServerSettings::http2_policy,
           "Whose bytes go out first on a connection.")
      .choices = {"phases", "rfc9218", "fair", "fifo"};
  rows.add("http2_preface_timeout", Type::kDuration, server, &ServerSettings::http2_preface_timeout, {1, kHour},
           "From the begin of a connection to the client's first SETTINGS.");
  rows.add("http2_settings_timeout", Type::kDuration, server, &ServerSettings::http2_settings_timeout, {1, kHour},
           "From the begin of a connection to the client's acknowledgement of the server's SETTINGS.");
}

// Buckets of tokens: so many frames at once, and so many each second in the long run.
void add_http2_floods(OptionBuilder& rows) {
  constexpr OptionBuilder::Range kBurst = {1, 1'000'000};
  constexpr OptionBuilder::Range kRate = {0, 1'000'000};
  const auto server = &Settings::server;
  const auto add = [&](std::string_view key, auto field, OptionBuilder::Range range, std::string_view meaning) {
    rows.add(key, Type::kInteger, server, field, range, meaning);
  };
  add("http2_reset_burst", &ServerSettings::http2_reset_burst, kBurst,
      "Streams of one connection that the client may reset at once; beyond it the connection ends.");
  add("http2_reset_rate", &ServerSettings::http2_reset_rate, kRate, "The same each second in the long run.");
  add("http2_error_burst", &ServerSettings::http2_error_burst, kBurst,
      "Streams that may have to be reset for errors of the client, or be refused, at once.");
  add("http2_error_rate", &ServerSettings::http2_error_rate, kRate, "The same each second in the long run.");
  add("http2_control_burst", &ServerSettings::http2_control_burst, kBurst,
      "PING, SETTINGS and frames of unknown types that a client may send at once.");
  add("http2_control_rate", &ServerSettings::http2_control_rate, kRate, "The same each second in the long run.");
  add("http2_empty_data_burst", &ServerSettings::http2_empty_data_burst, kBurst,
      "DATA frames that may be empty and end nothing, at once.");
  add("http2_empty_data_rate", &ServerSettings::http2_empty_data_rate, kRate, "The same each second in the long run.");
  add("http2_window_update_burst", &ServerSettings::http2_window_update_burst, kBurst,
      "WINDOW_UPDATE frames at once; each request and each frame that was sent to the client allows two more.");
  add("http2_window_update_rate", &ServerSettings::http2_window_update_rate, kRate,
      "The same each second in the long run.");
  add("http2_priority_burst", &ServerSettings::http2_priority_burst, kBurst,
      "PRIORITY and PRIORITY_UPDATE frames at once; each request allows four more.");
  add("http2_priority_rate", &ServerSettings::http2_priority_rate, kRate, "The same each second in the long run.");
  add("http2_max_continuations", &ServerSettings::http2_max_continuations, {1, 1'000},
      "CONTINUATION frames of one head; beyond it the connection ends.");
  add("http2_max_settings_entries", &ServerSettings::http2_max_settings_entries, {1, 1'000},
      "Entries of one SETTINGS frame; beyond it the connection ends.");
  add("http2_max_queued_acks", &ServerSettings::http2_max_queued_acks, {1, 100'000},
      "Answers to PING and SETTINGS that the client does not read; beyond it the connection ends.");
}

void add_http_answers(OptionBuilder& rows) {
  const auto server = &Settings::server;
  set_form(rows.add("static_prefix", Type::kText, server, &ServerSettings::static_prefix,
                    "Key prefix in the store at which /optimux/static/ looks."),
           "a prefix without . and .. that ends with a slash, or nothing", is_key_prefix);
  set_form(rows.add("cors_origins", Type::kList, server, &ServerSettings::cors_origins,
                    "Web origins whose scripts may read answers; * for all, empty for none."),
           "https://HOST[:PORT], http://HOST[:PORT] or *", is_web_origin);
  rows.add("cache_ttl", Type::kDuration, server, &ServerSettings::cache_ttl, {0, kYear},
           "How long clients and proxies may keep a rendition; 0: they ask each time.");
  rows.add("use_origin_cache_control", Type::kBoolean, server, &ServerSettings::use_origin_cache_control,
           "Pass on the Cache-Control of the source's origin, where it sent one.");
  rows.add("error_cache_ttl", Type::kDuration, server, &ServerSettings::error_cache_ttl, {0, kYear},
           "How long clients and proxies may keep a 404 or 422; 0: not at all, as all other errors.");
  rows.add("early_hints", Type::kText, server, &ServerSettings::early_hints,
           "Who gets a 103 that names the other sizes while the first is made: nobody (off), who loads it as a page "
           "over "
           "HTTP/2 (navigate), or all, over HTTP/1.1 too (always).")
      .choices = {"off", "navigate", "always"};
  rows.add("server_timing", Type::kBoolean, server, &ServerSettings::server_timing,
           "Send Server-Timing: cache, fetch, queue, decode, encode.");
  rows.add("docs", Type::kBoolean, server, &ServerSettings::docs, "Serve /, /optimux/docs and /openapi.json.");
  rows.add("max_logged_target_bytes", Type::kBytes, server, &ServerSettings::max_logged_target_bytes, {0, kMiB},
           "How much of a request target stands in the request log.");
}

void add_sources(OptionBuilder& rows) {
  const auto source = &Settings::source;
  rows.begin(OptionGroup::kSources);
  set_path(rows.add("root", Type::kText, source, &SourceSettings::root,
                    "Folder of the default store, outside of which nothing is read; empty: no store."),
           "a folder, or nothing", PathKind::kFolder);
  set_form(rows.add("allow_source", Type::kList, source, &SourceSettings::allow_source,
                    "Private addresses from which sources may be fetched; public ones always may."),
           "an address, a network in CIDR notation, or a host name", is_network_or_host);
  rows.add("max_source_bytes", Type::kBytes, source, &SourceSettings::max_source_bytes, {1, kTiB},
           "Size of one source; beyond it 413.");
  rows.add("file_readers", Type::kInteger, &Settings::file_pool, &PoolSettings::workers_max, {1, 1'024},
           "Files that are read at one time, each into memory of its size.");
  rows.add("file_queue", Type::kInteger, &Settings::file_pool, &PoolSettings::queue, {1, 1'000'000},
           "Files that may wait to be read; beyond it 503.");
}

void add_origins(OptionBuilder& rows) {
  const auto origin = &Settings::origin;
  const auto connections = &Settings::origin_connections;
  rows.add("fetch_connect_timeout", Type::kDuration, origin, &HttpSettings::connect_timeout, {1, kHour},
           "Name look-up, connection and TLS handshake with an origin, each hop.");
  rows.add("fetch_timeout", Type::kDuration, origin, &HttpSettings::total_timeout, {1, kHour},
           "One fetch from an origin, redirects included.");
  rows.add("fetch_low_speed", Type::kBytes, origin, &HttpSettings::low_speed_bytes_per_second, {0, 1'024 * kMiB},
           "Bytes a second; an origin whose body stays below it for fetch_low_speed_time is given up.");
  rows.add("fetch_low_speed_time", Type::kDuration, origin, &HttpSettings::low_speed_time, {0, kHour},
           "How long a body may stay below fetch_low_speed, from its first byte on; 0: for ever.");
  rows.add("fetching_bytes", Type::kBytes, origin, &HttpSettings::max_bytes_under_way, {kMiB, 64 * kTiB},
           "Memory of all sources that are coming in from origins, at least max_source_bytes; beyond it 503.");
  rows.add("max_redirects", Type::kInteger, origin, &HttpSettings::max_redirects, {0, 50},
           "Redirects that are followed in one fetch.");
  rows.add("max_origin_header_bytes", Type::kBytes, origin, &HttpSettings::max_header_bytes, {kKiB, 16 * kMiB},
           "Size of the head of an origin's answer.");
  set_path(rows.add("origin_ca_file", Type::kText, origin, &HttpSettings::ca_file,
                    "PEM file with the authorities that origins are checked against; empty: the system's."),
           "a file, or nothing", PathKind::kCertificates);
  rows.add("max_origin_connections", Type::kInteger, connections, &OriginConnections::max_connections, {1, 100'000},
           "Connections to origins, idle ones included; further fetches wait.");
  rows.add("max_origin_connections_per_host", Type::kInteger, connections, &OriginConnections::max_connections_per_host,
           {1, 100'000}, "Connections to one host and port; further fetches wait.");
  rows.add("max_idle_origin_connections", Type::kInteger, connections, &OriginConnections::max_idle_connections,
           {0, 100'000}, "Connections that are kept open for the next fetch.");
}

void add_images(OptionBuilder& rows) {
  constexpr std::int64_t kMaxPixels = 100'000'000'000;
  const auto media = &Settings::media;
  rows.begin(OptionGroup::kImages);
  rows.add("max_frame_pixels", Type::kInteger, media, &MediaLimits::max_frame_pixels, {1, kMaxPixels},
           "Pixels of one frame or page of a source; beyond it 422.");
  rows.add("max_total_pixels", Type::kInteger, media, &MediaLimits::max_total_pixels, {1, kMaxPixels},
           "Pixels of all frames of a source that are decoded; beyond it 422.");
  rows.add("max_frames", Type::kInteger, media, &MediaLimits::max_frames, {1, 100'000},
           "Frames of a source that are decoded; beyond it 422.");
  rows.add("max_output_side", Type::kInteger, media, &MediaLimits::max_output_side, {1, 65'535},
           "Pixels of one side of a rendition.");
  rows.add("max_output_pixels", Type::kInteger, media, &MediaLimits::max_output_pixels, {1, kMaxPixels},
           "Pixels of one rendition, all frames together.");
}

void add_image_pool(OptionBuilder& rows) {
  const auto pool = &Settings::image_pool;
  rows.begin(OptionGroup::kImagePool);
  rows.add("image_workers_min", Type::kInteger, pool, &PoolSettings::workers_min, {0, 4'096},
           "Workers that are always there.");
  rows.add("image_workers_max", Type::kInteger, pool, &PoolSettings::workers_max, {0, 4'096},
           "Workers at most; 0: as many as CPUs that this process may use.");
  rows.add("image_queue", Type::kInteger, pool, &PoolSettings::queue, {1, 1'000'000},
           "Jobs that may wait; beyond it 503.");
  rows.add("image_policy", Type::kText, pool, &PoolSettings::policy, "How the number of workers follows the load.")
      .choices = {"little", "queue", "spawn", "fixed"};
  rows.add("image_niceness", Type::kInteger, pool, &PoolSettings::niceness, {0, 19},
           "Added to the workers' nice value, so that answers stay prompt on a saturated machine.");
}

void add_log(OptionBuilder& rows) {
  rows.begin(OptionGroup::kLog);
  rows.add("log_format", Type::kText, &Settings::log, &LogSettings::format, "Form of the log on standard error.")
      .choices = {"text", "json"};
  rows.add("log_level", Type::kText, &Settings::log, &LogSettings::level, "The least grave lines that are written.")
      .choices = {"debug", "info", "warning", "error", "off"};
}

// What a running server takes over: whole groups, or single keys of the others.
bool is_reloadable(const Option& option) {
  constexpr OptionGroup kGroups[] = {OptionGroup::kTls, OptionGroup::kHttp, OptionGroup::kHttp2,
                                     OptionGroup::kProtection, OptionGroup::kCache};
  constexpr std::string_view kSingleKeys[] = {"image_workers_min", "image_workers_max",   "disk_cache",
                                              "disk_source_cache", "disk_cache_min_free", "disk_cache_time",
                                              "log_level"};
  if (std::ranges::find(kGroups, option.group) != std::end(kGroups)) return true;
  return std::ranges::find(kSingleKeys, option.key) != std::end(kSingleKeys);
}

std::vector<Option> make_table() {
  OptionBuilder rows;
  add_listening(rows);
  add_tls(rows);
  add_http_limits(rows);
  add_http_times(rows);
  add_http_answers(rows);
  add_http2(rows);
  add_http2_floods(rows);
  add_protection(rows);
  add_sources(rows);
  add_allow_lists(rows);
  add_origins(rows);
  add_object_store_options(rows);
  add_images(rows);
  add_image_pool(rows);
  add_cache_options(rows);
  add_log(rows);
  std::vector<Option> table = rows.take();
  for (Option& option : table) option.reloadable = is_reloadable(option);
  return table;
}

}  // namespace

std::span<const Option> option_table() {
  static const std::vector<Option> kTable = make_table();
  return kTable;
}

const Option* find_option(std::string_view key) {
  const auto table = option_table();
  const auto found = std::ranges::find_if(table, [&](const Option& option) { return option.is_called(key); });
  return found == table.end() ? nullptr : &*found;
}

std::string unknown_key_message(std::string_view key) {
  std::vector<std::string_view> keys;
  for (const Option& option : option_table()) keys.push_back(option.key);
  const std::string_view nearest = service::nearest_name(key, keys);
  return nearest.empty() ? "unknown option" : "unknown option; did you mean '" + std::string(nearest) + "'?";
}

}  // namespace optimux::apps

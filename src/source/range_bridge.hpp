#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/deadline.hpp"
#include "base/error.hpp"
#include "base/result.hpp"
#include "source/ranged_source.hpp"
#include "source/reactor.hpp"

namespace optimux::source {

/// How a bridge behaves. The defaults are meant for one ffmpeg.
struct RangeBridgeSettings {
  std::size_t max_connections = 8;                ///< Open at one time, 1 or more. ffmpeg holds two while it seeks.
  std::size_t max_head_bytes = 4096;              ///< Of one request.
  std::chrono::milliseconds head_time{5000};      ///< For one request's head, from its connection's first moment on.
  std::size_t min_read_bytes = 256 << 10;         ///< Read of the source where reading begins; a multiple of 64 KiB …
  std::size_t max_read_bytes = 1 << 20;           ///< … and where it has gone on in order; likewise, and no less.
  std::size_t kept_bytes = std::size_t{8} << 20;  ///< Of what was read last, in memory, beside the file's head.
  int send_buffer_bytes = 64 << 10;               ///< SO_SNDBUF: what has left us may never be read.
};

/// Lets one child process read a `RangedFile` that has no descriptor, and nothing else.
///
/// It listens on a free port of 127.0.0.1 and is a proxy that knows one URL: a child that is started with
/// `environment()` as its only environment and asks for `url()` comes here, whatever the media say comes no further.
/// Requests without the secret are answered 407, for other URLs 403; nothing but GET and HEAD of whole files and single
/// ranges is served. The secret is drawn for each bridge and stands in no argument list.
///
/// What is read of the source: `min_read_bytes` where a request begins, more ahead of a reader that goes on, up to
/// `max_read_bytes`. Once the reader has closed its connection nothing more is begun, and of what is under way only a
/// read of `min_read_bytes` comes to its end. A failure of the source cuts all connections, and is kept for who started
/// the child: see `first_error`.
///
/// Thread-safe. Work is done in the loop's thread. The reactor must outlive the bridge; what the bridge holds goes in
/// the loop's thread soon after the bridge has gone, or with the reactor, if its loop runs no more.
class RangeBridge {
 public:
  /// What has happened since the start.
  struct Figures {
    std::uint64_t connections = 0;   ///< Accepted ones.
    std::uint64_t requests = 0;      ///< Served: whole files, ranges and heads.
    std::uint64_t refused = 0;       ///< Requests and connections that were not served.
    std::uint64_t source_reads = 0;  ///< Reads of the source.
    std::uint64_t source_bytes = 0;  ///< Bytes that they have brought, beside the file's head.
    std::uint64_t sent_bytes = 0;    ///< Bytes of the file that were given to connections.
  };

  /// Begins to listen. Any thread; does not block. `deadline` holds for all reads of the source. `file` is not null.
  /// Errors: kInternal when the process may not have another socket.
  static base::Result<std::unique_ptr<RangeBridge>> make(std::shared_ptr<RangedFile> file, Reactor& reactor,
                                                         base::Deadline deadline, RangeBridgeSettings settings = {});
  RangeBridge(const RangeBridge&) = delete;
  RangeBridge& operator=(const RangeBridge&) = delete;
  /// Any thread; does not block. Ends all connections, and reads of the source.
  ~RangeBridge();

  /// What the child is to open: `http://input/media`. The same for all bridges.
  static const char* url();
  /// The one entry of the child's environment: `http_proxy=http://job:SECRET@127.0.0.1:PORT`. Not for logs.
  const std::string& environment() const;
  /// The port of 127.0.0.1 that it listens on.
  int port() const;

  /// Why the source could not be read, if so. To be asked for when the child has ended, well or not: ffmpeg takes a
  /// connection that is cut for the end of the file, and then exits with 0 or calls the media broken, but has always
  /// read less than there is. That reads were ended because their reader had gone is no failure.
  std::optional<base::Error> first_error() const;
  Figures figures() const;

 private:
  class Inner;
  RangeBridge(Reactor& reactor, std::shared_ptr<Inner> inner);

  Reactor& reactor_;
  const std::shared_ptr<Inner> inner_;
};

}  // namespace optimux::source

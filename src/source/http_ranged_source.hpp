#pragma once

#include <cstdint>
#include <memory>

#include "base/result.hpp"
#include "source/http_settings.hpp"
#include "source/pending_reads.hpp"
#include "source/ranged_source.hpp"
#include "source/reactor.hpp"

namespace optimux::source {

/// HTTP and HTTPS origins, read in parts: `Range` requests on connections of its own, so that videos do not take those
/// of pictures. Every rule of `HttpSource` holds for each request: addresses, redirects, limits, time.
///
/// A part is taken only if it is exactly the one that was asked for and of the state that was opened: it is asked for
/// with `If-Range`, and its tag (or date, without tags) and the size of the whole must be the same. An origin that
/// gives no parts is asked for the whole, which is held in memory.
class HttpRangedSource final : public RangedSource {
 public:
  /// `settings.max_source_bytes` is for sources that come as a whole, `max_video_bytes` for the others;
  /// `settings.total_timeout` holds for each request. `reactor` must outlive the source. Errors: kInternal when libcurl
  /// cannot be set up.
  static base::Result<std::unique_ptr<HttpRangedSource>> make(HttpSettings settings, std::uint64_t max_video_bytes,
                                                              Reactor& reactor);
  /// In the loop's thread, or after the loop has ended: what is under way ends with kShuttingDown before it returns.
  ~HttpRangedSource() override;

  void open(FetchRequest request, OpenCallback callback) override;

 private:
  class Transfers;
  class File;
  explicit HttpRangedSource(std::shared_ptr<Transfers> transfers);

  const std::shared_ptr<Transfers> transfers_;  ///< Of the loop's thread; posted tasks hold it weakly.
};

}  // namespace optimux::source

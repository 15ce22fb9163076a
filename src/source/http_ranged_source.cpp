#include "source/http_ranged_source.hpp"

#include <cassert>
#include <map>
#include <string>
#include <utility>

#include "source/bytes_ranged_file.hpp"
#include "source/curl_multi.hpp"
#include "source/http_fetch.hpp"
#include "source/source_error.hpp"
#include "source/source_url.hpp"

namespace optimux::source {
namespace {

using base::Result;

/// What was opened: where it is, and its state.
struct Opened {
  HttpUrl url;
  std::string via;
  SourceFacts facts;
  std::uint64_t size = 0;
};

// A tag tells states apart alone; dates do where there are no tags. What a part leaves out says nothing.
bool is_same_state(const Opened& opened, const HttpFetched& part) {
  if (part.part->total != opened.size) return false;
  const SourceFacts& before = opened.facts;
  const SourceFacts& now = part.facts;
  if (!before.etag.empty() && !now.etag.empty()) return before.etag == now.etag;
  return !before.last_modified || !now.last_modified || before.last_modified == now.last_modified;
}

RangedFile::ReadResult read_result(const Opened& opened, Result<HttpFetched> fetched, const ByteRange& range) {
  if (!fetched) return base::fail(fetched.error());
  const bool is_part = fetched->part.has_value() && fetched->bytes.size() == range.count;
  if (!is_part || !is_same_state(opened, *fetched)) {
    return base::fail(source_changed(without_query(opened.url.text) + ": a part of another state"));
  }
  return std::make_shared<const base::ByteBuffer>(std::move(fetched->bytes));
}

}  // namespace

/// What is under way, and the connections that it shares.
class HttpRangedSource::Transfers : public std::enable_shared_from_this<Transfers> {
 public:
  Transfers(HttpSettings settings, std::uint64_t max_video_bytes, Reactor& reactor, std::unique_ptr<CurlMulti> multi)
      : settings_(std::move(settings)),
        max_video_bytes_(max_video_bytes),
        opens_(std::make_shared<PendingOpens>(reactor)),
        reads_(std::make_shared<PendingReads>(reactor)),
        multi_(std::move(multi)),
        context_{settings_, reactor, *multi_} {}

  const std::shared_ptr<PendingOpens>& opens() const { return opens_; }
  const std::shared_ptr<PendingReads>& reads() const { return reads_; }

  void open(PendingOpens::Id id, const FetchRequest& request) {
    if (!opens_->contains(id)) return;  // It was stopped before it got here.
    auto url = parse_http_url(request.locator.value);
    if (!url) return opens_->finish(id, base::fail(url.error()));
    HttpWish wish{.via = request.via, .range = ByteRange{0, RangedFile::kHeadBytes}};
    auto fetch = std::make_unique<HttpFetch>(context_, std::move(wish),
                                             [this, id, url = *url, via = request.via](Result<HttpFetched> fetched) {
                                               opens_->finish(id, opened(url, via, std::move(fetched)));
                                             });
    const auto position = openings_.emplace(id, std::move(fetch)).first;
    position->second->start(*url);
  }

  void read(PendingReads::Id id, const std::shared_ptr<const Opened>& opened, const ByteRange& range) {
    if (!reads_->contains(id)) return;
    SourceValidators validators = opened->facts.validators();
    validators.place.clear();  // It is where this begins.
    HttpWish wish{.via = opened->via, .validators = std::move(validators), .range = range, .takes_whole = false};
    auto fetch =
        std::make_unique<HttpFetch>(context_, std::move(wish), [this, id, opened, range](Result<HttpFetched> fetched) {
          reads_->finish(id, read_result(*opened, std::move(fetched), range));
        });
    const auto position = readings_.emplace(id, std::move(fetch)).first;
    position->second->start(opened->url);
  }

  void release_open(PendingOpens::Id id) { openings_.erase(id); }
  void release_read(PendingReads::Id id) { readings_.erase(id); }

 private:
  Result<std::shared_ptr<RangedFile>> opened(const HttpUrl& url, const std::string& via, Result<HttpFetched> fetched);

  const HttpSettings settings_;
  const std::uint64_t max_video_bytes_;
  const std::shared_ptr<PendingOpens> opens_;
  const std::shared_ptr<PendingReads> reads_;
  const std::unique_ptr<CurlMulti> multi_;
  const HttpContext context_;
  std::map<PendingOpens::Id, std::unique_ptr<HttpFetch>> openings_;
  std::map<PendingReads::Id, std::unique_ptr<HttpFetch>> readings_;
};

class HttpRangedSource::File final : public RangedFile {
 public:
  File(Opened opened, base::ByteBuffer head, const std::shared_ptr<Transfers>& transfers)
      : opened_(std::make_shared<const Opened>(std::move(opened))),
        head_(std::move(head)),
        transfers_(transfers),
        reads_(transfers->reads()) {}

  std::uint64_t size() const override { return opened_->size; }
  const SourceFacts& facts() const override { return opened_->facts; }
  std::span<const std::byte> head() const override { return {head_.data(), head_.size()}; }

  void read(std::uint64_t offset, std::size_t count, base::Deadline deadline, std::stop_token stop,
            ReadCallback callback) override {
    assert(count > 0 && offset < size() && count <= size() - offset && "reads lie within the file");
    const auto release = [weak = transfers_](PendingReads::Id ended) {
      if (const auto transfers = weak.lock()) transfers->release_read(ended);
    };
    const auto id = reads_->add_unless_closed(std::move(callback), deadline, stop, release);
    reads_->run_in_loop([weak = transfers_, opened = opened_, id, range = ByteRange{offset, count}] {
      if (const auto transfers = weak.lock()) transfers->read(id, opened, range);
    });
  }

 private:
  const std::shared_ptr<const Opened> opened_;  ///< Shared with reads under way.
  const base::ByteBuffer head_;
  const std::weak_ptr<Transfers> transfers_;
  const std::shared_ptr<PendingReads> reads_;
};

Result<std::shared_ptr<RangedFile>> HttpRangedSource::Transfers::opened(const HttpUrl& url, const std::string& via,
                                                                        Result<HttpFetched> fetched) {
  if (!fetched) return base::fail(fetched.error());
  if (!fetched->part) {
    return std::make_shared<BytesRangedFile>(std::make_shared<const base::ByteBuffer>(std::move(fetched->bytes)),
                                             std::move(fetched->facts), reads_);
  }
  const std::uint64_t size = fetched->part->total;
  if (size > max_video_bytes_) return base::fail(video_too_large(max_video_bytes_, without_query(url.text)));
  Opened opened{url, via, std::move(fetched->facts), size};
  if (!opened.facts.place.empty()) {
    auto place = parse_http_url(opened.facts.place);
    if (!place) return base::fail(origin_failed(place.error().cause));
    opened.url = *std::move(place);
  }
  return std::make_shared<File>(std::move(opened), std::move(fetched->bytes), shared_from_this());
}

Result<std::unique_ptr<HttpRangedSource>> HttpRangedSource::make(HttpSettings settings, std::uint64_t max_video_bytes,
                                                                 Reactor& reactor) {
  auto multi = CurlMulti::make(reactor, settings.connections);
  if (!multi) return base::fail(multi.error());
  auto transfers = std::make_shared<Transfers>(std::move(settings), max_video_bytes, reactor, *std::move(multi));
  return std::unique_ptr<HttpRangedSource>(new HttpRangedSource(std::move(transfers)));
}

HttpRangedSource::HttpRangedSource(std::shared_ptr<Transfers> transfers) : transfers_(std::move(transfers)) {}

HttpRangedSource::~HttpRangedSource() {
  transfers_->opens()->close();
  transfers_->reads()->close();
}

void HttpRangedSource::open(FetchRequest request, OpenCallback callback) {
  assert(request.locator.kind == SourceLocator::Kind::kHttp);
  const std::weak_ptr<Transfers> weak = transfers_;
  const auto release = [weak](PendingOpens::Id ended) {
    if (const auto transfers = weak.lock()) transfers->release_open(ended);
  };
  const auto id = transfers_->opens()->add(std::move(callback), request.deadline, request.stop, release);
  transfers_->opens()->run_in_loop([weak, id, request = std::move(request)] {
    if (const auto transfers = weak.lock()) transfers->open(id, request);
  });
}

}  // namespace optimux::source

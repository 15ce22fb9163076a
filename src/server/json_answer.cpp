#include "server/json_answer.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "server/reader_keeper.hpp"

namespace optimux::server {
namespace {

using base::SharedBody;

constexpr std::string_view kBegin = R"({"data":{)";
constexpr std::string_view kEnd = "}}\n";

/// One frame of HTTP/2 at most: nobody waits for it long.
constexpr std::uint64_t kSmallDocument = 16'384;

/// Encoded at once, in bytes of the picture: little at first, and twice as much each time, so that a client holds no
/// more memory here than it has taken off before. Multiples of three, so that the pieces of base64 join without
/// padding.
constexpr std::size_t kFirstBytes = 3'072;
constexpr std::size_t kMostBytes = 49'152;

std::uint64_t base64_size(std::uint64_t bytes) {
  return (bytes + 2) / 3 * 4;
}

/// `image/jpeg` gives `jpg`, as the files of that type are called.
std::string extension_of(std::string_view content_type) {
  const std::string_view subtype = content_type.substr(content_type.find('/') + 1);
  return subtype == "jpeg" ? "jpg" : std::string(subtype);
}

std::string name_of(const base::BodyHead& head) {
  return std::to_string(head.width) + 'x' + std::to_string(head.height) + '.' + extension_of(head.content_type);
}

/// Takes up to `count` bytes from a complete body.
std::string take_bytes(SharedBody::Reader& reader, std::size_t count) {
  std::string bytes;
  while (bytes.size() < count) {
    const auto piece = reader.peek();
    if (piece.empty()) break;
    const std::size_t used = std::min(piece.size(), count - bytes.size());
    bytes.append(reinterpret_cast<const char*>(piece.data()), used);
    reader.consume(used);
  }
  return bytes;
}

}  // namespace

JsonAnswer::JsonAnswer(ServerState& state, const http::Request& request, const RequestContext& context,
                       std::vector<service::OpenedRendition> opened, RenditionExtras extras)
    : ConditionalAnswer(state, request, context, opened.at(0), std::move(extras)),
      opened_(std::move(opened)),
      bytes_at_once_(kFirstBytes) {}

JsonAnswer::~JsonAnswer() = default;

bool JsonAnswer::is_ready() const {
  return std::all_of(opened_.begin(), opened_.end(), [](const service::OpenedRendition& opened) {
    return opened.rendition->body()->state() == SharedBody::State::kComplete;
  });
}

std::optional<base::Error> JsonAnswer::failure() const {
  for (const service::OpenedRendition& opened : opened_) {
    if (auto error = opened.rendition->body()->error()) return error;
  }
  return std::nullopt;
}

/// Those of the first rendition, with a tag for all of them together.
std::shared_ptr<const service::RenditionFacts> JsonAnswer::facts() const {
  auto facts = std::make_shared<service::RenditionFacts>(opened_[0].rendition->facts());
  std::string tags;
  for (const service::OpenedRendition& opened : opened_) {
    const std::string tag = opened.rendition->facts().etag;
    if (tag.empty()) return std::make_shared<const service::RenditionFacts>();
    tags += tag;
  }
  facts->etag = '"' + base::fingerprint(tags) + "-json\"";
  return facts;
}

std::optional<std::uint64_t> JsonAnswer::begin_body() {
  std::set<std::string> names;
  std::uint64_t size = kEnd.size();
  for (const service::OpenedRendition& opened : opened_) {
    const base::BodyHead head = *opened.rendition->body()->head();
    const auto [name, is_new] = names.insert(name_of(head));
    if (!is_new) continue;
    const std::string_view separator = entries_.empty() ? kBegin : ",";
    entries_.push_back(
        Entry{std::string(separator) + base::json_quote(*name) + ":\"data:" + head.content_type + ";base64,",
              opened.rendition->body()->attach()});
    size += entries_.back().opening.size() + base64_size(opened.rendition->body()->size()) + 1;
  }
  if (size <= kSmallDocument) phase_ = base::Phase::kHead;
  return size;
}

Answer::Window JsonAnswer::body_window(std::size_t, Cut) {
  if (sent_ == encoded_.size() && !is_closed_) encode_more();
  Window window;
  window.is_lasting = false;
  window.phase = phase_;
  if (sent_ < encoded_.size()) window.pieces.push_back(std::as_bytes(std::span(encoded_).subspan(sent_)));
  window.state = is_closed_ ? Window::State::kLast : Window::State::kMore;
  return window;
}

void JsonAnswer::encode_more() {
  encoded_.clear();
  sent_ = 0;
  Entry& entry = entries_[entry_];
  if (!std::exchange(is_opened_, true)) encoded_ += entry.opening;
  encoded_ += base::base64_encode(take_bytes(entry.reader, bytes_at_once_));
  bytes_at_once_ = std::min(2 * bytes_at_once_, kMostBytes);
  if (!entry.reader.at_end()) return;
  encoded_ += '"';
  is_opened_ = false;
  if (++entry_ < entries_.size()) return;
  encoded_ += kEnd;
  is_closed_ = true;
}

bool JsonAnswer::wait_for_body(std::function<void()> wake) {
  if (!entries_.empty() || failure()) return false;
  for (service::OpenedRendition& opened : opened_) {
    if (opened.rendition->body()->is_finished()) continue;
    skip_available(opened.reader);
    return opened.reader.wait(std::move(wake));
  }
  return false;
}

void JsonAnswer::cancel_wait() {
  for (service::OpenedRendition& opened : opened_) opened.reader.cancel_wait();
}

}  // namespace optimux::server

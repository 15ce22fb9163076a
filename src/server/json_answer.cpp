#include "server/json_answer.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "http/conditional.hpp"
#include "server/problem_answer.hpp"
#include "server/reader_keeper.hpp"

namespace optimux::server {
namespace {

using base::SharedBody;

constexpr std::string_view kBegin = R"({"data":{)";
constexpr std::string_view kEnd = "}}\n";

/// A multiple of three, so that the pieces of base64 join without padding between them.
constexpr std::size_t kBytesAtOnce = 48 * 1024;

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
    : state_(state), request_(request), context_(context), extras_(std::move(extras)), opened_(std::move(opened)) {}

JsonAnswer::~JsonAnswer() = default;

bool JsonAnswer::is_complete() const {
  return std::all_of(opened_.begin(), opened_.end(), [](const service::OpenedRendition& opened) {
    return opened.rendition->body()->state() == SharedBody::State::kComplete;
  });
}

std::optional<base::Error> JsonAnswer::first_error() const {
  for (const service::OpenedRendition& opened : opened_) {
    if (auto error = opened.rendition->body()->error()) return error;
  }
  return std::nullopt;
}

std::optional<http::ResponseHead> JsonAnswer::take_head() {
  if (has_head_) return std::nullopt;
  auto error = first_error();
  if (!error && !is_complete()) return std::nullopt;
  has_head_ = true;
  if (!error) return success();
  http::Headers fields;
  if (extras_.varies_by_accept) fields.add("Vary", "Accept");
  instead_ = problem_answer(state_, context_, std::move(*error), std::move(fields));
  return instead_->take_head();
}

http::ResponseHead JsonAnswer::success() {
  const service::RenditionFacts facts = combined_facts();
  http::Headers fields = validator_fields(facts, context_, extras_);
  const bool is_current = http::is_not_modified(request_.headers, facts.etag, facts.last_modified);
  if (!is_current) add_content_fields(fields, "application/json", extras_);
  add_timing_fields(fields, *opened_[0].rendition, opened_[0].outcome, context_);
  if (is_current) {
    instead_ = empty_answer(304, std::move(fields));
    return *instead_->take_head();
  }
  prepare_entries();
  return http::ResponseHead{200, std::move(fields), document_size()};
}

/// Those of the first rendition, with a tag for all of them together.
service::RenditionFacts JsonAnswer::combined_facts() const {
  service::RenditionFacts facts = opened_[0].rendition->facts();
  std::string tags;
  for (const service::OpenedRendition& opened : opened_) tags += opened.rendition->facts().etag;
  facts.etag = '"' + base::fingerprint(tags) + "-json\"";
  return facts;
}

void JsonAnswer::prepare_entries() {
  std::set<std::string> names;
  for (const service::OpenedRendition& opened : opened_) {
    const base::BodyHead head = *opened.rendition->body()->head();
    const auto [name, is_new] = names.insert(name_of(head));
    if (!is_new) continue;
    const std::string_view separator = entries_.empty() ? kBegin : ",";
    entries_.push_back(
        Entry{std::string(separator) + base::json_quote(*name) + ":\"data:" + head.content_type + ";base64,",
              opened.rendition->body()->attach()});
  }
}

std::uint64_t JsonAnswer::document_size() const {
  std::uint64_t size = kEnd.size();
  for (const Entry& entry : entries_) size += entry.opening.size() + base64_size(entry.reader.body().size()) + 1;
  return size;
}

Answer::Window JsonAnswer::window(std::size_t max_pieces) {
  if (instead_) return instead_->window(max_pieces);
  if (sent_ == encoded_.size() && !is_closed_) encode_more();
  Window window;
  if (sent_ < encoded_.size()) window.pieces.push_back(std::as_bytes(std::span(encoded_).subspan(sent_)));
  window.state = is_closed_ ? Window::State::kLast : Window::State::kMore;
  return window;
}

void JsonAnswer::encode_more() {
  encoded_.clear();
  sent_ = 0;
  Entry& entry = entries_[entry_];
  if (!std::exchange(is_opened_, true)) encoded_ += entry.opening;
  encoded_ += base::base64_encode(take_bytes(entry.reader, kBytesAtOnce));
  if (!entry.reader.at_end()) return;
  encoded_ += '"';
  is_opened_ = false;
  if (++entry_ < entries_.size()) return;
  encoded_ += kEnd;
  is_closed_ = true;
}

void JsonAnswer::consume(std::size_t count) {
  if (instead_) {
    instead_->consume(count);
  } else {
    sent_ += count;
  }
}

bool JsonAnswer::wait(std::function<void()> wake) {
  if (has_head_ || first_error()) return false;
  for (service::OpenedRendition& opened : opened_) {
    if (opened.rendition->body()->is_finished()) continue;
    skip_available(opened.reader);
    return opened.reader.wait(std::move(wake));
  }
  return false;
}

AnswerReport JsonAnswer::report() const {
  AnswerReport report;
  report.cache = opened_[0].outcome;
  report.timings = opened_[0].rendition->timings();
  report.error = first_error();
  return report;
}

}  // namespace optimux::server

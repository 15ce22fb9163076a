#include "server/preload_route.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/encoding.hpp"
#include "http/link.hpp"
#include "http/target.hpp"
#include "server/json_reader.hpp"
#include "server/rendition_routes.hpp"

namespace optimux::server {
namespace {

constexpr int kDefaultUrgency = 3;
constexpr std::uint64_t kLowestUrgency = 7;

constexpr const char* kNoList = "the body is not a JSON list";
constexpr const char* kUrlRule = "url is a text and not empty";

struct PreloadEntry {
  std::string url;
  int urgency = kDefaultUrgency;
};

/// The list of a preload request.
class PreloadList final : public JsonReader {
 public:
  explicit PreloadList(std::size_t most) : most_(most) {}

  std::vector<PreloadEntry>& entries() { return entries_; }

  bool start_array(std::size_t) override;
  bool start_object(std::size_t) override;
  bool key(std::string& name) override;
  bool string(std::string& text) override;
  bool number_unsigned(std::uint64_t number) override;
  bool end_object() override;

 private:
  enum class Place { kBeforeList, kInList, kAtUrl, kAtPriority };

  bool unfit() override;
  bool refuse_entry(const char* detail) { return refuse("entry " + std::to_string(entries_.size()) + ": " + detail); }

  const std::size_t most_;
  std::vector<PreloadEntry> entries_;
  Place place_ = Place::kBeforeList;
  std::optional<std::string> url_;  ///< Of the entry that is being read, as is `urgency_`.
  std::optional<int> urgency_;
};

bool PreloadList::start_array(std::size_t) {
  if (place_ != Place::kBeforeList) return unfit();
  place_ = Place::kInList;
  return true;
}

bool PreloadList::start_object(std::size_t) {
  if (place_ != Place::kInList) return unfit();
  if (entries_.size() == most_) return refuse("the list has more than " + std::to_string(most_) + " entries");
  url_.reset();
  urgency_.reset();
  return true;
}

bool PreloadList::key(std::string& name) {
  if (name == "url" && !url_) {
    place_ = Place::kAtUrl;
  } else if (name == "priority" && !urgency_) {
    place_ = Place::kAtPriority;
  } else {
    return refuse_entry("has only url and priority, each once");
  }
  return true;
}

bool PreloadList::string(std::string& text) {
  if (place_ != Place::kAtUrl || text.empty()) return unfit();
  url_ = std::move(text);
  return true;
}

bool PreloadList::number_unsigned(std::uint64_t number) {
  if (place_ != Place::kAtPriority || number > kLowestUrgency) return unfit();
  urgency_ = static_cast<int>(number);
  return true;
}

bool PreloadList::end_object() {
  if (!url_) return refuse_entry(kUrlRule);
  entries_.push_back({std::move(*url_), urgency_.value_or(kDefaultUrgency)});
  place_ = Place::kInList;
  return true;
}

bool PreloadList::unfit() {
  switch (place_) {
    case Place::kAtUrl: return refuse_entry(kUrlRule);
    case Place::kAtPriority: return refuse_entry("priority is a whole number from 0 (most urgent) to 7");
    case Place::kInList: return refuse_entry("not an object with url and priority");
    case Place::kBeforeList: break;
  }
  return refuse(kNoList);
}

/// Where keys are configured, only what is signed already is named. To sign what anybody sends would make the route a
/// place where anybody gets a signature.
base::Status check_signatures(const RequestContext& context, const std::vector<PreloadEntry>& entries) {
  const service::UrlSigner& signer = context.protection->signer;
  if (!signer.has_keys()) return {};
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const std::string target = base::percent_encode_url(entries[i].url);
    if (!is_rendition_path(http::split_target(target).path)) continue;
    if (const auto verified = signer.verify(target); !verified) {
      return base::fail(verified.error().code, {}, "entry " + std::to_string(i) + ": " + verified.error().cause);
    }
  }
  return {};
}

std::unique_ptr<Answer> preload(const ServerState& state, const RouteCall& call) {
  PreloadList list(call.context.settings->max_preload_entries);
  const base::Status status = list.read(call.request.body, kNoList);
  if (!status) return problem_answer(state, call.context, status.error());
  auto& entries = list.entries();
  if (auto checked = check_signatures(call.context, entries); !checked) {
    return problem_answer(state, call.context, checked.error());
  }
  std::stable_sort(entries.begin(), entries.end(),
                   [](const PreloadEntry& left, const PreloadEntry& right) { return left.urgency < right.urgency; });
  http::Headers headers = {{"Cache-Control", "no-store"}};
  for (const PreloadEntry& entry : entries) headers.add("Link", http::preload_link(entry.url));
  return empty_answer(204, std::move(headers));
}

}  // namespace

void add_preload_route(Router& router, ServerState& state) {
  router.add({"preload", "/optimux/preload", false, "POST",
              [&state](const RouteCall& call) { return preload(state, call); }, true});
}

}  // namespace optimux::server

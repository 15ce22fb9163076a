#include "server/known_calls.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <utility>

#include "server/prepared_call.hpp"
#include "server/router.hpp"
#include "server/url_signature.hpp"
#include "service/transform_spec.hpp"

namespace optimux::server {
namespace {

bool can_be_known(const RouteCall& call) {
  return call.request.target.size() <= KnownCalls::kMostTargetBytes && !call.request.headers.has("Via");
}

std::vector<std::string> keys_of(const PreparedCall& prepared) {
  if (prepared.is_original) return {service::original_key(prepared.spec.source)};
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < prepared.spec.render.sizes.size(); ++i) {
    keys.push_back(service::rendition_key(prepared.spec, i));
  }
  return keys;
}

}  // namespace

std::optional<KnownCalls::Found> KnownCalls::find(const RouteCall& call) {
  forget_unless_of(call.context);
  if (places_.empty() || !can_be_known(call)) return std::nullopt;
  Place* const first = places_of(call.request.target);
  Place* const found = std::find_if(first, first + kWays, [&](const Place& place) {
    return place.call && place.target == call.request.target &&
           (!place.accept || *place.accept == call.request.headers.joined("Accept"));
  });
  if (found == first + kWays) return std::nullopt;
  found->used = ++looks_;
  Found known{found->call, found->call->extras};
  if (known.call->expires) {
    const auto left = time_left(*known.call->expires, std::chrono::system_clock::now());
    if (!left) return std::nullopt;
    known.extras.time_left = *left;
  }
  return known;
}

void KnownCalls::keep(const RouteCall& call, const PreparedCall& prepared) {
  if (!can_be_known(call)) return;
  forget_unless_of(call.context);
  if (places_.empty()) places_.resize(kPlaces);
  Place* const first = places_of(call.request.target);
  Place& place = *std::min_element(first, first + kWays,
                                   [](const Place& left, const Place& right) { return left.used < right.used; });
  place.target = call.request.target;
  place.accept.reset();
  if (prepared.extras.varies_by_accept) place.accept = call.request.headers.joined("Accept");
  place.call =
      std::make_shared<const Call>(Call{keys_of(prepared), prepared.delivery, prepared.extras, prepared.expires});
  place.used = ++looks_;
}

/// The first of the places where a call with this target may be.
KnownCalls::Place* KnownCalls::places_of(const std::string& target) {
  return places_.data() + std::hash<std::string>()(target) % (kPlaces / kWays) * kWays;
}

/// The old settings may have allowed what the new ones refuse.
void KnownCalls::forget_unless_of(const RequestContext& context) {
  if (context.settings == settings_ && context.protection == protection_) return;
  places_.clear();
  settings_ = context.settings;
  protection_ = context.protection;
}

}  // namespace optimux::server

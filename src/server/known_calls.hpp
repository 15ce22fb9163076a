#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "server/rendition_headers.hpp"
#include "server/request_context.hpp"
#include "service/parameters.hpp"

namespace optimux::server {

struct PreparedCall;
struct RouteCall;

/// Calls for renditions that were answered before: one that comes again, byte for byte, needs not be read and checked
/// again. Reading one costs more than all else that a hit in the memory cache does.
///
/// A call is known again only if everything is equal that its reading depends on (`prepare_call`): the target as it was
/// sent, signature included; the settings and what protects the server, which are replaced as a whole and make all
/// calls unknown when they are; `Accept`, where the format was negotiated. A call with `Via` is never known, since it
/// may be a loop. When a URL expires is looked at each time. Refusals are not remembered.
///
/// The table has a fixed size and a call looks at four places of it; one that is new takes the place of that which was
/// used longest ago. Loop's thread only.
class KnownCalls {
 public:
  /// Calls that are known at one time, in the best case.
  static constexpr std::size_t kPlaces = 1'024;
  /// Of a target: longer ones are never known. So all of them take a few megabytes at most.
  static constexpr std::size_t kMostTargetBytes = 512;

  struct Call {
    std::vector<std::string> keys;  ///< Of the renditions, in the order of the sizes.
    service::Delivery delivery = service::Delivery::kStream;
    RenditionExtras extras;
    std::optional<std::string> expires;
  };
  /// A call as it is answered now: `extras.time_left` is that of this moment.
  struct Found {
    std::shared_ptr<const Call> call;
    RenditionExtras extras;
  };

  /// Nothing if the call is not known, or if its URL has expired.
  std::optional<Found> find(const RouteCall& call);
  /// From now on `call`, which was read as `prepared`, is known, unless such calls never are.
  void keep(const RouteCall& call, const PreparedCall& prepared);

 private:
  struct Place {
    std::string target;
    std::optional<std::string> accept;  ///< Set where the answer depends on it.
    std::shared_ptr<const Call> call;   ///< Null: the place is empty.
    std::uint64_t used = 0;             ///< The number of the look-up that came here last.
  };
  static constexpr std::size_t kWays = 4;

  void forget_unless_of(const RequestContext& context);
  Place* places_of(const std::string& target);

  std::vector<Place> places_;                       ///< Empty until something is kept.
  std::shared_ptr<const ServerSettings> settings_;  ///< Of all that are known, as the next.
  std::shared_ptr<const Protection> protection_;
  std::uint64_t looks_ = 0;
};

}  // namespace optimux::server

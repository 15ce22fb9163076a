#include "apps/optimux/h2/page.hpp"

#include "simulator/random.hpp"

#include <algorithm>
#include <array>

namespace optimux::apps {
namespace {

using pool::simulator::Random;

constexpr double kHead = 600;
constexpr double kSmallest = 8'000;  // so that each phase has bytes
constexpr int kInSight = 3;
constexpr http::StreamPriority kUrgent{.urgency = 1, .incremental = true, .weight = 220};
constexpr http::StreamPriority kSeen{.urgency = 2, .incremental = true, .weight = 183};
constexpr http::StreamPriority kOther{.urgency = 3, .incremental = true, .weight = 147};

PageImage make_image(Random& random, const PageShape& shape, double requested) {
  const double size = std::max(kSmallest, random.lognormal(shape.mean_size, shape.size_variation));
  const double first = size * (0.10 + 0.05 * random.uniform());
  const double good = size * (0.45 + 0.10 * random.uniform());
  PageImage image;
  std::ranges::transform(std::array{kHead, first, good, size}, image.ends.begin(),
                         [](double end) { return static_cast<std::uint64_t>(end); });
  image.requested = requested;
  return image;
}

// Each picture is drawn, whether its window is shut or not, so that the share changes nothing else.
std::vector<BlockedSpan> make_blocked(Random& random, const Page& page, double share, double load_time) {
  std::vector<BlockedSpan> blocked;
  for (std::size_t image = 0; image < page.images.size(); ++image) {
    const bool is_blocked = random.uniform() < share;
    const double from = page.images[image].requested + random.uniform() * load_time * 0.5;
    if (is_blocked) blocked.push_back({image, from, from + load_time * 0.25});
  }
  return blocked;
}

}  // namespace

std::uint64_t Page::size() const {
  std::uint64_t size = 0;
  for (const PageImage& image : images) size += image.size();
  return size;
}

Page make_page(const PageShape& shape, const Link& link, std::uint64_t seed) {
  Random random(seed);
  Page page;
  const double arrival = link.round_trip / 2;
  for (int i = 0; i < shape.images; ++i) {
    page.images.push_back(make_image(random, shape, arrival));
    page.images.back().priority = i < kInSight ? kSeen : kOther;
  }
  const double load_time = static_cast<double>(page.size()) / link.bytes_per_second;
  page.blocked = make_blocked(random, page, shape.blocked, load_time);
  if (shape.has_late_request) {
    page.images.push_back(make_image(random, shape, arrival + load_time / 2));
    page.images.back().priority = kUrgent;
    page.images.back().is_late = true;
  }
  return page;
}

}  // namespace optimux::apps

#pragma once

#include "apps/optimux/h2/page_load.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace optimux::apps {

/// One number about a load of a page.
struct LoadFigure {
  enum class Group : std::uint8_t { kPage, kLate, kLine };  ///< The page's pictures, the late one, the line.

  Group group = Group::kPage;
  std::string key;    ///< As in JSON: `head_median_s`.
  std::string title;  ///< As in a table: `head p50`.
  double value = 0;
};

/// Times are from the begin of the load, those of the late picture from its request by the client.
/// The speed index is the mean time, over the pictures of the page and by how much they add to what is seen, of their
/// phases: half of a picture with its first scan, 0.4 with its good part, the rest with the last byte. It is the
/// integral of what is not seen yet (the measure of WebPageTest), in seconds; less is better.
std::vector<LoadFigure> figures_of(const Page& page, const Link& link, const PageLoad& load);

/// The median of each figure over several loads; all have the same figures in the same order. There is at least one.
std::vector<LoadFigure> medians_of(const std::vector<std::vector<LoadFigure>>& loads);

/// What is seen of the page's pictures, from 0 to 1, once all up to the end of a phase of one is there.
double seen_with(base::Phase phase);

/// `head`, `first`, `good` or `full`.
const char* phase_name(base::Phase phase);

}  // namespace optimux::apps

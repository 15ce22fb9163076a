/// \file
/// The few robust statistics that measured curves need.
#pragma once

#include <vector>

namespace optimux::pool::advisor {

/// The middle of `values`, the mean of the two middle ones for an even number of them; 0 for none.
[[nodiscard]] double median(std::vector<double> values);

/// The value that a share of `values` does not exceed (nearest rank); `share` from 0 to 1. 0 for no values.
[[nodiscard]] double quantile(std::vector<double> values, double share);

/// Standard deviation as a share of the median, estimated from the median absolute deviation times 1.4826 (exact for
/// normal noise), so that one disturbed round does not count. 0 for fewer than two values or a median of 0.
[[nodiscard]] double relative_deviation(const std::vector<double>& values);

}  // namespace optimux::pool::advisor

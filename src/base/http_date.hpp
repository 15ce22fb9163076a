#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace optimux::base {

/// `time` as IMF-fixdate of RFC 9110 section 5.6.7: `Sun, 06 Nov 1994 08:49:37 GMT`, fractions of a second cut off.
std::string format_http_date(std::chrono::system_clock::time_point time);

/// Reads the three forms of RFC 9110 section 5.6.7: IMF-fixdate, and the obsolete RFC 850 and asctime forms. A year of
/// two digits is the one within 50 years of `now`. Nothing when it is none of them or no date of the calendar.
std::optional<std::chrono::system_clock::time_point> parse_http_date(
    std::string_view text, std::chrono::system_clock::time_point now = std::chrono::system_clock::now());

}  // namespace optimux::base

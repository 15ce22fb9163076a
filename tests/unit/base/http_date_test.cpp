#include "base/http_date.hpp"

#include <gtest/gtest.h>

namespace optimux::base {
namespace {

using std::chrono::seconds;
using std::chrono::system_clock;

const system_clock::time_point kSample(seconds(784111777));  // The example of RFC 9110.

TEST(HttpDate, WritesImfFixdate) {
  EXPECT_EQ(format_http_date(kSample), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(format_http_date(kSample + std::chrono::milliseconds(999)), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(format_http_date(system_clock::time_point()), "Thu, 01 Jan 1970 00:00:00 GMT");
}

TEST(HttpDate, ReadsAllThreeForms) {
  EXPECT_EQ(parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT"), kSample);
  EXPECT_EQ(parse_http_date("Sunday, 06-Nov-94 08:49:37 GMT"), kSample);
  EXPECT_EQ(parse_http_date("Sun Nov  6 08:49:37 1994"), kSample);
}

TEST(HttpDate, ReadsBackWhatItWrites) {
  for (const long second : {0L, 951782400L, 1709164799L, 4102444800L}) {
    const system_clock::time_point time{seconds(second)};
    EXPECT_EQ(parse_http_date(format_http_date(time)), time);
  }
}

TEST(HttpDate, ShortYearsAreNearNow) {
  const auto now = parse_http_date("Wed, 01 Jul 2026 00:00:00 GMT").value();
  const auto year_of = [now](const char* text) {
    return static_cast<int>(
        std::chrono::year_month_day(std::chrono::floor<std::chrono::days>(parse_http_date(text, now).value())).year());
  };
  EXPECT_EQ(year_of("Friday, 01-Jan-76 00:00:00 GMT"), 2076);
  EXPECT_EQ(year_of("Saturday, 01-Jan-77 00:00:00 GMT"), 1977);
}

TEST(HttpDate, RefusesWhatIsNoDate) {
  for (const auto* const bad :
       {"", "now", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 CET", "Xyz, 06 Nov 1994 08:49:37 GMT",
        "Sun, 31 Feb 1994 08:49:37 GMT", "Sun, 06 Nov 94 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT",
        "Sun, 06 Nov 1994 8:49:37 GMT", "Sun, -6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT",
        "Sunday, 06-Nov-1994 08:49:37 GMT", "Sun Nov 6 08:49:37 94", "Sun, 06 nov 1994 08:49:37 GMT"}) {
    EXPECT_FALSE(parse_http_date(bad)) << bad;
  }
}

}  // namespace
}  // namespace optimux::base

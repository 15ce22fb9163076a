#include "base/http_date.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"

namespace optimux::base {
namespace {

using std::chrono::days;
using std::chrono::floor;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using std::chrono::system_clock;
using std::chrono::year_month_day;

constexpr std::array<std::string_view, 7> kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
constexpr std::array<std::string_view, 7> kLongDays = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                                       "Thursday", "Friday", "Saturday"};
constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

std::optional<unsigned> month_number(std::string_view name) {
  const auto* const found = std::find(kMonths.begin(), kMonths.end(), name);
  if (found == kMonths.end()) return std::nullopt;
  return static_cast<unsigned>(found - kMonths.begin()) + 1;
}

std::optional<int> digits(std::string_view text, std::size_t count) {
  return text.size() == count ? parse_number<int>(text) : std::nullopt;
}

/// `08:49:37`; 60 seconds is a leap second, which counts as 59.
std::optional<seconds> parse_clock(std::string_view text) {
  const auto parts = split(text, ':');
  if (parts.size() != 3) return std::nullopt;
  const auto hour = digits(parts[0], 2);
  const auto minute = digits(parts[1], 2);
  const auto second = digits(parts[2], 2);
  if (!hour || !minute || !second || *hour > 23 || *minute > 59 || *second > 60) return std::nullopt;
  return hours(*hour) + minutes(*minute) + seconds(std::min(*second, 59));
}

std::optional<system_clock::time_point> compose(std::optional<int> year, std::optional<unsigned> month,
                                                std::optional<int> day, std::optional<seconds> clock) {
  if (!year || !month || !day || !clock || *day < 0) return std::nullopt;
  const year_month_day date(std::chrono::year(*year), std::chrono::month(*month),
                            std::chrono::day(static_cast<unsigned>(*day)));
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days(date) + *clock;
}

/// RFC 9110: a date that appears to be more than 50 years in the future is the most recent past year with those digits.
std::optional<int> full_year(std::optional<int> short_year, system_clock::time_point now) {
  if (!short_year) return std::nullopt;
  const int this_year = static_cast<int>(year_month_day(floor<days>(now)).year());
  const int year = this_year / 100 * 100 + *short_year;
  return year > this_year + 50 ? year - 100 : year;
}

/// `count` digits of `number` from `begin` on. Answers carry two or three dates: a formatter would cost a tenth of
/// them.
void put_digits(std::string& text, std::size_t begin, std::size_t count, unsigned number) {
  for (std::size_t i = begin + count; i-- > begin; number /= 10) text[i] = static_cast<char>('0' + number % 10);
}

bool is_any_of(std::string_view word, const std::array<std::string_view, 7>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace

std::string format_http_date(system_clock::time_point time) {
  const auto whole = floor<seconds>(time);
  const auto day = floor<days>(whole);
  const year_month_day date(day);
  const std::chrono::hh_mm_ss clock(whole - day);
  std::string text = "Sun, 06 Nov 1994 08:49:37 GMT";
  text.replace(0, 3, kDays[std::chrono::weekday(day).c_encoding()]);
  put_digits(text, 5, 2, static_cast<unsigned>(date.day()));
  text.replace(8, 3, kMonths[static_cast<unsigned>(date.month()) - 1]);
  put_digits(text, 12, 4, static_cast<unsigned>(static_cast<int>(date.year())));  // The clock ends in 2262.
  put_digits(text, 17, 2, static_cast<unsigned>(clock.hours().count()));
  put_digits(text, 20, 2, static_cast<unsigned>(clock.minutes().count()));
  put_digits(text, 23, 2, static_cast<unsigned>(clock.seconds().count()));
  return text;
}

std::optional<system_clock::time_point> parse_http_date(std::string_view text, system_clock::time_point now) {
  std::vector<std::string_view> words;
  for (const std::string_view word : split(trim(text), ' ')) {
    if (!word.empty()) words.push_back(word);
  }
  if (words.size() == 6 && words[0].ends_with(',') && is_any_of(words[0].substr(0, words[0].size() - 1), kDays) &&
      words[5] == "GMT") {
    return compose(digits(words[3], 4), month_number(words[2]), digits(words[1], 2), parse_clock(words[4]));
  }
  if (words.size() == 4 && words[0].ends_with(',') && is_any_of(words[0].substr(0, words[0].size() - 1), kLongDays) &&
      words[3] == "GMT") {
    const auto date = split(words[1], '-');
    if (date.size() != 3) return std::nullopt;
    return compose(full_year(digits(date[2], 2), now), month_number(date[1]), digits(date[0], 2),
                   parse_clock(words[2]));
  }
  if (words.size() == 5 && is_any_of(words[0], kDays)) {
    return compose(digits(words[4], 4), month_number(words[1]), digits(words[2], words[2].size() == 1 ? 1 : 2),
                   parse_clock(words[3]));
  }
  return std::nullopt;
}

}  // namespace optimux::base

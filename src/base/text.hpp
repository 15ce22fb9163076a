#pragma once

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace optimux::base {

/// Text without leading and trailing blanks and tabs. Points into `text`.
std::string_view trim(std::string_view text);

/// Equal but for the case of ASCII letters; other bytes must be the same.
bool equals_ignoring_case(std::string_view left, std::string_view right);

/// ASCII letters in lower case; other bytes stay.
std::string to_lower(std::string_view text);

/// The pieces of `text` between separators, empty ones included: `"a,,b"` gives three, `""` gives one empty piece. The
/// views point into `text`.
std::vector<std::string_view> split(std::string_view text, char separator);

/// Decodes `%XX` once (RFC 3986, section 2.1); `plus_is_space` is for query strings
/// (application/x-www-form-urlencoded). Nothing when a `%` is not followed by two hexadecimal digits. The result may
/// hold any byte, NUL included.
std::optional<std::string> percent_decode(std::string_view text, bool plus_is_space = false);

/// Encodes all but the unreserved characters of RFC 3986 section 2.3 and those in `keep`.
std::string percent_encode(std::string_view text, std::string_view keep = "");

/// A JSON string literal for `text`, quotes included. Characters that cannot be seen but change how a line reads are
/// escaped, those beyond ASCII too: controls, line and paragraph separators, marks of direction and other format
/// characters (Unicode's categories Cc, Cf, Zl and Zp). Bytes that are not valid UTF-8 become an escaped U+FFFD.
std::string json_quote(std::string_view text);
/// The same behind what `out` has already.
void append_json_quoted(std::string& out, std::string_view text);

/// `text` for a message on a terminal: the escapes of `json_quote`, but no quotes, and quotes and backslashes stay.
std::string printable(std::string_view text);

/// Lower-case hexadecimal digits of `bytes`.
std::string hex(std::string_view bytes);

/// Base64 of RFC 4648 section 4, padded.
std::string base64_encode(std::string_view bytes);

/// The whole of `text` as a decimal number of type T (an integer, or `double`). Nothing when something is left over,
/// when it does not fit, and for blanks, a plus sign, `inf` or `nan`.
template <class T>
std::optional<T> parse_number(std::string_view text) {
  T value{};
  if (text.empty() || (text[0] != '-' && text[0] != '.' && (text[0] < '0' || text[0] > '9'))) return std::nullopt;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value != value) return std::nullopt;
  if constexpr (std::is_floating_point_v<T>) {
    if (value - value != T{}) return std::nullopt;
  }
  return value;
}

}  // namespace optimux::base

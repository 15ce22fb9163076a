#include "base/text.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace optimux::base {
namespace {

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool is_unreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
         c == '_' || c == '~';
}

constexpr std::string_view kHexDigits = "0123456789abcdef";

// Length of the valid UTF-8 sequence at the start of `text` (RFC 3629), 0 when there is none.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const auto continues = [&](std::size_t i) { return i < text.size() && (byte(i) & 0xC0) == 0x80; };
  const std::uint8_t first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return continues(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    if (!continues(1) || !continues(2)) return 0;
    if (first == 0xE0 && byte(1) < 0xA0) return 0;
    if (first == 0xED && byte(1) > 0x9F) return 0;
    return 3;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    if (!continues(1) || !continues(2) || !continues(3)) return 0;
    if (first == 0xF0 && byte(1) < 0x90) return 0;
    if (first == 0xF4 && byte(1) > 0x8F) return 0;
    return 4;
  }
  return 0;
}

void append_unicode_escape(std::string& out, std::uint32_t unit) {
  out += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) out += kHexDigits[unit >> shift & 15];
}

// The code point of one valid UTF-8 sequence.
char32_t code_point_of(std::string_view sequence) {
  const auto first = static_cast<std::uint8_t>(sequence[0]);
  if (sequence.size() == 1) return first;
  char32_t point = first & (0xFFu >> (sequence.size() + 1));
  for (const char c : sequence.substr(1)) point = point << 6 | (static_cast<std::uint8_t>(c) & 0x3Fu);
  return point;
}

struct CodePoints {
  char32_t first;
  char32_t last;
};

// Unicode 15: the general categories Cc, Cf, Zl and Zp from U+007F on, and the tags as one block, assigned or not.
constexpr CodePoints kInvisible[] = {
    {0x7F, 0x9F},       {0xAD, 0xAD},       {0x600, 0x605},     {0x61C, 0x61C},     {0x6DD, 0x6DD},
    {0x70F, 0x70F},     {0x890, 0x891},     {0x8E2, 0x8E2},     {0x180E, 0x180E},   {0x200B, 0x200F},
    {0x2028, 0x202E},   {0x2060, 0x206F},   {0xFEFF, 0xFEFF},   {0xFFF9, 0xFFFB},   {0x110BD, 0x110BD},
    {0x110CD, 0x110CD}, {0x13430, 0x1343F}, {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A}, {0xE0000, 0xE007F},
};

bool is_invisible(char32_t point) {
  if (point < 0x7F) return point < 0x20;
  return std::ranges::any_of(kInvisible,
                             [point](const CodePoints& range) { return point >= range.first && point <= range.last; });
}

void append_json_escape(std::string& out, char32_t point) {
  switch (point) {
    case U'\n': out += "\\n"; return;
    case U'\r': out += "\\r"; return;
    case U'\t': out += "\\t"; return;
    default: break;
  }
  if (point < 0x10000) return append_unicode_escape(out, point);
  append_unicode_escape(out, 0xD800 + ((point - 0x10000) >> 10));
  append_unicode_escape(out, 0xDC00 + ((point - 0x10000) & 0x3FF));
}

// Bytes at the start of `text` that stay as they are wherever it is going.
std::size_t plain_length(std::string_view text) {
  std::size_t length = 0;
  while (length < text.size() && text[length] >= 0x20 && text[length] < 0x7F && text[length] != '"' &&
         text[length] != '\\') {
    ++length;
  }
  return length;
}

// `after_backslash`: visible ASCII characters that have a meaning of their own where the text is going.
void append_escaped(std::string& out, std::string_view text, std::string_view after_backslash) {
  constexpr char32_t kReplacement = 0xFFFD;
  while (!text.empty()) {
    const std::size_t plain = plain_length(text);
    out += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) return;
    const std::size_t length = utf8_length(text);
    const std::string_view sequence = text.substr(0, std::max<std::size_t>(length, 1));
    const char32_t point = length == 0 ? kReplacement : code_point_of(sequence);
    if (length == 0 || is_invisible(point)) {
      append_json_escape(out, point);
    } else {
      if (after_backslash.find(sequence) != std::string_view::npos) out += '\\';
      out += sequence;
    }
    text.remove_prefix(sequence.size());
  }
}

}  // namespace

std::string_view trim(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

bool equals_ignoring_case(std::string_view left, std::string_view right) {
  return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                    [](char a, char b) { return lower(a) == lower(b); });
}

std::string to_lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), lower);
  return out;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> pieces;
  for (std::size_t begin = 0;;) {
    const auto end = text.find(separator, begin);
    pieces.push_back(text.substr(begin, end == std::string_view::npos ? end : end - begin));
    if (end == std::string_view::npos) return pieces;
    begin = end + 1;
  }
}

std::optional<std::string> percent_decode(std::string_view text, bool plus_is_space) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += plus_is_space && text[i] == '+' ? ' ' : text[i];
      continue;
    }
    if (i + 2 >= text.size()) return std::nullopt;
    const int high = hex_value(text[i + 1]);
    const int low = hex_value(text[i + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return out;
}

std::string percent_encode(std::string_view text, std::string_view keep) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (is_unreserved(c) || keep.find(c) != std::string_view::npos) {
      out += c;
      continue;
    }
    constexpr std::string_view kUpper = "0123456789ABCDEF";
    out += '%';
    out += kUpper[static_cast<std::uint8_t>(c) >> 4];
    out += kUpper[static_cast<std::uint8_t>(c) & 15];
  }
  return out;
}

std::string json_quote(std::string_view text) {
  std::string out;
  append_json_quoted(out, text);
  return out;
}

void append_json_quoted(std::string& out, std::string_view text) {
  out += '"';
  append_escaped(out, text, "\"\\");
  out += '"';
}

std::string printable(std::string_view text) {
  std::string out;
  append_escaped(out, text, "");
  return out;
}

std::string hex(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size() * 2);
  for (const char c : bytes) {
    out += kHexDigits[static_cast<std::uint8_t>(c) >> 4];
    out += kHexDigits[static_cast<std::uint8_t>(c) & 15];
  }
  return out;
}

std::string base64_encode(std::string_view bytes) {
  constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      group = group << 8 | (k < count ? static_cast<std::uint8_t>(bytes[i + k]) : 0u);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      out += k <= count ? kAlphabet[group >> (18 - 6 * k) & 63] : '=';
    }
  }
  return out;
}

}  // namespace optimux::base

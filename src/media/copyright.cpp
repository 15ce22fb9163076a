#include "media/copyright.hpp"

#include <glib.h>

#include <algorithm>
#include <array>
#include <span>

#include "media/byte_cursor.hpp"

namespace optimux::media {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::size_t kMostBytes = 2000;

/// What lies between the first `begin` and the next `end`; empty when one of them is missing.
std::string_view between(std::string_view text, std::string_view begin, std::string_view end) {
  const std::size_t from = text.find(begin);
  if (from == std::string_view::npos) return {};
  text.remove_prefix(from + begin.size());
  const std::size_t to = text.find(end);
  return to == std::string_view::npos ? std::string_view() : text.substr(0, to);
}

bool is_utf8(std::string_view text) {
  return g_utf8_validate(text.data(), static_cast<gssize>(text.size()), nullptr) != FALSE;
}

// References other than these would need a document type.
bool is_reference(std::string_view text) {
  constexpr std::array kKnown = {"&amp;"sv, "&lt;"sv, "&gt;"sv, "&quot;"sv, "&apos;"sv, "&#"sv};
  return std::any_of(kKnown.begin(), kKnown.end(), [text](std::string_view known) { return text.starts_with(known); });
}

bool is_plain_text(std::string_view xml) {
  for (std::size_t i = 0; i < xml.size(); ++i) {
    const auto byte = static_cast<unsigned char>(xml[i]);
    if (byte < ' ' && byte != '\t' && byte != '\n' && byte != '\r') return false;
    if (byte == '<' || (byte == '&' && !is_reference(xml.substr(i)))) return false;
  }
  return is_utf8(xml);
}

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

// Adobe Photoshop File Formats, "Image resource blocks": signature, number, a name and data that are padded to two.
std::string_view iptc_of_photoshop(std::string_view resources) {
  constexpr unsigned kIptc = 0x0404;
  ByteCursor cursor(bytes_of(resources));
  while (cursor.text(4) == "8BIM") {
    const unsigned number = cursor.u16be();
    const std::size_t name = cursor.u8();
    cursor.skip(name + (name + 1) % 2);
    const std::size_t size = cursor.u32be();
    const std::string_view data = cursor.text(size);
    if (cursor.has_failed()) break;
    if (number == kIptc) return data;
    cursor.skip(size % 2);
  }
  return {};
}

// Records are in UTF-8 if they say so, and many that say nothing are; the rest is taken for Latin-1.
std::string escaped(std::string_view text) {
  const bool is_unicode = is_utf8(text);
  std::string xml;
  for (const char character : text) {
    const auto byte = static_cast<unsigned char>(character);
    if (character == '&')
      xml += "&amp;";
    else if (character == '<')
      xml += "&lt;";
    else if (character == '>')
      xml += "&gt;";
    else if (byte >= 0x80 && !is_unicode)
      xml.append({static_cast<char>(0xc0U | byte >> 6U), static_cast<char>(0x80U | (byte & 0x3fU))});
    else if (byte >= ' ')
      xml += character;
  }
  return xml;
}

}  // namespace

std::string rights_of_xmp(std::string_view xmp) {
  const std::string_view item = between(between(xmp, "<dc:rights>", "</dc:rights>"), "<rdf:li", "</rdf:li>");
  const std::size_t tag_end = item.find('>');
  if (tag_end == std::string_view::npos) return {};
  const std::string_view text = item.substr(tag_end + 1);
  return text.size() <= kMostBytes && is_plain_text(text) ? std::string(text) : std::string();
}

// IPTC Information Interchange Model 4.2, section 1.5: marker, record, dataset, length.
std::string rights_of_iptc(std::string_view iptc) {
  constexpr auto kPhotoshop = "Photoshop 3.0\0"sv;
  if (iptc.starts_with(kPhotoshop)) iptc = iptc_of_photoshop(iptc.substr(kPhotoshop.size()));
  ByteCursor cursor(bytes_of(iptc));
  while (cursor.remaining() > 0 && cursor.u8() == 0x1c) {
    const unsigned dataset = cursor.u16be();
    const std::string_view value = cursor.text(cursor.u16be());
    if (cursor.has_failed()) break;
    constexpr unsigned kCopyrightNotice = 2U << 8U | 116U;
    if (dataset == kCopyrightNotice) return value.size() <= kMostBytes ? escaped(value) : std::string();
  }
  return {};
}

std::string xmp_with_rights(std::string_view rights) {
  std::string packet =
      "<?xpacket begin=\"\xef\xbb\xbf\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?>"
      "<x:xmpmeta xmlns:x=\"adobe:ns:meta/\">"
      "<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\">"
      "<rdf:Description rdf:about=\"\" xmlns:dc=\"http://purl.org/dc/elements/1.1/\">"
      "<dc:rights><rdf:Alt><rdf:li xml:lang=\"x-default\">";
  packet += rights;
  packet += "</rdf:li></rdf:Alt></dc:rights></rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end=\"w\"?>";
  return packet;
}

}  // namespace optimux::media

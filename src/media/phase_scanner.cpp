#include "media/phase_scanner.hpp"

#include "media/gif_phases.hpp"
#include "media/heif_phases.hpp"
#include "media/jpeg_phases.hpp"
#include "media/png_phases.hpp"
#include "media/webp_phases.hpp"

namespace optimux::media {
namespace {

FeedReader find_nothing() {
  co_return;
}

FeedReader find_phases(Format format, ByteFeed& in, PhaseFindings& found) {
  switch (format) {
    case Format::kJpeg: return find_jpeg_phases(in, found);
    case Format::kPng: return find_png_phases(in, found);
    case Format::kWebp: return find_webp_phases(in, found);
    case Format::kGif: return find_gif_phases(in, found);
    case Format::kAvif:
    case Format::kHeic: return find_heif_phases(in, found);
    case Format::kTiff: break;
  }
  return find_nothing();
}

}  // namespace

PhaseScanner::PhaseScanner(Format format) : reader_(find_phases(format, feed_, findings_)) {}

std::span<const PhaseEnd> PhaseScanner::feed(std::span<const std::byte> bytes) {
  const std::size_t known = findings_.ends.size();
  feed_.feed(bytes);
  return std::span(findings_.ends).subspan(known);
}

}  // namespace optimux::media

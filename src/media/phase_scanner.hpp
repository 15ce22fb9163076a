#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/phase.hpp"
#include "media/byte_feed.hpp"
#include "media/render_spec.hpp"

namespace optimux::media {

/// Where a phase of an encoded picture ends, and with what.
struct PhaseEnd {
  base::Phase phase = base::Phase::kHead;
  std::uint64_t offset = 0;  ///< Behind its last byte.
  std::string_view part;     ///< What ends there, as in `scan`; points to a literal.
  int number = 0;            ///< Which one, from 1; 0 when there is one only.

  friend bool operator==(const PhaseEnd&, const PhaseEnd&) = default;
};

/// One scan of a progressive JPEG (ITU-T T.81, section G.1).
struct JpegScan {
  unsigned components = 0;        ///< A bit for each component of the frame, the lowest for its first.
  int first_coefficient = 0;      ///< In zigzag order; 0 is the mean of a block.
  int last_coefficient = 0;       ///< Up to 63.
  std::optional<int> bit_before;  ///< The lowest bit that was known before a scan that refines; unset for others.
  int bit = 0;                    ///< The lowest bit of the coefficients that is known after it.
  std::uint64_t end = 0;          ///< Behind the header of the next scan or behind the end-of-image marker.
};

/// What a scanner has found so far.
struct PhaseFindings {
  std::vector<PhaseEnd> ends;   ///< In the order of phases, offsets rising; none of kFull.
  std::vector<JpegScan> scans;  ///< Those of a progressive JPEG that have ended, 256 at most.
};

/// Finds where the phases of an encoded picture end while its bytes come, by its structure and never by fixed shares.
/// What is shown when, by format:
///   - JPEG, progressive: head with the header of the first scan; first with the scan after which all components show
///     their means; good with the scan after which no coefficient lacks more than its last bit. Each ends behind the
///     header of the scan that follows, without which decoders do not know that they have the last row of blocks.
///   - PNG, interlaced: head where the pixels begin; first after pass 3, with every fourth pixel in both directions;
///     good after pass 5, with every second one.
///   - GIF and WebP, animated: head with the header; first and good with the first frame.
///   - All others show nothing of the whole before their end, so that all three end with the header: JPEG at the header
///     of its first scan, PNG where the pixels begin, WebP after 30 bytes, GIF at the header of its first frame, AVIF
///     and HEIC with their `meta` box.
/// TIFF has no phases. A header ends where decoders tell the size, not where it stands: libjpeg and libpng read on to
/// the first pixels.
///
/// Any bytes may come, in pieces of any size: damage ends the scanner, and no end lies beyond what was fed. Takes one
/// pass over the bytes up to the last end, and of a progressive JPEG to its end. Not thread-safe.
class PhaseScanner {
 public:
  explicit PhaseScanner(Format format);

  /// The next bytes. Returns the ends that they have brought, which lie within them but for the first at offset 0;
  /// valid until the next call.
  std::span<const PhaseEnd> feed(std::span<const std::byte> bytes);
  /// Whether there is nothing more to be found: the last end was, or the bytes are not understood.
  bool is_done() const { return reader_.is_done(); }
  const PhaseFindings& findings() const { return findings_; }

 private:
  ByteFeed feed_;
  PhaseFindings findings_;
  FeedReader reader_;  ///< Reads the feed and fills in the findings.
};

}  // namespace optimux::media

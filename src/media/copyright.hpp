#pragma once

#include <string>
#include <string_view>

// Copyright that stands outside of EXIF, for the sources of this layer only. Everything is pure.

namespace optimux::media {

/// The text of `dc:rights` (XMP specification, part 1, section 8.3) in its first language, as it stands in the XML;
/// empty when there is none, or it is longer than 2,000 bytes, or has more in it than text.
std::string rights_of_xmp(std::string_view xmp);

/// The copyright notice (IPTC Information Interchange Model 4.2, dataset 2:116) of IPTC records, bare or in Photoshop's
/// resources, as UTF-8 that is escaped for XML; empty when there is none.
std::string rights_of_iptc(std::string_view iptc);

/// An XMP packet that says `rights`, which is text as it stands in XML, and nothing else.
std::string xmp_with_rights(std::string_view rights);

}  // namespace optimux::media

#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "media/heif_boxes.hpp"

// For the sources of this layer only.

namespace optimux::media::heif {

/// Checks the data of all items that make pixels (AV1, HEVC, grids and overlays of other items) against the sizes that
/// the file gives them, by which the limits go: decoders make what the data say. `file` are all bytes, `meta` the boxes
/// of its meta box, `properties` those of `ipco`, `indices` what `ipma` says. kBrokenMedia for data that are larger, or
/// not in the file, for an HEVC item of several pictures, and for a grid or overlay of what is not coded itself or has
/// far more pixels; kLimitExceeded for an overlay of more than 64 parts, and for a grid of more than 64 beside those of
/// 256 x 256 pixels that it has room for, or of more than 1,024. Pure.
base::Status check_item_data(std::span<const std::byte> file, const std::vector<Box>& meta,
                             const std::vector<Box>& properties, const ItemProperties& indices);

}  // namespace optimux::media::heif

#pragma once

#include <vips/vips.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/shared_body.hpp"
#include "media/executor.hpp"
#include "media/phase_scanner.hpp"
#include "media/vips_handle.hpp"

// Pictures made in the test, and what the tests ask of renditions.

namespace optimux::media::test {

/// A picture of `width` x `height` whose red grows to the right, whose green grows downwards and whose blue is the
/// product: every turn and every cut of it looks different.
ImageHandle gradient(int width, int height);

/// As `gradient`, with alpha that grows from the top left to the bottom right.
ImageHandle gradient_with_alpha(int width, int height);

/// Frames below each other, each of another plain colour, with delays of 50, 60, 70... ms and a loop count of 3.
ImageHandle animation(int width, int height, int frames);

/// A picture with coarse and fine structure in all channels, as a photograph has.
ImageHandle textured(int width, int height);

/// The file that libvips' saver for `suffix`, with options in square brackets, makes of an image; as in
/// `.jpg[Q=95,interlace]`.
SourceBuffer save(VipsImage* image, const std::string& suffix);

/// Bytes as a source.
SourceBuffer source_of(std::string_view bytes);
std::string_view text_of(const SourceBuffer& source);

/// All pages of an encoded picture as libvips reads it, in memory; fails the test when it cannot.
ImageHandle read_back(std::string_view bytes, Format format);

/// The value of one band of a pixel.
double pixel(VipsImage* image, int x, int y, int band);

/// Mean of the absolute differences of all bands of two pictures of the same size and number of bands.
double mean_difference(VipsImage* left, VipsImage* right);

/// What a scanner finds in bytes that come in pieces of `step`.
PhaseFindings find_phases(std::string_view bytes, Format format, std::size_t step = SIZE_MAX);

/// The end of a phase as found, with `part`; the first of those that end there for phases that have none of their own.
PhaseEnd end_of(base::Phase phase, const PhaseFindings& found);

/// All bytes of a body.
std::string bytes_of(base::SharedBody& body);

/// An executor with the default limits, unless others are given, that lives as long as the process.
Executor& executor();

struct Rendered {
  base::Result<RenderReport> report = RenderReport{};
  std::vector<std::shared_ptr<base::SharedBody>> bodies;

  std::string bytes(std::size_t index = 0) const { return bytes_of(*bodies[index]); }
  base::BodyHead head(std::size_t index = 0) const { return bodies[index]->head().value_or(base::BodyHead{}); }
  ImageHandle image(std::size_t index = 0) const { return read_back(bytes(index), report->format); }
};

/// Renders all sizes of a spec into fresh bodies.
Rendered render(const SourceBuffer& source, const RenderSpec& spec, const OperationControl& control = {},
                Executor& with = executor());

}  // namespace optimux::media::test

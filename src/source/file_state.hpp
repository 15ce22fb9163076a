#pragma once

#include "source/source.hpp"

struct stat;

namespace optimux::source {

/// What the file system says of a file, as an origin would: its modification time, and a tag made of its size, its
/// modification time and its inode.
SourceFacts facts_of_file(const struct stat& status);

/// Whether nobody has written to an open file between the two looks at it.
bool is_same_file_state(const struct stat& before, const struct stat& after);

}  // namespace optimux::source

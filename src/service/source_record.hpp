#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "source/source.hpp"

namespace optimux::service {

/// What is kept of a source beside its bytes, as the metadata of a blob.
std::string encode_source_facts(const source::SourceFacts& facts);

/// Reads it; nothing if it was not written by `encode_source_facts`, or by another version of it.
std::optional<source::SourceFacts> decode_source_facts(std::string_view metadata);

}  // namespace optimux::service

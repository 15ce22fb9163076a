#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "service/rendition.hpp"

namespace optimux::service {

/// How a finished rendition is written down beside its bytes: everything that its answer needs (tag, validators of its
/// source, type, size, where its phases end), and the generation of the encoders that made it. Key, bytes and time are
/// kept by whoever keeps the record. A few hundred bytes, not text (CBOR, RFC 8949).
std::string encode_record(const Rendition& rendition);

/// The finished rendition that `metadata` describes, with a copy of `bytes`; null if it is no such record, or one of
/// another generation, whose bytes and tags would not be those that are made now.
std::shared_ptr<Rendition> decode_record(const std::string& key, std::string_view metadata,
                                         std::span<const std::byte> bytes,
                                         std::chrono::system_clock::time_point validated_at);

/// Completes `to`, which nobody has started, with everything of the finished `from`: its bytes are copied.
void copy_rendition(const Rendition& from, Rendition& to);

}  // namespace optimux::service

#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "base/byte_buffer.hpp"
#include "service/rendition.hpp"

namespace optimux::service {

/// How a finished rendition is written down beside its bytes: everything that its answer needs (tag, validators of its
/// source, type, size, where its phases end), and the generation of the encoders that made it. Key, bytes and time are
/// kept by whoever keeps the record. A few hundred bytes, not text (CBOR, RFC 8949).
std::string encode_record(const Rendition& rendition);

/// The finished rendition that `metadata` describes, with `bytes`, which it shares from then on if they fill their
/// memory; null if it is no such record, or one of another generation, whose bytes and tags would not be those that are
/// made now.
std::shared_ptr<Rendition> decode_record(const std::string& key, std::string_view metadata,
                                         std::shared_ptr<const base::ByteBuffer> bytes,
                                         std::chrono::system_clock::time_point validated_at);

/// Completes `to`, which nobody has started, with everything of the finished `from`, whose bytes both share from then
/// on.
void copy_rendition(const Rendition& from, Rendition& to);

}  // namespace optimux::service

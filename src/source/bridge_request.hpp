#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "source/content_range.hpp"

namespace optimux::source {

/// What one connection of a `RangeBridge` asks for.
struct BridgeRequest {
  bool is_head = false;        ///< The head of the answer alone.
  bool is_persistent = false;  ///< More requests may follow on the connection.
  bool is_part = false;        ///< A range was given.
  ByteRange range = {};        ///< What is asked for, within the file; `count` is 0 for the whole of an empty one.
};

/// Reads the head of a request, blank line included, as a proxy that serves one URL with `size` bytes behind it.
/// `authorization` is the one value of `Proxy-Authorization` that is let in. Pure. Errors are the status to refuse
/// with, and are looked for in this order: 400 for what is no request; 407 without the authorization; 405 for methods
/// other than GET and HEAD; 403 for other URLs; 400 for bodies and for ranges that are not a single one of bytes; 416
/// for one of which the file has none.
tl::expected<BridgeRequest, int> read_bridge_request(std::string_view head, std::string_view authorization,
                                                     std::uint64_t size);

/// The head of the answer to `request`; `size` as above.
std::string bridge_answer_head(const BridgeRequest& request, std::uint64_t size);

/// A whole answer that refuses with `status`; `size` as above.
std::string bridge_refusal(int status, std::uint64_t size);

}  // namespace optimux::source

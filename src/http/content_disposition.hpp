#pragma once

#include <string>
#include <string_view>

namespace optimux::http {

/// The value of `Content-Disposition` that makes a browser save the answer as `file_name` (RFC 6266): an ASCII
/// `filename` for old clients, and `filename*` (RFC 8187) when the name has more than ASCII. Control characters are
/// dropped and slashes become `_`, so that neither a header nor a path can be made of it; the name is cut at 200 bytes.
/// Bytes that are not UTF-8 become `_`. An empty name gives `attachment` alone.
std::string attachment(std::string_view file_name);

}  // namespace optimux::http

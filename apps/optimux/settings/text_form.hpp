#pragma once

#include <string_view>

namespace optimux::apps {

/// The patterns that texts of the option table follow. They look at the text alone: whether a name resolves or an
/// address can be bound is found out by whoever uses it.

/// `HOST:PORT`, `[V6]:PORT`, `PORT`, `:PORT` or `unix:PATH`; the port is 0 to 65535.
bool is_listen_address(std::string_view text);
/// As `is_listen_address`, or empty.
bool is_optional_listen_address(std::string_view text);
/// What can be allowed as a source: an address, a network in CIDR notation, or a host name.
bool is_network_or_host(std::string_view text);
/// `http://HOST` or `https://HOST`, with or without a port, or `*`.
bool is_web_origin(std::string_view text);
/// Empty, or a key prefix that ends with a slash and has no component `.` or `..`.
bool is_key_prefix(std::string_view text);
/// `s3://BUCKET` or `s3://BUCKET/PREFIX`.
bool is_object_place(std::string_view text);
/// As `is_object_place`, or empty.
bool is_optional_object_place(std::string_view text);
/// Empty, or `http://HOST` or `https://HOST`, with or without a port.
bool is_object_store_endpoint(std::string_view text);
/// Empty, or the name of a region.
bool is_optional_region(std::string_view text);
/// Three or four octal digits, at most 0777.
bool is_file_mode(std::string_view text);

/// An address, a network in CIDR notation, or `unix`.
bool is_trusted_proxy(std::string_view text);
/// A host name, `*.NAME`, or an address.
bool is_source_host(std::string_view text);
/// The beginning of an http, https, file:/// or s3:// URL, without a query.
bool is_source_prefix(std::string_view text);
/// A key of signed URLs: 32 to 512 hexadecimal digits, an even number of them; or `@FILE`.
bool is_signing_key(std::string_view text);

/// Whether a listening address can be reached from this machine alone.
bool is_local_only(std::string_view listen_address);

}  // namespace optimux::apps

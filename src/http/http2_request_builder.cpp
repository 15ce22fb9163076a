#include "http/http2_request_builder.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "base/text.hpp"

namespace optimux::http {
namespace {

using base::ErrorCode;

/// What a field costs beside its characters (RFC 9113, section 10.5.1).
constexpr std::size_t kFieldOverhead = 32;

}  // namespace

void Http2RequestBuilder::add_field(std::string_view name, std::string_view value) {
  if (refusal_) return;
  header_bytes_ += name.size() + value.size() + kFieldOverhead;
  if (name.starts_with(':')) {
    add_pseudo_field(name, value);
  } else if (name == "cookie") {
    // Browsers send a field for each of them (RFC 9113, section 8.2.3), more than there may be fields, and nobody asks.
  } else if (request_.headers.size() >= limits_.max_header_fields) {
    refuse({ErrorCode::kHeadersTooLarge,
            "the request has more fields than max_header_fields (" + std::to_string(limits_.max_header_fields) + ")",
            {}});
  } else {
    request_.headers.add(name, base::trim(value));
  }
  if (header_bytes_ > limits_.max_header_bytes) {
    refuse(
        {ErrorCode::kHeadersTooLarge, too_long("the request head", "max_header_bytes", limits_.max_header_bytes), {}});
  }
}

void Http2RequestBuilder::add_pseudo_field(std::string_view name, std::string_view value) {
  if (name == ":method") {
    request_.method = value;
  } else if (name == ":authority") {
    authority_ = std::string(value);
  } else if (name == ":path") {
    if (value.size() > limits_.max_uri_bytes) {
      refuse({ErrorCode::kUriTooLong, too_long("the URL", "max_uri_bytes", limits_.max_uri_bytes), {}});
    }
    request_.target = value;
  }
}

void Http2RequestBuilder::finish_head() {
  has_head_ = true;
  if (refusal_) return;
  if (!is_supported_target(request_.method, request_.target)) {
    refuse({ErrorCode::kMalformedRequest, ":path: the request target is not a path", {}});
    return;
  }
  check_authority();
  const auto length = base::parse_number<std::uint64_t>(request_.headers.find("content-length").value_or("0"));
  if (!refusal_ && length && *length > limits_.max_body_bytes) {
    refuse({ErrorCode::kBodyTooLarge, too_long("the request body", "max_body_bytes", limits_.max_body_bytes), {}});
  }
}

/// RFC 9113, section 8.3.1: where both are there they have to agree, and from here on `Host` says it.
void Http2RequestBuilder::check_authority() {
  const auto host = request_.headers.find("host");
  const auto hosts = std::count_if(request_.headers.begin(), request_.headers.end(),
                                   [](const HeaderField& field) { return field.name == "host"; });
  const bool agree = !authority_ || !host || base::equals_ignoring_case(*authority_, *host);
  if (hosts > 1 || !agree) {
    refuse({ErrorCode::kMalformedRequest, "Host: a request has one, and :authority is the same", {}});
  } else if (!is_host_value(authority_ ? std::string_view(*authority_) : host.value_or(""))) {
    refuse({ErrorCode::kMalformedRequest, ":authority: not a host", {}});
  } else if (authority_) {
    request_.headers.set("host", *authority_);
  }
}

void Http2RequestBuilder::add_body(std::span<const std::byte> bytes) {
  if (refusal_) return;
  body_bytes_ += bytes.size();
  if (body_bytes_ > limits_.max_body_bytes) {
    refuse({ErrorCode::kBodyTooLarge, too_long("the request body", "max_body_bytes", limits_.max_body_bytes), {}});
  } else if (has_use_for_body(request_.method)) {
    request_.body.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
}

void Http2RequestBuilder::refuse(base::Error reason) {
  if (refusal_) return;
  refusal_ = std::move(reason);
  Request without_content;
  without_content.method = std::move(request_.method);
  request_ = std::move(without_content);
}

}  // namespace optimux::http

#include "service/url_signer.hpp"

#include <algorithm>
#include <fstream>
#include <utility>

#include "base/encoding.hpp"
#include "base/hmac.hpp"
#include "base/text.hpp"

namespace optimux::service {
namespace {

using base::ErrorCode;
using base::Result;

constexpr std::string_view kName = "sig=";
/// A shorter key can be guessed: whoever has a signed URL can try keys at home, as fast as he likes.
constexpr std::size_t kMinKeyBytes = 16;
constexpr std::size_t kMaxKeyBytes = 256;
constexpr std::streamsize kMaxFileBytes = 64 << 10;

tl::unexpected<base::Error> wrong(std::string what) {
  return base::fail(ErrorCode::kInvalidParameter, std::move(what));
}

Result<std::string> parse_key(std::string_view digits, const std::string& place) {
  auto key = base::hex_decode(digits);
  if (!key) return wrong(place + " is no key: expected hexadecimal digits, two for each byte");
  if (key->size() < kMinKeyBytes || key->size() > kMaxKeyBytes) {
    return wrong(place + " is a key of " + std::to_string(key->size()) + " bytes: expected 16 to 256");
  }
  return *std::move(key);
}

Result<std::string> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return wrong("cannot open the file '" + path + "'");
  std::string text(kMaxFileBytes + 1, '\0');
  file.read(text.data(), kMaxFileBytes + 1);
  if (file.bad() || (file.fail() && !file.eof())) return wrong("cannot read the file '" + path + "'");
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > static_cast<std::size_t>(kMaxFileBytes)) return wrong("the file '" + path + "' is over 64 KiB");
  return text;
}

base::Status add_keys_of_file(const std::string& path, std::vector<std::string>& keys) {
  const auto text = read_file(path);
  if (!text) return base::fail(text.error());
  const std::size_t before = keys.size();
  std::size_t number = 0;
  for (std::string_view line : base::split(*text, '\n')) {
    ++number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    line = base::trim(line);
    if (line.empty() || line.starts_with('#')) continue;
    auto key = parse_key(line, path + ":" + std::to_string(number));
    if (!key) return base::fail(key.error());
    keys.push_back(*std::move(key));
  }
  if (keys.size() == before) return wrong("the file '" + path + "' holds no key");
  return {};
}

Result<std::string> signature_of(std::string_view key, std::string_view message) {
  return base::hmac_sha256(key, message).map([](const std::string& digest) { return base::base64url_encode(digest); });
}

}  // namespace

SignedTarget split_signature(std::string_view target) {
  const std::size_t mark = target.find('?');
  if (mark == std::string_view::npos) return {target, std::nullopt};
  // A question mark further behind belongs to a value.
  const std::size_t ampersand = target.rfind('&');
  const std::size_t separator = ampersand == std::string_view::npos ? mark : std::max(mark, ampersand);
  const std::string_view last = target.substr(separator + 1);
  if (!last.starts_with(kName)) return {target, std::nullopt};
  return {target.substr(0, separator), last.substr(kName.size())};
}

Result<UrlSigner> UrlSigner::make(const std::vector<std::string>& entries) {
  UrlSigner signer;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].starts_with('@')) {
      if (auto added = add_keys_of_file(entries[i].substr(1), signer.keys_); !added) return base::fail(added.error());
      continue;
    }
    auto key = parse_key(entries[i], "entry " + std::to_string(i + 1));
    if (!key) return base::fail(key.error());
    signer.keys_.push_back(*std::move(key));
  }
  return signer;
}

Result<std::string> UrlSigner::sign(std::string_view target) const {
  if (!has_keys()) return std::string(target);
  auto signature = signature_of(keys_.front(), target);
  if (!signature) return base::fail(signature.error());
  const char separator = target.find('?') == std::string_view::npos ? '?' : '&';
  return std::string(target) + separator + std::string(kName) + *signature;
}

Result<std::string_view> UrlSigner::verify(std::string_view target) const {
  const SignedTarget split = split_signature(target);
  if (!has_keys()) return split.signed_part;
  if (!split.signature) return base::fail(ErrorCode::kForbiddenSource, {}, "the URL does not end with a signature");
  std::string_view given = *split.signature;
  if (given.ends_with('=')) given.remove_suffix(1);  // Some libraries pad.
  bool is_right = false;
  for (const std::string& key : keys_) {  // All of them, so that the time does not tell which one fits.
    const auto expected = signature_of(key, split.signed_part);
    if (!expected) return base::fail(expected.error());
    if (base::equal_in_constant_time(*expected, given)) is_right = true;
  }
  if (!is_right) return base::fail(ErrorCode::kForbiddenSource, {}, "the signature is wrong");
  return split.signed_part;
}

}  // namespace optimux::service

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace optimux::service {

/// What a blob of a `DiskStore` is called on disk: digests of its group and of its key, so that whatever bytes they
/// hold, the name is short and harmless, and all blobs of a group lie in one folder. A value type.
class BlobName {
 public:
  /// Characters of a name.
  static constexpr std::size_t kLength = 48;

  BlobName(std::string_view key, std::string_view group);

  /// The name that `text` is, if it is one: 48 lower-case hexadecimal digits.
  static std::optional<BlobName> parse(std::string_view text);

  std::string text() const;
  /// Where the blob lies, below the store's folder: `a/bc/abc…`.
  std::string path() const;
  /// The folder of the blob and of all others of its group, below the store's: `a/bc`.
  std::string folder() const { return path().substr(0, kFolderLength); }
  bool is_of_group(std::string_view group) const;

  bool operator==(const BlobName&) const = default;

  struct Hash {
    std::size_t operator()(const BlobName& name) const { return static_cast<std::size_t>(name.words_[1]); }
  };

 private:
  static constexpr std::size_t kFolderLength = 4;

  explicit BlobName(std::string_view digits);

  std::array<std::uint64_t, 3> words_{};  ///< Of the group, and twice of the key: 64 bits each.
};

}  // namespace optimux::service

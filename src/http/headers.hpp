#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace optimux::http {

/// A field where it stands: both views point into what it was read from.
struct HeaderField {
  std::string_view name;
  std::string_view value;
};

/// The fields of a message in their order. Names are compared without regard to case (RFC 9110, section 5.1). A value
/// type; not thread-safe. Lists are short, so every look-up is a walk. All texts lie in one buffer, so that a message
/// costs two allocations, however many fields it has. Names and values of less than 4 GiB together.
class Headers {
 public:
  class Iterator;

  Headers() = default;
  Headers(std::initializer_list<HeaderField> fields);

  /// Adds a field behind those of the same name.
  void add(std::string_view name, std::string_view value);
  /// Makes `value` the only one of that name.
  void set(std::string_view name, std::string_view value);
  void remove(std::string_view name);

  bool has(std::string_view name) const { return find(name).has_value(); }
  /// The first value of that name; valid until the headers change.
  std::optional<std::string_view> find(std::string_view name) const;
  /// All values of that name as one list, joined by commas (RFC 9110, section 5.3); empty if there are none.
  std::string joined(std::string_view name) const;
  /// Whether the comma-separated list under that name has `token`, in any case.
  bool has_token(std::string_view name, std::string_view token) const;

  std::size_t size() const { return places_.size(); }
  /// A walk over the fields; what it shows is valid until the headers change.
  Iterator begin() const;
  Iterator end() const;

 private:
  /// Of a name, and of the value behind it.
  struct Place {
    std::uint32_t begin = 0;
    std::uint32_t name_size = 0;
    std::uint32_t value_size = 0;
  };

  HeaderField at(std::size_t index) const;

  std::string text_;
  std::vector<Place> places_;
};

/// As of a container of `HeaderField`, each of which is made when it is looked at.
class Headers::Iterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = HeaderField;
  using difference_type = std::ptrdiff_t;
  using pointer = const HeaderField*;
  using reference = HeaderField;

  Iterator() = default;
  Iterator(const Headers& headers, std::size_t index) : headers_(&headers), index_(index) {}

  HeaderField operator*() const { return headers_->at(index_); }
  Iterator& operator++() {
    ++index_;
    return *this;
  }
  Iterator operator++(int) {
    const Iterator before = *this;
    ++index_;
    return before;
  }
  bool operator==(const Iterator& other) const { return index_ == other.index_; }

 private:
  const Headers* headers_ = nullptr;
  std::size_t index_ = 0;
};

inline Headers::Iterator Headers::begin() const {
  return {*this, 0};
}

inline Headers::Iterator Headers::end() const {
  return {*this, places_.size()};
}

/// Whether `name` is a token of RFC 9110 section 5.6.2: what a field name and a method must be.
bool is_token(std::string_view name);

/// Whether `value` may stand in a field: no control character but the tab, so that no value can end its line and begin
/// a field of its own (RFC 9110, section 5.5).
bool is_field_value(std::string_view value);

}  // namespace optimux::http

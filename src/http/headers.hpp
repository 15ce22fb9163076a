#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace optimux::http {

struct HeaderField {
  std::string name;
  std::string value;
};

/// The fields of a message in their order. Names are compared without regard to case (RFC 9110, section 5.1). A value
/// type; not thread-safe. Lists are short, so every look-up is a walk.
class Headers {
 public:
  Headers() = default;
  Headers(std::initializer_list<HeaderField> fields) : fields_(fields) {}

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

  std::size_t size() const { return fields_.size(); }
  auto begin() const { return fields_.begin(); }
  auto end() const { return fields_.end(); }

 private:
  std::vector<HeaderField> fields_;
};

/// Whether `name` is a token of RFC 9110 section 5.6.2: what a field name and a method must be.
bool is_token(std::string_view name);

/// Whether `value` may stand in a field: no control character but the tab, so that no value can end its line and begin
/// a field of its own (RFC 9110, section 5.5).
bool is_field_value(std::string_view value);

}  // namespace optimux::http

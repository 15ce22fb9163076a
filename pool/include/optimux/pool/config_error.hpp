/// \file
/// What is wrong with a configuration, and the result type of functions that check one.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace optimux::pool {

/// A refused configuration.
struct ConfigError {
  std::string field;    ///< The member at fault, as written in the source: "max_workers", "gate.slots".
  std::string message;  ///< What is wrong with it, with the limit that it breaks.
};

namespace detail {
/// Prints why there is no value, then ends the process: somebody used one that he did not check.
[[noreturn]] void no_value(const ConfigError& error);
/// Ends the process: somebody asked for an error that there is not.
[[noreturn]] void no_error();
}  // namespace detail

/// A value, or why there is none.
template <class Value>
class [[nodiscard]] Made {
 public:
  /// A value.
  Made(Value value) : content_(std::move(value)) {}  // NOLINT(google-explicit-constructor): a result converts
  /// Why there is none.
  Made(ConfigError error) : content_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

  /// True when there is a value.
  explicit operator bool() const { return std::holds_alternative<Value>(content_); }
  /// The value. Without one the process ends, with the error as its last words.
  Value& value() & {
    if (const ConfigError* error = std::get_if<ConfigError>(&content_)) detail::no_value(*error);
    return *std::get_if<Value>(&content_);
  }
  /// As above, moved out.
  Value value() && { return std::move(value()); }
  /// As `value`.
  Value& operator*() & { return value(); }
  /// As `value`.
  Value operator*() && { return std::move(*this).value(); }
  /// The reason. The process ends when there is none, but a value.
  [[nodiscard]] const ConfigError& error() const {
    const ConfigError* const error = std::get_if<ConfigError>(&content_);
    if (error == nullptr) detail::no_error();
    return *error;
  }

 private:
  std::variant<Value, ConfigError> content_;
};

}  // namespace optimux::pool

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

/// A value, or why there is none.
template <class Value>
class [[nodiscard]] Made {
 public:
  Made(Value value) : content_(std::move(value)) {}        // NOLINT(google-explicit-constructor): a result converts
  Made(ConfigError error) : content_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

  /// True when there is a value.
  explicit operator bool() const { return std::holds_alternative<Value>(content_); }
  /// The value; only when there is one.
  Value& value() & { return *std::get_if<Value>(&content_); }
  Value value() && { return std::move(*std::get_if<Value>(&content_)); }
  Value& operator*() & { return value(); }
  Value operator*() && { return std::move(*this).value(); }
  /// The reason; only when there is no value.
  [[nodiscard]] const ConfigError& error() const { return *std::get_if<ConfigError>(&content_); }

 private:
  std::variant<Value, ConfigError> content_;
};

}  // namespace optimux::pool

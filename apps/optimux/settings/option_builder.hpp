#pragma once

#include "apps/optimux/settings/option.hpp"
#include "base/log.hpp"
#include "http/scheduling_policy_name.hpp"
#include "source/credential_providers.hpp"
#include "source/s3_endpoint.hpp"

#include <chrono>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace optimux::apps {

/// How a field of `Settings` and the value of an option become each other. One pair of overloads per type of field.

inline OptionValue to_option_value(bool field) {
  return field;
}
inline OptionValue to_option_value(const std::string& field) {
  return field;
}
inline OptionValue to_option_value(const std::vector<std::string>& field) {
  return field;
}
inline OptionValue to_option_value(base::LogLevel field) {
  return std::string(name_of(field));
}
inline OptionValue to_option_value(base::LogFormat field) {
  return std::string(field == base::LogFormat::kJson ? "json" : "text");
}
inline OptionValue to_option_value(http::SchedulingPolicy field) {
  return std::string(name_of(field));
}
template <std::integral T>
OptionValue to_option_value(T field) {
  return static_cast<std::int64_t>(field);
}
template <class Rep, class Period>
OptionValue to_option_value(std::chrono::duration<Rep, Period> field) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(field).count();
}

inline OptionValue to_option_value(source::S3Addressing field) {
  return std::string(source::name_of(field));
}
inline OptionValue to_option_value(source::CredentialSettings::Place field) {
  return std::string(source::name_of(field));
}

inline void from_option_value(const OptionValue& value, bool& field) {
  field = std::get<bool>(value);
}
inline void from_option_value(const OptionValue& value, std::string& field) {
  field = std::get<std::string>(value);
}
inline void from_option_value(const OptionValue& value, std::vector<std::string>& field) {
  field = std::get<std::vector<std::string>>(value);
}
inline void from_option_value(const OptionValue& value, base::LogLevel& field) {
  field = base::parse_log_level(std::get<std::string>(value)).value_or(field);
}
inline void from_option_value(const OptionValue& value, base::LogFormat& field) {
  field = std::get<std::string>(value) == "json" ? base::LogFormat::kJson : base::LogFormat::kText;
}
inline void from_option_value(const OptionValue& value, http::SchedulingPolicy& field) {
  field = http::parse_scheduling_policy(std::get<std::string>(value)).value_or(field);
}
inline void from_option_value(const OptionValue& value, source::S3Addressing& field) {
  field = source::parse_s3_addressing(std::get<std::string>(value)).value_or(field);
}
inline void from_option_value(const OptionValue& value, source::CredentialSettings::Place& field) {
  field = source::parse_credential_place(std::get<std::string>(value)).value_or(field);
}
template <std::integral T>
void from_option_value(const OptionValue& value, T& field) {
  field = static_cast<T>(std::get<std::int64_t>(value));
}
template <class Rep, class Period>
void from_option_value(const OptionValue& value, std::chrono::duration<Rep, Period>& field) {
  field = std::chrono::duration_cast<std::chrono::duration<Rep, Period>>(
      std::chrono::milliseconds(std::get<std::int64_t>(value)));
}

/// Collects the rows of the option table, group by group.
class OptionBuilder {
 public:
  struct Range {
    std::int64_t min = 0;
    std::int64_t max = 0;
  };

  /// The rows that follow belong to `group`.
  void begin(OptionGroup group) { group_ = group; }

  /// Adds an option whose `get` and `set` the caller fills in. The row is valid until the next one is added.
  Option& add(std::string_view key, OptionType type, std::string_view meaning) {
    Option& option = options_.emplace_back();
    option.key = key;
    option.group = group_;
    option.type = type;
    option.meaning = meaning;
    return option;
  }

  /// Adds an option that reads and writes `settings.*part.*field`.
  template <class Part, class Field>
  Option& add(std::string_view key, OptionType type, Part Settings::*part, Field Part::*field,
              std::string_view meaning) {
    Option& option = add(key, type, meaning);
    option.get = [part, field](const Settings& settings) { return to_option_value(settings.*part.*field); };
    option.set = [part, field](Settings& settings, const OptionValue& value) {
      from_option_value(value, settings.*part.*field);
    };
    return option;
  }

  /// As above for numbers with a range: bytes, milliseconds or units.
  template <class Part, class Field>
  Option& add(std::string_view key, OptionType type, Part Settings::*part, Field Part::*field, Range range,
              std::string_view meaning) {
    Option& option = add(key, type, part, field, meaning);
    option.min = range.min;
    option.max = range.max;
    if constexpr (std::is_same_v<Field, std::chrono::seconds>) option.step = 1000;
    return option;
  }

  std::vector<Option> take() { return std::move(options_); }

 private:
  std::vector<Option> options_;
  OptionGroup group_ = OptionGroup::kListening;
};

}  // namespace optimux::apps

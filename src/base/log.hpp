#pragma once

#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.hpp"

namespace optimux::base {

enum class LogLevel { kDebug, kInfo, kWarning, kError, kOff };
enum class LogFormat { kText, kJson };

/// `debug`, `info`, `warning`, `error`, `off`; kInvalidParameter for anything else.
Result<LogLevel> parse_log_level(std::string_view text);
std::string_view name_of(LogLevel level);

/// One named value of a log line. Name and text are not copied: both must outlive the call that the field is passed to,
/// which what is made inside of that call does.
struct LogField {
  using Value = std::variant<std::string_view, std::int64_t, double, bool, std::chrono::microseconds>;

  LogField(std::string_view field_name, std::string_view text) : name(field_name), value(text) {}
  LogField(std::string_view field_name, const char* text) : name(field_name), value(std::string_view(text)) {}
  LogField(std::string_view field_name, const std::string& text) : name(field_name), value(std::string_view(text)) {}
  LogField(std::string_view field_name, bool truth) : name(field_name), value(truth) {}
  LogField(std::string_view field_name, double number) : name(field_name), value(number) {}
  /// Written in milliseconds with three decimals.
  LogField(std::string_view field_name, std::chrono::microseconds time) : name(field_name), value(time) {}
  template <class T>
  requires(std::is_integral_v<T> && !std::is_same_v<T, bool>) LogField(std::string_view field_name, T number)
      : name(field_name), value(static_cast<std::int64_t>(number)) {}

  std::string_view name;
  Value value;
};

/// Where log lines go. Implementations may be called from any thread and do not throw; they may block for as long as
/// the underlying file does.
class LogSink {
 public:
  LogSink() = default;
  LogSink(const LogSink&) = delete;
  LogSink& operator=(const LogSink&) = delete;
  virtual ~LogSink() = default;

  /// Writes one line: an event in a few words, and its fields in the order given.
  virtual void write(LogLevel level, std::string_view event, std::span<const LogField> fields) = 0;

  /// As `write`, but the line may stay in memory until the next `write` or `flush`, or the end of the sink: for lines
  /// that come thousands a second, for which a system call each costs more than the rest. Whoever calls it sees to it
  /// that one of these comes soon. All lines keep their order; what has not been written is lost if the process is
  /// killed.
  virtual void write_soon(LogLevel level, std::string_view event, std::span<const LogField> fields) {
    write(level, event, fields);
  }
  /// Writes what stays in memory.
  virtual void flush() {}

  /// Lines below `level` are dropped from now on. May be called at any time from any thread.
  virtual void set_level(LogLevel level) = 0;
  virtual LogLevel level() const = 0;

  void debug(std::string_view event, std::initializer_list<LogField> fields = {}) {
    log(LogLevel::kDebug, event, fields);
  }
  void info(std::string_view event, std::initializer_list<LogField> fields = {}) {
    log(LogLevel::kInfo, event, fields);
  }
  void warning(std::string_view event, std::initializer_list<LogField> fields = {}) {
    log(LogLevel::kWarning, event, fields);
  }
  void error(std::string_view event, std::initializer_list<LogField> fields = {}) {
    log(LogLevel::kError, event, fields);
  }

 private:
  void log(LogLevel line_level, std::string_view event, std::initializer_list<LogField> fields) {
    write(line_level, event, std::span(fields.begin(), fields.size()));
  }
};

/// One line on standard error a call, `key=value` text or one JSON object. Holds back up to 64 KiB of lines that are to
/// be written soon. Lines that standard error does not take are dropped.
std::unique_ptr<LogSink> make_stderr_log(LogFormat format, LogLevel level);

/// Drops everything. For tests and for the command line.
std::unique_ptr<LogSink> make_null_log();

/// The part of a line after time and level, in the given format. Exposed so that it can be tested.
std::string format_log_line(LogFormat format, std::string_view event, std::span<const LogField> fields);

}  // namespace optimux::base

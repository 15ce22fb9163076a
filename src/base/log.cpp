#include "base/log.hpp"

#include <array>
#include <atomic>
#include <charconv>
#include <cmath>

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "base/text.hpp"

namespace optimux::base {
namespace {

// JSON has no infinities, and what is not a number has no place in a log line either.
std::string number_text(double number) {
  if (!std::isfinite(number)) return "null";
  std::array<char, 32> buffer{};
  const auto [end, error] =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), number, std::chars_format::fixed, 3);
  return error == std::errc() ? std::string(buffer.data(), end) : "null";
}

bool needs_quotes(std::string_view text) {
  if (text.empty()) return true;
  for (const char c : text) {
    if (c <= ' ' || c == '"' || c == '=' || c == '\\' || static_cast<unsigned char>(c) >= 0x7F) return true;
  }
  return false;
}

// Text is quoted as JSON whenever it holds anything unusual: no value can forge a second line or a second field.
std::string value_text(LogFormat format, const LogField::Value& value) {
  struct Visitor {
    LogFormat format;
    std::string operator()(const std::string& text) const {
      return format == LogFormat::kJson || needs_quotes(text) ? json_quote(text) : text;
    }
    std::string operator()(std::int64_t number) const { return std::to_string(number); }
    std::string operator()(double number) const { return number_text(number); }
    std::string operator()(bool truth) const { return truth ? "true" : "false"; }
  };
  return std::visit(Visitor{format}, value);
}

spdlog::level::level_enum to_spdlog(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug: return spdlog::level::debug;
    case LogLevel::kInfo: return spdlog::level::info;
    case LogLevel::kWarning: return spdlog::level::warn;
    case LogLevel::kError: return spdlog::level::err;
    case LogLevel::kOff: return spdlog::level::off;
  }
  return spdlog::level::info;
}

class SpdlogSink final : public LogSink {
 public:
  SpdlogSink(LogFormat format, LogLevel level)
      : format_(format), logger_("optimux", std::make_shared<spdlog::sinks::stderr_sink_mt>()) {
    logger_.set_level(spdlog::level::trace);
    logger_.set_error_handler([](const std::string&) {});
    const char* pattern = format == LogFormat::kJson ? R"({"time":"%Y-%m-%dT%H:%M:%S.%e%z","level":"%l",%v})"
                                                     : "%Y-%m-%dT%H:%M:%S.%e%z %l %v";
    logger_.set_pattern(pattern);
    level_ = level;
  }

  void write(LogLevel line_level, std::string_view event, std::span<const LogField> fields) override {
    if (line_level < level_.load(std::memory_order_relaxed)) return;
    logger_.log(to_spdlog(line_level), "{}", format_log_line(format_, event, fields));
  }

  void set_level(LogLevel level) override { level_ = level; }
  LogLevel level() const override { return level_; }

 private:
  const LogFormat format_;
  std::atomic<LogLevel> level_{LogLevel::kInfo};
  spdlog::logger logger_;
};

class NullLog final : public LogSink {
 public:
  void write(LogLevel, std::string_view, std::span<const LogField>) override {}
  void set_level(LogLevel) override {}
  LogLevel level() const override { return LogLevel::kOff; }
};

}  // namespace

Result<LogLevel> parse_log_level(std::string_view text) {
  for (const LogLevel level :
       {LogLevel::kDebug, LogLevel::kInfo, LogLevel::kWarning, LogLevel::kError, LogLevel::kOff}) {
    if (text == name_of(level)) return level;
  }
  return fail(ErrorCode::kInvalidParameter,
              "'" + std::string(text) + "' is not a log level (debug, info, warning, error or off)");
}

std::string_view name_of(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug: return "debug";
    case LogLevel::kInfo: return "info";
    case LogLevel::kWarning: return "warning";
    case LogLevel::kError: return "error";
    case LogLevel::kOff: return "off";
  }
  return "off";
}

std::unique_ptr<LogSink> make_stderr_log(LogFormat format, LogLevel level) {
  return std::make_unique<SpdlogSink>(format, level);
}

std::unique_ptr<LogSink> make_null_log() {
  return std::make_unique<NullLog>();
}

std::string format_log_line(LogFormat format, std::string_view event, std::span<const LogField> fields) {
  const bool json = format == LogFormat::kJson;
  std::string line = json ? "\"event\":" + json_quote(event) : "event=" + value_text(format, std::string(event));
  for (const LogField& field : fields) {
    line += json ? "," + json_quote(field.name) + ":" : " " + std::string(field.name) + "=";
    line += value_text(format, field.value);
  }
  return line;
}

}  // namespace optimux::base

#include "base/log.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <mutex>

#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>

#include "base/text.hpp"

namespace optimux::base {
namespace {

/// That of a request has 300 to 400 bytes.
constexpr std::size_t kUsualLine = 512;
/// Bytes of lines that wait to be written.
constexpr std::size_t kMostHeld = 65'536;

// JSON has no infinities, and what is not a number has no place in a log line either.
void append_number(std::string& line, double number) {
  std::array<char, 32> buffer{};
  const auto [end, error] =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), number, std::chars_format::fixed, 3);
  const bool is_written = std::isfinite(number) && error == std::errc();
  line += is_written ? std::string_view(buffer.data(), static_cast<std::size_t>(end - buffer.data())) : "null";
}

bool needs_quotes(std::string_view text) {
  return text.empty() || std::ranges::any_of(text, [](char c) {
           return c <= ' ' || c == '"' || c == '=' || c == '\\' || static_cast<unsigned char>(c) >= 0x7F;
         });
}

// Text is quoted as JSON whenever it holds anything unusual: no value can forge a second line or a second field.
void append_text(std::string& line, LogFormat format, std::string_view text) {
  if (format == LogFormat::kJson || needs_quotes(text)) {
    append_json_quoted(line, text);
  } else {
    line += text;
  }
}

void append_integer(std::string& line, std::int64_t number) {
  std::array<char, 24> digits{};
  line.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr);
}

void append_time(std::string& line, std::chrono::microseconds time) {
  const auto count = static_cast<std::uint64_t>(std::abs(time.count()));
  if (time.count() < 0) line += '-';
  append_integer(line, static_cast<std::int64_t>(count / 1000));
  const auto digit = [count](std::uint64_t unit) { return static_cast<char>('0' + count / unit % 10); };
  for (const char c : {'.', digit(100), digit(10), digit(1)}) line += c;
}

void append_value(std::string& line, LogFormat format, const LogField::Value& value) {
  if (const auto* const text = std::get_if<std::string_view>(&value)) {
    append_text(line, format, *text);
  } else if (const auto* const number = std::get_if<std::int64_t>(&value)) {
    append_integer(line, *number);
  } else if (const auto* const time = std::get_if<std::chrono::microseconds>(&value)) {
    append_time(line, *time);
  } else if (const auto* const fraction = std::get_if<double>(&value)) {
    append_number(line, *fraction);
  } else {
    line += std::get<bool>(value) ? "true" : "false";
  }
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

// Keeps lines until it is flushed.
class HeldStderr final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  HeldStderr() = default;
  HeldStderr(const HeldStderr&) = delete;
  HeldStderr& operator=(const HeldStderr&) = delete;
  ~HeldStderr() override { write_out(); }

 private:
  void sink_it_(const spdlog::details::log_msg& message) override {
    formatter_->format(message, lines_);
    if (lines_.size() >= kMostHeld) write_out();
  }
  void flush_() override { write_out(); }

  void write_out() {
    std::string_view rest(lines_.data(), lines_.size());
    while (!rest.empty()) {
      const ssize_t written = ::write(STDERR_FILENO, rest.data(), rest.size());
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) break;
      rest.remove_prefix(static_cast<std::size_t>(written));
    }
    lines_.clear();
  }

  spdlog::memory_buf_t lines_;
};

class SpdlogSink final : public LogSink {
 public:
  SpdlogSink(LogFormat format, LogLevel level) : format_(format), logger_("optimux", std::make_shared<HeldStderr>()) {
    logger_.set_level(spdlog::level::trace);
    logger_.set_error_handler([](const std::string&) {});
    const char* pattern = format == LogFormat::kJson ? R"({"time":"%Y-%m-%dT%H:%M:%S.%e%z","level":"%l",%v})"
                                                     : "%Y-%m-%dT%H:%M:%S.%e%z %l %v";
    logger_.set_pattern(pattern);
    level_ = level;
  }

  void write(LogLevel line_level, std::string_view event, std::span<const LogField> fields) override {
    if (line_level < level_.load(std::memory_order_relaxed)) return;
    write_soon(line_level, event, fields);
    logger_.flush();
  }

  void write_soon(LogLevel line_level, std::string_view event, std::span<const LogField> fields) override {
    if (line_level < level_.load(std::memory_order_relaxed)) return;
    const std::string line = format_log_line(format_, event, fields);
    logger_.log(to_spdlog(line_level), spdlog::string_view_t(line.data(), line.size()));
  }

  void flush() override { logger_.flush(); }

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
  std::string line;
  line.reserve(kUsualLine);
  line += json ? "\"event\":" : "event=";
  append_text(line, format, event);
  for (const LogField& field : fields) {
    if (json) {
      line += ',';
      append_json_quoted(line, field.name);
      line += ':';
    } else {
      line.append(" ").append(field.name).append("=");
    }
    append_value(line, format, field.value);
  }
  return line;
}

}  // namespace optimux::base

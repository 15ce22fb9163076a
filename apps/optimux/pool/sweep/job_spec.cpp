#include "apps/optimux/pool/sweep/job_spec.hpp"

#include "apps/optimux/pool/seconds.hpp"
#include "base/text.hpp"

#include <optional>

namespace optimux::apps {
namespace {

using base::fail;
using base::Result;

tl::unexpected<base::Error> refuse(std::string detail) {
  return fail(base::ErrorCode::kInvalidParameter, std::move(detail));
}

Result<BurnJob> parse_burn(std::string_view text) {
  constexpr std::uint64_t kMostRounds = 1'000'000'000'000;
  const auto rounds = base::parse_number<std::uint64_t>(text);
  if (rounds && *rounds >= 1 && *rounds <= kMostRounds) return BurnJob{*rounds};
  return refuse("'" + std::string(text) + "' is not a number of rounds from 1 to 1000000000000");
}

Result<SleepJob> parse_sleep(std::string_view text) {
  return parse_seconds(text).map([](double seconds) { return SleepJob{seconds}; });
}

Result<MixedJob> parse_mixed(std::string_view text) {
  const auto parts = base::split(text, ',');
  if (parts.size() != 2) return refuse("mixed: takes ROUNDS,TIME as in mixed:2000000,1ms");
  const auto burn = parse_burn(parts[0]);
  if (!burn) return fail(burn.error());
  const auto sleep = parse_sleep(parts[1]);
  if (!sleep) return fail(sleep.error());
  return MixedJob{*burn, *sleep};
}

Result<UrlJob> parse_url(std::string_view text) {
  if (text.starts_with("http://") || text.starts_with("https://")) return UrlJob{std::string(text)};
  return refuse("url: takes an address that begins with http:// or https://");
}

/// Reads a command character by character.
class CommandReader {
 public:
  explicit CommandReader(std::string_view text) : text_(text) {}

  Result<std::vector<std::string>> read() {
    while (at_ < text_.size()) {
      if (!step(text_[at_++])) return refuse("exec: a quote is not closed, or a backslash stands at the end");
    }
    end_word();
    if (words_.empty() || words_.front().empty()) return refuse("exec: takes a command");
    return std::move(words_);
  }

 private:
  bool step(char c) {
    if (c == ' ' || c == '\t' || c == '\n') return end_word();
    if (c == '\'') return take_until('\'', false);
    if (c == '"') return take_until('"', true);
    return c == '\\' ? take_next() : take(c);
  }

  bool take_until(char quote, bool has_escapes) {
    if (!word_) word_.emplace();
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c == quote) return true;
      const bool is_escape =
          has_escapes && c == '\\' && at_ < text_.size() && (text_[at_] == '"' || text_[at_] == '\\');
      take(is_escape ? text_[at_++] : c);
    }
    return false;
  }

  bool take_next() { return at_ < text_.size() && take(text_[at_++]); }

  bool take(char c) {
    if (!word_) word_.emplace();
    word_->push_back(c);
    return true;
  }

  bool end_word() {
    if (word_) words_.push_back(*std::move(word_));
    word_.reset();
    return true;
  }

  const std::string_view text_;
  std::size_t at_ = 0;
  std::optional<std::string> word_;  // Begun; an empty one in quotes counts.
  std::vector<std::string> words_;
};

template <class Job>
Result<JobSpec> as_spec(Result<Job> job) {
  return std::move(job).map([](Job&& value) { return JobSpec(std::move(value)); });
}

}  // namespace

base::Result<std::vector<std::string>> split_command(std::string_view command) {
  return CommandReader(command).read();
}

base::Result<JobSpec> parse_job(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view kind = text.substr(0, colon);
  const std::string_view rest = colon == std::string_view::npos ? "" : text.substr(colon + 1);
  if (kind == "burn") return as_spec(parse_burn(rest));
  if (kind == "sleep") return as_spec(parse_sleep(rest));
  if (kind == "mixed") return as_spec(parse_mixed(rest));
  if (kind == "url") return as_spec(parse_url(rest));
  if (kind != "exec") return refuse("must begin with burn:, sleep:, mixed:, exec: or url:");
  auto arguments = split_command(rest);
  if (!arguments) return fail(arguments.error());
  return JobSpec(ExecJob{*std::move(arguments)});
}

}  // namespace optimux::apps

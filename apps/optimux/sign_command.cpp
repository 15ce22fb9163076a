#include "apps/optimux/sign_command.hpp"

#include "apps/optimux/complaint.hpp"
#include "apps/optimux/settings/option_flags.hpp"
#include "apps/optimux/sign/signed_url.hpp"
#include "base/quantity.hpp"
#include "service/url_signer.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <string>
#include <vector>

namespace optimux::apps {
namespace {

constexpr const char* kExamples =
    "Signs URLs for a server with signing_keys: prints each with its signature behind it, one a line. Without --key "
    "the\n"
    "first of signing_keys signs, as it is configured by flag, variable or file. docs/signing.md says how to do the "
    "same\n"
    "in other languages.\n\n"
    "examples:\n"
    "  optimux sign '/optimux/assets/photo.jpg?sizes=300x0' --key @key.txt\n"
    "  optimux sign 'https://img.example.org/resize?image_url=https%3A%2F%2Fexample.org%2Fa.jpg' --expires 1h\n"
    "  optimux sign --json < urls.txt          URLs from standard input, one a line\n"
    "  openssl rand -hex 32 > key.txt          a new key\n\n";

bool is_key_option(const Option& option) {
  return option.key == "signing_keys";
}

class SignCommand final : public Command {
 public:
  CLI::App* declare(CLI::App& program) override {
    CLI::App* command = program.add_subcommand("sign", "Sign URLs, so that a server with the same key answers them");
    command->footer(std::string(kExamples) + kExitCodesHelp);
    command->add_option("URL", urls_,
                        "http, https, or the path and query alone; none or -: one a line of standard input");
    command
        ->add_option("--key", key_, "The key that signs: hexadecimal digits, or @FILE, of which the first one counts")
        ->option_text("KEY");
    auto* span = command->add_option("--expires", lifetime_, "For how long the URL holds, as in 1h [for ever]");
    span->option_text("TIME");
    command->add_option("--expires-at", expires_, "Until when the URL holds, in seconds since 1970 [for ever]")
        ->check(CLI::NonNegativeNumber)
        ->excludes(span)
        ->option_text("SECONDS");
    command->add_flag("--json", json_, "Print one JSON object a line: url, signed and expires, or error");
    flags_.declare(*command, is_key_option);
    return command;
  }

  ExitCode run() override {
    if (!lifetime_.empty()) {
      const auto lifetime = base::parse_duration(lifetime_);
      if (!lifetime) return complain(ExitCode::kUsage, "--expires: " + lifetime.error().detail);
      const auto end = std::chrono::system_clock::now() + *lifetime;
      expires_ = std::chrono::ceil<std::chrono::seconds>(end).time_since_epoch().count();
    }
    if (std::ranges::count(urls_, "-") > 1) return complain(ExitCode::kUsage, "URL: standard input can be read once");
    const auto signer = make_signer();
    return signer ? sign_all(*signer) : ExitCode::kConfiguration;
  }

 private:
  // On failure it has been said what is wrong.
  std::optional<service::UrlSigner> make_signer() const {
    std::vector<std::string> keys = {key_};
    if (key_.empty()) {
      const auto configuration = flags_.load();
      if (!configuration) return std::nullopt;
      keys = configuration->settings().server.signing_keys;
    }
    const std::string place = key_.empty() ? "signing_keys: " : "--key: ";
    auto signer = service::UrlSigner::make(keys);
    if (!signer) {
      complain(ExitCode::kConfiguration, place + signer.error().detail);
      return std::nullopt;
    }
    if (!signer->has_keys()) {
      complain(ExitCode::kConfiguration, "there is no key: give --key, or configure signing_keys");
      return std::nullopt;
    }
    return *std::move(signer);
  }

  ExitCode sign_all(const service::UrlSigner& signer) const {
    bool is_well = true;
    for (const std::string& url : urls_.empty() ? std::vector<std::string>{"-"} : urls_) {
      is_well = (url == "-" ? sign_lines(signer) : sign(signer, url)) && is_well;
    }
    return is_well && std::cout.flush() ? ExitCode::kSuccess : ExitCode::kFailure;
  }

  bool sign_lines(const service::UrlSigner& signer) const {
    bool is_well = true;
    for (std::string line; std::getline(std::cin, line);) {
      if (line.ends_with('\r')) line.pop_back();
      if (!line.empty()) is_well = sign(signer, line) && is_well;
    }
    return is_well;
  }

  bool sign(const service::UrlSigner& signer, const std::string& url) const {
    const auto signed_one = sign_url(url, signer, expires_);
    if (json_) {
      print_json(url, signed_one);
    } else if (signed_one) {
      std::cout << *signed_one << '\n';
    } else {
      complain(ExitCode::kFailure, url + ": " + signed_one.error().detail);
    }
    return signed_one.has_value();
  }

  void print_json(const std::string& url, const base::Result<std::string>& signed_one) const {
    nlohmann::ordered_json line = {{"url", url}};
    if (signed_one) {
      line["signed"] = *signed_one;
      if (expires_) line["expires"] = *expires_;
    } else {
      line["error"] = {{"code", std::string(base::name_of(signed_one.error().code))},
                       {"detail", signed_one.error().detail}};
    }
    std::cout << line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
  }

  OptionFlags flags_;
  std::vector<std::string> urls_;
  std::string key_;
  std::string lifetime_;
  std::optional<std::int64_t> expires_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_sign_command() {
  return std::make_unique<SignCommand>();
}

}  // namespace optimux::apps

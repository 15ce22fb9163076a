#include "apps/optimux/pool/advise_command.hpp"

#include "apps/optimux/complaint.hpp"
#include "apps/optimux/pool/admin_address.hpp"
#include "apps/optimux/pool/http_get.hpp"
#include "apps/optimux/pool/live_report.hpp"

#include <CLI/CLI.hpp>

#include <iostream>
#include <string>

namespace optimux::apps {
namespace {

constexpr const char* kExamples =
    "The server reckons by Little's law from the rate, the service time, the queue and the gate of this moment; ask\n"
    "while it is under load.\n\n"
    "examples:\n"
    "  optimux pool advise                                 the admin listener's default address\n"
    "  optimux pool advise --admin http://127.0.0.1:8812 --json\n"
    "  optimux pool advise --admin unix:/run/optimux/admin.sock\n\n";

class AdviseCommand final : public Command {
 public:
  CLI::App* declare(CLI::App& program) override {
    CLI::App* command = program.add_subcommand("advise", "Say whether a running server's pools have the right limits");
    command->footer(std::string(kExamples) + kExitCodesHelp);
    command
        ->add_option("--admin", admin_,
                     "Admin listener: a URL, ADDRESS:PORT, PORT or unix:PATH "
                     "[default: OPTIMUX_ADMIN, or http://127.0.0.1:8812]")
        ->envname("OPTIMUX_ADMIN")
        ->option_text("ADDRESS");
    command->add_flag("--json", json_, "Print a JSON object");
    return command;
  }

  ExitCode run() override {
    const AdminAddress admin = admin_address(admin_);
    const auto pools = http_get(admin.url + "/pools", admin.unix_socket);
    if (!pools) return complain(ExitCode::kFailure, pools.error());
    const auto text = json_ ? recommendations_json(*pools) : recommendations_text(*pools);
    if (!text) return complain(ExitCode::kFailure, text.error());
    std::cout << *text << std::flush;
    return std::cout ? ExitCode::kSuccess : ExitCode::kFailure;
  }

 private:
  std::string admin_ = "http://127.0.0.1:8812";
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_advise_command() {
  return std::make_unique<AdviseCommand>();
}

}  // namespace optimux::apps

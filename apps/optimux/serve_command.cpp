#include "apps/optimux/serve_command.hpp"

#include "apps/optimux/complaint.hpp"
#include "apps/optimux/engine.hpp"
#include "apps/optimux/serve/descriptor_limit.hpp"
#include "apps/optimux/serve/exit_watch.hpp"
#include "apps/optimux/serve/reloader.hpp"
#include "apps/optimux/settings/option_flags.hpp"
#include "apps/optimux/version_command.hpp"
#include "server/event_loop.hpp"
#include "server/server.hpp"

#include <CLI/CLI.hpp>

#include <chrono>
#include <iostream>
#include <string>

namespace optimux::apps {
namespace {

constexpr const char* kExamples =
    "Prints one line for each address once it is ready. SIGTERM and SIGINT finish what has been accepted and end, a\n"
    "second one ends at once; SIGHUP reads the configuration again.\n\n"
    "examples:\n"
    "  optimux serve --root photos\n"
    "  optimux serve --root photos --listen-tls :443 --tls-certificate fullchain.pem --tls-key privkey.pem\n"
    "  optimux serve --listen 0.0.0.0:80 --allow-source 10.0.0.0/8 --memory-cache 1GiB\n"
    "  optimux serve --config optimux.toml --log-format json\n\n";

// Every request has been answered by then; what still runs was given up by its client and has been told to stop.
constexpr std::chrono::milliseconds kPatienceWithWorkers{2'000};

void print_addresses(const std::vector<server::BoundAddress>& addresses) {
  for (const auto& address : addresses)
    std::cout << (address.is_admin ? "admin " : "listening ") << address.url << '\n';
  std::cout << std::flush;
}

// Without this line a first user looks for the mistake in the key.
void warn_of_no_root(base::LogSink& log) {
  log.warning("no root", {{"effect", "/optimux/assets, /optimux/static and file:/// find nothing"},
                          {"remedy", "--root FOLDER or --store s3://BUCKET"}});
}

class ServeCommand final : public Command {
 public:
  CLI::App* declare(CLI::App& program) override {
    CLI::App* command = program.add_subcommand("serve", "Answer requests for renditions over HTTP");
    command->footer(std::string(kExamples) + kExitCodesHelp);
    flags_.declare(*command);
    return command;
  }

  ExitCode run() override {
    const auto configuration = flags_.load_and_check_paths();
    return configuration ? serve(configuration->settings()) : ExitCode::kConfiguration;
  }

 private:
  ExitCode serve(const Settings& settings) {
    const auto log = base::make_stderr_log(settings.log.format, settings.log.level);
    provide_descriptors(settings, *log);
    ExitWatch exit_watch(*log);
    server::EventLoop loop;
    auto engine = Engine::make(settings, loop.reactor(), *log, store_backend(settings));
    if (!engine) return complain(ExitCode::kConfiguration, engine.error());
    Reloader reloader(flags_.inputs(), settings, **engine, *log);
    auto server = server::Server::make(loop, settings.server, (*engine)->service(), (*engine)->pool(), *log,
                                       {.reload = [&] { reloader.reload(); }, .objects = (*engine)->objects()});
    if (!server) return complain(ExitCode::kConfiguration, server.error());
    reloader.attach(**server);
    const ExitCode code = run_server(**server, settings, *log);
    exit_watch.arm(kPatienceWithWorkers, static_cast<int>(code));
    return code;
  }

  static ExitCode run_server(server::Server& server, const Settings& settings, base::LogSink& log) {
    server.handle_signals();
    const auto addresses = server.start();
    if (!addresses) return complain(ExitCode::kConfiguration, addresses.error());
    const std::string& store = settings.objects.store;
    log.info("started", {{"version", program_version()}, {"root", store.empty() ? settings.source.root : store}});
    if (settings.source.root.empty() && store.empty()) warn_of_no_root(log);
    print_addresses(*addresses);
    return server.run() ? ExitCode::kSuccess : ExitCode::kFailure;
  }

  OptionFlags flags_;
};

}  // namespace

std::unique_ptr<Command> make_serve_command() {
  return std::make_unique<ServeCommand>();
}

}  // namespace optimux::apps

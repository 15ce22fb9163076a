#pragma once

#include "apps/optimux/engine.hpp"
#include "apps/optimux/settings/configuration.hpp"
#include "base/log.hpp"
#include "server/server.hpp"

namespace optimux::apps {

/// Reads the configuration again while the server runs (SIGHUP) and applies what can change; the log says what did, and
/// what needs a restart. A configuration that is wrong changes nothing. Lives in the loop's thread.
class Reloader {
 public:
  /// `inputs` are read again, but for the flags and the environment, which do not change while a process runs. `engine`
  /// and `log` must outlive it.
  Reloader(ConfigurationInputs inputs, const Settings& settings, Engine& engine, base::LogSink& log);

  /// From now on reloads reach this server too, which must outlive the last reload.
  void attach(server::Server& server) { server_ = &server; }

  /// Blocks for as long as reading the file takes.
  void reload();

 private:
  void take_over(const Settings& wanted);
  base::Status apply(const Settings& settings);

  const ConfigurationInputs inputs_;
  Settings settings_;  ///< In effect: those of the start, and what has been reloaded since.
  Engine& engine_;
  base::LogSink& log_;
  server::Server* server_ = nullptr;
};

}  // namespace optimux::apps

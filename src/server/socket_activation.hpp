#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace optimux::server {

/// A socket that the service manager has opened for this process.
struct PassedSocket {
  int descriptor = -1;
  std::string name;  ///< From LISTEN_FDNAMES; empty if not given.
};

/// The three variables of the protocol (sd_listen_fds(3)), as they stand in the environment.
struct ActivationVariables {
  std::optional<std::string> pid;
  std::optional<std::string> count;
  std::optional<std::string> names;
};

/// Takes LISTEN_PID, LISTEN_FDS and LISTEN_FDNAMES out of the environment, so that child processes do not take them for
/// theirs. Not thread-safe against other uses of the environment: call it before threads are started.
ActivationVariables take_activation_variables();

/// The sockets that the variables speak of: descriptors 3, 4, … if `pid` is `own_pid`, none if the variables are not
/// set or meant for another process. Errors: kInvalidParameter when a variable is not what it has to be.
base::Result<std::vector<PassedSocket>> passed_sockets(const ActivationVariables& variables, long own_pid);

}  // namespace optimux::server

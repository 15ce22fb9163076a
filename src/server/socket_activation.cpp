#include "server/socket_activation.hpp"

#include <cstdlib>

#include "base/text.hpp"

namespace optimux::server {
namespace {

constexpr int kFirstDescriptor = 3;  // SD_LISTEN_FDS_START
constexpr int kMostDescriptors = 256;

std::optional<std::string> take_variable(const char* name) {
  const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): said in the header.
  if (value == nullptr) return std::nullopt;
  std::string copy(value);
  unsetenv(name);  // NOLINT(concurrency-mt-unsafe)
  return copy;
}

}  // namespace

ActivationVariables take_activation_variables() {
  return {take_variable("LISTEN_PID"), take_variable("LISTEN_FDS"), take_variable("LISTEN_FDNAMES")};
}

base::Result<std::vector<PassedSocket>> passed_sockets(const ActivationVariables& variables, long own_pid) {
  std::vector<PassedSocket> sockets;
  if (!variables.pid || !variables.count) return sockets;
  const auto pid = base::parse_number<long>(*variables.pid);
  const auto count = base::parse_number<int>(*variables.count);
  if (!pid || !count || *count < 0 || *count > kMostDescriptors) {
    return base::fail(base::ErrorCode::kInvalidParameter, "LISTEN_PID or LISTEN_FDS is not a number in its range");
  }
  if (*pid != own_pid) return sockets;
  const std::string all_names = variables.names.value_or("");
  const auto names = base::split(all_names, ':');
  for (int i = 0; i < *count; ++i) {
    const auto index = static_cast<std::size_t>(i);
    sockets.push_back({kFirstDescriptor + i, index < names.size() ? std::string(names[index]) : std::string()});
  }
  return sockets;
}

}  // namespace optimux::server

#include "apps/optimux/pool/sweep/exec_job.hpp"

#include "source/descriptor.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>
#include <system_error>
#include <vector>

namespace optimux::apps {
namespace {

using base::ErrorCode;

base::Status failed(const std::string& what, int error) {
  return base::fail(ErrorCode::kInternal, what + ": " + std::generic_category().message(error));
}

/// All three standard streams at /dev/null.
class SilentStreams {
 public:
  SilentStreams() {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions_, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions_, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  }
  SilentStreams(const SilentStreams&) = delete;
  SilentStreams& operator=(const SilentStreams&) = delete;
  ~SilentStreams() { posix_spawn_file_actions_destroy(&actions_); }

  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

/// Starts the program; its number, or the negative error.
pid_t start(const ExecJob& job) {
  std::vector<char*> arguments;
  for (const std::string& argument : job.arguments) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  const SilentStreams streams;
  pid_t child = 0;
  const int error = posix_spawnp(&child, arguments.front(), streams.get(), nullptr, arguments.data(), environ);
  return error == 0 ? child : -error;
}

/// Waits for the end of `child`; true when the time ran out and it had to be killed.
bool kill_at_timeout(pid_t child, double timeout) {
  // Not by its function: glibc 2.36 declares that without C linkage.
  const source::Descriptor process(static_cast<int>(syscall(SYS_pidfd_open, child, 0)));
  if (!process) return false;  // An old kernel: waits without a limit, as `wait4` does.
  pollfd ended{process.get(), POLLIN, 0};
  int ready = 0;
  do {
    ready = poll(&ended, 1, static_cast<int>(std::clamp(timeout * 1e3, 1.0, 3.6e6)));
  } while (ready < 0 && errno == EINTR);
  if (ready != 0) return false;
  kill(child, SIGKILL);  // It has not been waited for, so the number is still its own.
  return true;
}

double cpu_seconds(const rusage& usage) {
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

base::Status status_of(const ExecJob& job, int status, bool was_killed) {
  const std::string& program = job.arguments.front();
  if (was_killed) return base::fail(ErrorCode::kOriginTimeout, program + " did not end in time and was killed");
  if (WIFSIGNALED(status)) {
    return base::fail(ErrorCode::kInternal, program + " was ended by signal " + std::to_string(WTERMSIG(status)));
  }
  if (WEXITSTATUS(status) == 0) return {};
  return base::fail(ErrorCode::kInternal, program + " ended with code " + std::to_string(WEXITSTATUS(status)));
}

}  // namespace

JobRun run_program(const ExecJob& job, const JobRules& rules) {
  const pid_t child = start(job);
  if (child < 0) return {failed("cannot start " + job.arguments.front(), -child), 0};
  const bool was_killed = kill_at_timeout(child, rules.timeout);
  int status = 0;
  rusage usage{};
  while (wait4(child, &status, 0, &usage) < 0) {
    if (errno != EINTR) return {failed("cannot wait for " + job.arguments.front(), errno), 0};
  }
  return {status_of(job, status, was_killed), cpu_seconds(usage)};
}

}  // namespace optimux::apps

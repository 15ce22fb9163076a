#include "unit/source/program.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <future>

#include <gtest/gtest.h>

#include "source/descriptor.hpp"

namespace optimux::source {
namespace {

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> result;
  result.reserve(words.size() + 1);
  for (const std::string& word : words) result.push_back(const_cast<char*>(word.c_str()));
  result.push_back(nullptr);
  return result;
}

struct Pipe {
  Pipe() {
    std::array<int, 2> ends{-1, -1};
    EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    reader = Descriptor(ends[0]);
    writer = Descriptor(ends[1]);
  }
  std::string read_all() {
    writer.reset();
    std::string text;
    std::array<char, 65536> bytes{};
    for (ssize_t count = 1; count > 0;) {
      count = ::read(reader.get(), bytes.data(), bytes.size());
      if (count > 0) text.append(bytes.data(), static_cast<std::size_t>(count));
    }
    return text;
  }
  Descriptor reader;
  Descriptor writer;
};

}  // namespace

ProgramEnd run_program(const std::vector<std::string>& argv, const std::vector<std::string>& environment) {
  Pipe output;
  Pipe errors;
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, output.writer.get(), STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, errors.writer.get(), STDERR_FILENO);
  pid_t child = -1;
  const int failure =
      ::posix_spawnp(&child, argv[0].c_str(), &actions, nullptr, pointers(argv).data(), pointers(environment).data());
  ::posix_spawn_file_actions_destroy(&actions);
  EXPECT_EQ(failure, 0) << argv[0];
  if (failure != 0) return {};
  output.writer.reset();
  errors.writer.reset();
  auto said = std::async(std::launch::async, [&errors] { return errors.read_all(); });
  ProgramEnd end;
  end.output = output.read_all();
  end.errors = said.get();
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  if (WIFEXITED(status)) end.exit_code = WEXITSTATUS(status);
  return end;
}

}  // namespace optimux::source

#include "unit/source/scripted_resolver.hpp"

#include <dlfcn.h>
#include <netdb.h>

#include <map>
#include <mutex>
#include <optional>
#include <utility>

namespace optimux::source {
namespace {

using Answer = std::function<std::vector<std::string>()>;

struct Script {
  std::mutex mutex;
  bool active = false;
  std::map<std::string, Answer> answers;
  std::map<std::string, int> counts;
};

// Never destroyed: a resolver thread may outlive the test that started it.
Script& script() {
  static auto* const kScript = new Script;
  return *kScript;
}

using Getaddrinfo = int(const char*, const char*, const addrinfo*, addrinfo**);

int ask_library(const char* node, const char* service, const addrinfo* hints, addrinfo** result) {
  static auto* const kNext = reinterpret_cast<Getaddrinfo*>(::dlsym(RTLD_NEXT, "getaddrinfo"));
  return kNext(node, service, hints, result);
}

bool is_literal(const char* node) {
  addrinfo hints{};
  hints.ai_flags = AI_NUMERICHOST;
  addrinfo* result = nullptr;
  const bool literal = ask_library(node, nullptr, &hints, &result) == 0;
  if (literal) ::freeaddrinfo(result);
  return literal;
}

// Nothing when the C library is to answer.
std::optional<Answer> scripted_answer(const char* node) {
  const std::lock_guard lock(script().mutex);
  if (node == nullptr || !script().active || is_literal(node)) return std::nullopt;
  ++script().counts[node];
  const auto found = script().answers.find(node);
  return found == script().answers.end() ? Answer([] { return std::vector<std::string>(); }) : found->second;
}

int chain(const std::vector<std::string>& addresses, const char* service, const addrinfo* hints, addrinfo** result) {
  addrinfo** end = result;
  *result = nullptr;
  for (const std::string& address : addresses) {
    if (ask_library(address.c_str(), service, hints, end) != 0) continue;
    while (*end != nullptr) end = &(*end)->ai_next;
  }
  return *result == nullptr ? EAI_NONAME : 0;
}

}  // namespace

ScriptedResolver::ScriptedResolver() {
  const std::lock_guard lock(script().mutex);
  script().active = true;
}

ScriptedResolver::~ScriptedResolver() {
  const std::lock_guard lock(script().mutex);
  script().active = false;
  script().answers.clear();
  script().counts.clear();
}

void ScriptedResolver::set(const std::string& name, std::vector<std::string> addresses) {
  set(name, [addresses = std::move(addresses)] { return addresses; });
}

void ScriptedResolver::set(const std::string& name, std::function<std::vector<std::string>()> answer) {
  const std::lock_guard lock(script().mutex);
  script().answers[name] = std::move(answer);
}

int ScriptedResolver::count(const std::string& name) const {
  const std::lock_guard lock(script().mutex);
  const auto found = script().counts.find(name);
  return found == script().counts.end() ? 0 : found->second;
}

}  // namespace optimux::source

extern "C" int getaddrinfo(const char* node, const char* service, const addrinfo* hints, addrinfo** result) {
  using namespace optimux::source;
  const auto answer = scripted_answer(node);
  return answer ? chain((*answer)(), service, hints, result) : ask_library(node, service, hints, result);
}

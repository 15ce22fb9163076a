#pragma once

#include <functional>
#include <string>
#include <vector>

namespace optimux::source {

/// While it lives, decides what host names resolve to: it takes the place of the C library's getaddrinfo for the whole
/// test binary, libcurl included. One at a time. Names that it was not told of do not exist; literal addresses go on to
/// the C library.
class ScriptedResolver {
 public:
  ScriptedResolver();
  ScriptedResolver(const ScriptedResolver&) = delete;
  ScriptedResolver& operator=(const ScriptedResolver&) = delete;
  ~ScriptedResolver();

  /// From now on `name` resolves to these literal addresses, in this order.
  void set(const std::string& name, std::vector<std::string> addresses);
  /// From now on `name` resolves to what `answer` returns; it is called in libcurl's resolver threads and may block.
  void set(const std::string& name, std::function<std::vector<std::string>()> answer);
  /// Look-ups of `name` so far.
  int count(const std::string& name) const;
};

}  // namespace optimux::source

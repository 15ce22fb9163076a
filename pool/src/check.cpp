#include "optimux/pool/detail/check.hpp"

#include <cstdio>
#include <cstdlib>

namespace optimux::pool::detail {

void broken_invariant(const char* condition, const char* message, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: broken invariant: %s (%s)\n", file, line, message, condition);
  std::abort();
}

}  // namespace optimux::pool::detail

/// \file
/// Checks of invariants while running. On in debug builds (no NDEBUG) and wherever OPTIMUX_POOL_CHECKS is defined.
#pragma once

namespace optimux::pool::detail {

/// Prints `message` and where it was noticed, then ends the process. An invariant of the pool does not hold.
[[noreturn]] void broken_invariant(const char* condition, const char* message, const char* file, int line);

}  // namespace optimux::pool::detail

#if !defined(NDEBUG) || defined(OPTIMUX_POOL_CHECKS)
#define OPTIMUX_POOL_CHECK(condition, message) \
  ((condition) ? static_cast<void>(0)          \
               : ::optimux::pool::detail::broken_invariant(#condition, message, __FILE__, __LINE__))
#else
#define OPTIMUX_POOL_CHECK(condition, message) static_cast<void>(0)
#endif

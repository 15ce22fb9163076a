#include "optimux/pool/observer.hpp"

namespace optimux::pool {

std::string_view to_string(ExitKind kind) {
  switch (kind) {
    case ExitKind::kRetired: return "retired";
    case ExitKind::kStopped: return "stopped";
    case ExitKind::kReturned: return "returned";
    case ExitKind::kThrew: return "threw";
  }
  return "unknown";
}

}  // namespace optimux::pool

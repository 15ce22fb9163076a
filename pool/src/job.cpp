#include "optimux/pool/job.hpp"

namespace optimux::pool {

std::string_view to_string(Answer answer) {
  switch (answer) {
    case Answer::kAccepted: return "accepted";
    case Answer::kFull: return "full";
    case Answer::kStopped: return "stopped";
    case Answer::kDeadline: return "deadline";
  }
  return "unknown";
}

std::string_view to_string(Outcome outcome) {
  switch (outcome) {
    case Outcome::kDone: return "done";
    case Outcome::kFailed: return "failed";
    case Outcome::kCancelled: return "cancelled";
    case Outcome::kExpired: return "expired";
  }
  return "unknown";
}

}  // namespace optimux::pool

#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/http2_session.hpp"
#include "unit/http/http2_peer.hpp"

namespace optimux::http {

/// A session and its client, with no network between them. Time stands still unless the test moves it.
class Http2Link {
 public:
  explicit Http2Link(const Http2Limits& limits = {}, const Http2Peer::Settings& settings = {},
                     SchedulingPolicy policy = SchedulingPolicy::kPhases)
      : session(limits, policy, now), peer(settings) {}

  /// Takes what the client has to say to the server.
  void to_server() { to_server(peer.take()); }
  void to_server(std::string_view bytes) { session.feed(std::as_bytes(std::span(bytes)), now); }
  /// Takes what is in the output to the client.
  void to_client();
  /// Has the session produce all that it can, in frames of at most `most` bytes, without taking it anywhere.
  void produce(std::size_t most = 16'384);
  /// To and fro until neither has anything to say.
  void settle();

  /// The requests, refusals and resets that have come since the last call.
  std::vector<Http2Event> events();
  /// The streams of the requests among them; nothing else may be.
  std::vector<StreamId> requests();

  /// Answers 200 with a body that is whole.
  void answer(StreamId stream, std::string body, base::Phase phase = base::Phase::kFull);
  /// Answers 200 with a body of these phases, supplied one after another.
  void answer_in_phases(StreamId stream, std::vector<std::pair<base::Phase, std::string>> parts);

  Http2FloodGuard::Time now{std::chrono::hours(1)};
  Http2Session session;
  Http2Peer peer;
  std::vector<Http2Produced> produced;  ///< Of bodies, in order.

 private:
  struct Body {
    std::vector<std::pair<base::Phase, std::string>> parts;
    std::size_t next = 0;
  };

  void supply(StreamId stream);

  std::map<StreamId, Body> bodies_;
};

/// `text` as bytes of a body.
inline Http2Supply supply_of(std::string_view text, bool is_last, base::Phase phase = base::Phase::kFull) {
  return {{std::as_bytes(std::span(text))}, phase, is_last, true};
}

}  // namespace optimux::http

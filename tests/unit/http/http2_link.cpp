#include "unit/http/http2_link.hpp"

#include <utility>

#include <gtest/gtest.h>

namespace optimux::http {

void Http2Link::to_client() {
  while (!session.output().empty()) {
    const auto piece = session.output().front(1).at(0);
    peer.feed({reinterpret_cast<const char*>(piece.data()), piece.size()});
    session.output().take(piece.size());
  }
}

void Http2Link::produce(std::size_t most) {
  while (const auto made = session.produce(most, now)) {
    if (made->stream == 0) continue;
    produced.push_back(*made);
    if (made->is_dry && !made->is_end) supply(made->stream);
  }
}

void Http2Link::settle() {
  for (std::string bytes = peer.take(); true; bytes = peer.take()) {
    to_server(bytes);
    produce();
    if (bytes.empty() && session.output().empty()) return;
    to_client();
  }
}

std::vector<Http2Event> Http2Link::events() {
  std::vector<Http2Event> events;
  while (auto event = session.take_event()) events.push_back(std::move(*event));
  return events;
}

std::vector<StreamId> Http2Link::requests() {
  std::vector<StreamId> streams;
  for (const Http2Event& event : events()) {
    const auto* const request = std::get_if<Http2Request>(&event);
    EXPECT_NE(request, nullptr);
    if (request != nullptr) streams.push_back(request->stream);
  }
  return streams;
}

void Http2Link::answer(StreamId stream, std::string body, base::Phase phase) {
  answer_in_phases(stream, {{phase, std::move(body)}});
}

void Http2Link::answer_in_phases(StreamId stream, std::vector<std::pair<base::Phase, std::string>> parts) {
  bodies_[stream] = Body{std::move(parts), 0};
  ASSERT_TRUE(session.respond(stream, {200, {}, std::nullopt}, true));
  supply(stream);
}

void Http2Link::supply(StreamId stream) {
  const auto found = bodies_.find(stream);
  if (found == bodies_.end() || found->second.next == found->second.parts.size()) return;
  Body& body = found->second;
  const auto& [phase, text] = body.parts[body.next++];
  session.supply(stream, supply_of(text, body.next == body.parts.size(), phase));
}

}  // namespace optimux::http

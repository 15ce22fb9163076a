// An HTTP/2 session: no bytes of a client crash it, and whatever they are, nothing is sent without limit. The first
// byte says how they are cut; every request is answered, by its number, with a body, without one, or with a reset.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "http/http2_session.hpp"

namespace {

using namespace optimux::http;

const std::string kBody(5'000, 'x');

void answer(Http2Session& session, StreamId stream) {
  switch (stream / 2 % 4) {
    case 0: session.reset(stream, Http2Error::kInternalError); break;
    case 1: session.respond(stream, {204, {}, std::nullopt}, false); break;
    default:
      if (!session.respond(stream, {200, {{"Priority", "u=2"}}, std::nullopt}, true)) return;
      session.supply(stream, {{std::as_bytes(std::span(kBody))}, optimux::base::Phase::kFirst, stream % 8 == 5, true});
  }
}

void answer_all(Http2Session& session) {
  while (const auto event = session.take_event()) {
    if (const auto* const request = std::get_if<Http2Request>(&*event)) answer(session, request->stream);
    if (const auto* const refusal = std::get_if<Http2Refusal>(&*event)) answer(session, refusal->stream);
  }
}

void send_some(Http2Session& session, Http2Session::Time now) {
  for (int frames = 0; frames < 100; ++frames) {
    const auto produced = session.produce(1'000, now);
    if (!produced) break;
    if (produced->is_dry && !produced->is_end && produced->stream != 0)
      session.supply(produced->stream, {{}, {}, true});
  }
  if (session.output().size() > 1'000'000) std::abort();
  session.output().take(session.output().size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  Http2Session::Time now{std::chrono::hours(1)};
  Http2Limits limits;
  limits.max_streams = 10;
  limits.request = {.max_uri_bytes = 64, .max_header_bytes = 512, .max_header_fields = 8, .max_body_bytes = 64};
  Http2Session session(limits, static_cast<SchedulingPolicy>(data[0] % 4), now);
  auto bytes = std::as_bytes(std::span(data + 1, size - 1));
  const std::size_t at_once = 1 + std::size_t{data[0]} * 4;
  while (!bytes.empty()) {
    const std::size_t count = std::min(at_once, bytes.size());
    session.feed(bytes.first(count), now);
    bytes = bytes.subspan(count);
    answer_all(session);
    send_some(session, now);
    now += std::chrono::milliseconds(1);
  }
  session.expire_incomplete(now);
  session.end("done");
  send_some(session, now);
  return 0;
}

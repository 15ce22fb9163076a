#include "server/transport_bio.hpp"

#include <algorithm>
#include <array>
#include <new>
#include <span>

namespace optimux::server {
namespace {

TransportBioState& state_of(BIO* bio) {
  return *static_cast<TransportBioState*>(BIO_get_data(bio));
}

Transport::Outcome read_some(TransportBioState& state, std::span<char> buffer) {
  if (state.input.empty()) return state.below->read(buffer);
  const std::size_t count = state.input.copy(buffer.data(), buffer.size());
  state.input.erase(0, count);
  if (state.input.empty()) state.input.shrink_to_fit();
  return {Transport::Result::kDone, count};
}

int read_bytes(BIO* bio, char* data, int size) {
  BIO_clear_retry_flags(bio);
  TransportBioState& state = state_of(bio);
  const std::span<char> buffer(data, std::min(static_cast<std::size_t>(size), state.allowance));
  const Transport::Outcome outcome = buffer.empty() ? Transport::Outcome{} : read_some(state, buffer);
  if (outcome.result == Transport::Result::kDone) {
    state.allowance -= outcome.bytes;
    return static_cast<int>(outcome.bytes);
  }
  if (outcome.result == Transport::Result::kWouldBlock) {
    BIO_set_retry_read(bio);
    return -1;
  }
  state.is_over = true;
  return 0;
}

int write_bytes(BIO* bio, const char* data, int size) {
  BIO_clear_retry_flags(bio);
  const std::array<std::span<const std::byte>, 1> piece = {
      std::as_bytes(std::span(data, static_cast<std::size_t>(size)))};
  const Transport::Outcome outcome = state_of(bio).below->write(piece);
  if (outcome.result == Transport::Result::kDone) return static_cast<int>(outcome.bytes);
  if (outcome.result == Transport::Result::kWouldBlock) BIO_set_retry_write(bio);
  return -1;
}

long control(BIO* bio, int command, long /*number*/, void* /*argument*/) {
  if (command == BIO_CTRL_EOF) return state_of(bio).is_over && state_of(bio).input.empty() ? 1 : 0;
  return command == BIO_CTRL_FLUSH ? 1 : 0;
}

BioMethodHandle make_method() {
  BioMethodHandle method(BIO_meth_new(BIO_TYPE_SOURCE_SINK | BIO_get_new_index(), "transport"));
  if (!method) throw std::bad_alloc();
  BIO_meth_set_read(method.get(), &read_bytes);
  BIO_meth_set_write(method.get(), &write_bytes);
  BIO_meth_set_ctrl(method.get(), &control);
  return method;
}

}  // namespace

BioHandle make_transport_bio(TransportBioState& state) {
  static const BioMethodHandle kMethod = make_method();
  BioHandle bio(BIO_new(kMethod.get()));
  if (!bio) throw std::bad_alloc();
  BIO_set_data(bio.get(), &state);
  BIO_set_init(bio.get(), 1);
  return bio;
}

}  // namespace optimux::server

#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "server/openssl_handles.hpp"
#include "server/transport.hpp"

namespace optimux::server {

/// What OpenSSL reads from and writes to: a transport, after bytes that have been read of it before.
struct TransportBioState {
  std::unique_ptr<Transport> below;
  std::string input;     ///< Comes before the transport's next read.
  bool is_over = false;  ///< The transport has nothing to read any more.
  /// Bytes that OpenSSL may still read in the call that is under way; without any it is told to come again.
  std::size_t allowance = 0;
};

/// The BIO over `state`, which must outlive it. It never blocks and keeps no bytes.
BioHandle make_transport_bio(TransportBioState& state);

}  // namespace optimux::server

#include "server/ticket_keys.hpp"

#include <algorithm>
#include <utility>

#include <openssl/crypto.h>
#include <openssl/rand.h>

namespace optimux::server {
namespace {

bool fill_with_chance(TicketKeys::Key& key) {
  return RAND_bytes(key.name.data(), static_cast<int>(key.name.size())) == 1 &&
         RAND_priv_bytes(key.cipher.data(), static_cast<int>(key.cipher.size())) == 1 &&
         RAND_priv_bytes(key.mac.data(), static_cast<int>(key.mac.size())) == 1;
}

void forget(std::optional<TicketKeys::Key>& key) {
  if (key) OPENSSL_cleanse(&*key, sizeof(*key));
  key.reset();
}

}  // namespace

TicketKeys::~TicketKeys() {
  forget(current_);
  forget(previous_);
}

const TicketKeys::Key* TicketKeys::sealing_key() {
  age();
  if (current_) return &*current_;
  Key fresh;
  if (!fill_with_chance(fresh)) return nullptr;
  current_ = fresh;
  made_ = now_();
  OPENSSL_cleanse(&fresh, sizeof(fresh));
  return &*current_;
}

const TicketKeys::Key* TicketKeys::find(const unsigned char* name) {
  age();
  for (const std::optional<Key>* key : {&current_, &previous_}) {
    if (*key && std::equal((*key)->name.begin(), (*key)->name.end(), name)) return &**key;
  }
  return nullptr;
}

/// The next key is made when there is a ticket to seal; until then there may be none.
void TicketKeys::age() {
  const auto age = now_() - made_;
  if (current_ && age >= kPeriod) {
    forget(previous_);
    previous_ = current_;
    forget(current_);
  }
  if (previous_ && !current_ && age >= 2 * kPeriod) forget(previous_);
}

}  // namespace optimux::server

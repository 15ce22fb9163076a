#include "server/reader_keeper.hpp"

#include <utility>

namespace optimux::server {
namespace {

constexpr std::size_t kPiecesAtOnce = 64;

}  // namespace

void skip_available(base::SharedBody::Reader& reader) {
  reader.acknowledge_head();
  while (true) {
    std::size_t count = 0;
    for (const auto& piece : reader.peek_many(kPiecesAtOnce)) count += piece.size();
    if (count == 0) return;
    reader.consume(count);
  }
}

ReaderKeeper::ReaderKeeper(EventLoop& loop) : loop_(loop), readers_(std::make_shared<Readers>()) {}
ReaderKeeper::~ReaderKeeper() = default;

void ReaderKeeper::keep(base::SharedBody::Reader reader) {
  const std::uint64_t id = ++last_id_;
  readers_->emplace(id, std::move(reader));
  advance(loop_, readers_, id);
}

void ReaderKeeper::advance(EventLoop& loop, const std::shared_ptr<Readers>& readers, std::uint64_t id) {
  const auto found = readers->find(id);
  if (found == readers->end()) return;
  const std::weak_ptr<Readers> weak = readers;
  // Between skipping and waiting more may have come; the wait says so, and the loop goes round again.
  while (!found->second.body().is_finished()) {
    skip_available(found->second);
    const bool is_waiting = found->second.wait([&loop, weak, id] {
      loop.post([&loop, weak, id] {
        if (const auto alive = weak.lock()) advance(loop, alive, id);
      });
    });
    if (is_waiting) return;
  }
  readers->erase(found);
}

}  // namespace optimux::server

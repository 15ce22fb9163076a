#include "source/bytes_ranged_file.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace optimux::source {

BytesRangedFile::BytesRangedFile(std::shared_ptr<const base::ByteBuffer> bytes, SourceFacts facts,
                                 std::shared_ptr<PendingReads> reads)
    : bytes_(std::move(bytes)), facts_(std::move(facts)), reads_(std::move(reads)) {}

std::span<const std::byte> BytesRangedFile::head() const {
  return {bytes_->data(), std::min(bytes_->size(), kHeadBytes)};
}

void BytesRangedFile::read(std::uint64_t offset, std::size_t count, base::Deadline deadline, std::stop_token stop,
                           ReadCallback callback) {
  assert(count > 0 && offset < size() && count <= size() - offset && "reads lie within the file");
  const auto id = reads_->add_unless_closed(std::move(callback), deadline, stop, [](PendingReads::Id) {});
  if (id == 0) return;
  const std::span<const std::byte> part(bytes_->data() + offset, count);
  reads_->finish(id, std::make_shared<const base::ByteBuffer>(part));
}

}  // namespace optimux::source

#pragma once

#include <cstdint>
#include <memory>
#include <utility>

namespace optimux::source {

/// The memory that bodies under way take, all of them together. Of the loop's thread alone.
struct BodyBudget {
  std::uint64_t taken = 0;  ///< Bytes.
};

/// What one body has taken of it, given back at the end. Of the loop's thread alone.
class BodyLease {
 public:
  explicit BodyLease(std::shared_ptr<BodyBudget> budget) : budget_(std::move(budget)) {}
  BodyLease(const BodyLease&) = delete;
  BodyLease& operator=(const BodyLease&) = delete;
  ~BodyLease() { give_back(); }

  /// Raises the lease to `bytes`, unless all leases together would exceed `limit` bytes: then false, and it stays.
  bool grow_to(std::uint64_t bytes, std::uint64_t limit) {
    if (bytes <= held_) return true;
    const std::uint64_t others = budget_->taken - held_;
    if (bytes > limit || others > limit - bytes) return false;
    budget_->taken = others + bytes;
    held_ = bytes;
    return true;
  }
  void give_back() { budget_->taken -= std::exchange(held_, 0); }

 private:
  const std::shared_ptr<BodyBudget> budget_;
  std::uint64_t held_ = 0;
};

}  // namespace optimux::source

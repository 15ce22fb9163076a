#pragma once

#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace optimux::http {

/// A set of numbers below 4,096 that finds its smallest member, or the smallest from some number on, in constant time:
/// a bit for each number, and above them one for each word that has a bit set. Memory grows with the largest number
/// that was ever in it, an eighth of a byte each.
class IndexSet {
 public:
  static constexpr std::size_t kCapacity = 4'096;

  bool empty() const { return occupied_ == 0; }
  bool contains(std::size_t number) const {
    return number / 64 < words_.size() && (words_[number / 64] & bit(number)) != 0;
  }

  void insert(std::size_t number) {
    assert(number < kCapacity && "two levels of 64 bits");
    if (number / 64 >= words_.size()) words_.resize(number / 64 + 1);
    words_[number / 64] |= bit(number);
    occupied_ |= bit(number / 64);
  }
  /// The number is in the set.
  void erase(std::size_t number) {
    assert(contains(number));
    words_[number / 64] &= ~bit(number);
    if (words_[number / 64] == 0) occupied_ &= ~bit(number / 64);
  }
  void clear() {
    words_.assign(words_.size(), 0);
    occupied_ = 0;
  }

  /// The smallest member. The set is not empty.
  std::size_t first() const {
    assert(!empty());
    return first_in(trailing_zeros(occupied_));
  }
  /// The smallest member that is not below `number`, or else the smallest of all, as on a ring. The set is not empty;
  /// `number` is below `kCapacity`.
  std::size_t first_from(std::size_t number) const {
    const std::size_t word = number / 64;
    if (word < words_.size()) {
      const std::uint64_t rest = words_[word] >> (number % 64);
      if (rest != 0) return number + trailing_zeros(rest);
    }
    const std::uint64_t later = word == 63 ? 0 : occupied_ >> (word + 1);
    return later != 0 ? first_in(word + 1 + trailing_zeros(later)) : first();
  }

 private:
  static constexpr std::uint64_t bit(std::size_t number) { return std::uint64_t{1} << (number % 64); }
  static std::size_t trailing_zeros(std::uint64_t word) { return static_cast<std::size_t>(std::countr_zero(word)); }
  std::size_t first_in(std::size_t word) const { return word * 64 + trailing_zeros(words_[word]); }

  std::uint64_t occupied_ = 0;  // a bit for each word that is not 0
  std::vector<std::uint64_t> words_;
};

}  // namespace optimux::http

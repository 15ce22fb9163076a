/// \file
/// A callable that is owned by one place. Like `std::function`, but what it holds need only be movable, so that a
/// completion callback may own a promise or a connection.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace optimux::pool {

template <class Signature>
class UniqueFunction;

/// Holds any callable with the signature `Result(Arguments...)`. Callables of up to four pointers that move without
/// throwing are held in place, others on the heap. Not thread-safe; calling an empty one is a mistake of the caller.
template <class Result, class... Arguments>
class UniqueFunction<Result(Arguments...)> {
 public:
  /// An empty one.
  UniqueFunction() noexcept = default;
  /// An empty one.
  UniqueFunction(std::nullptr_t) noexcept {}  // NOLINT(google-explicit-constructor): as std::function

  /// Takes `callable` over; an empty `std::function` or a null pointer makes an empty one.
  template <class Callable, class Held = std::decay_t<Callable>>
  requires(!std::is_same_v<Held, UniqueFunction> && std::is_invocable_r_v<Result, Held&, Arguments...>) UniqueFunction(
      Callable&& callable) {  // NOLINT(google-explicit-constructor,bugprone-forwarding-reference-overload)
    if constexpr (kCanBeEmpty<Held> && !std::is_function_v<std::remove_reference_t<Callable>>) {
      if (!static_cast<bool>(callable)) return;
    }
    if constexpr (kFitsInside<Held>) {
      ::new (static_cast<void*>(&storage_)) Held(std::forward<Callable>(callable));
      operations_ = &kInside<Held>;
    } else {
      ::new (static_cast<void*>(&storage_)) Held*(new Held(std::forward<Callable>(callable)));
      operations_ = &kOutside<Held>;
    }
  }

  /// Takes over what `other` holds, which is empty afterwards.
  UniqueFunction(UniqueFunction&& other) noexcept { take(other); }
  /// Takes over what `other` holds, which is empty afterwards; what was held is destroyed.
  UniqueFunction& operator=(UniqueFunction&& other) noexcept {
    if (this != &other) {
      reset();
      take(other);
    }
    return *this;
  }
  UniqueFunction(const UniqueFunction&) = delete;
  UniqueFunction& operator=(const UniqueFunction&) = delete;
  ~UniqueFunction() { reset(); }

  /// True when there is something to call.
  explicit operator bool() const noexcept { return operations_ != nullptr; }

  /// Calls what is held; throws what it throws.
  Result operator()(Arguments... arguments) {
    return operations_->call(&storage_, std::forward<Arguments>(arguments)...);
  }

 private:
  static constexpr std::size_t kInsideSize = 4 * sizeof(void*);
  // Pointers and function wrappers; a lambda cannot be set to null.
  template <class Held>
  static constexpr bool kCanBeEmpty =
      std::is_constructible_v<bool, const Held&>&& std::is_assignable_v<Held&, std::nullptr_t>;
  template <class Held>
  static constexpr bool kFitsInside = sizeof(Held) <= kInsideSize &&
                                      alignof(Held) <= alignof(void*) && std::is_nothrow_move_constructible_v<Held>;

  struct Operations {
    Result (*call)(void*, Arguments&&...);
    void (*move)(void* from, void* to) noexcept;  // leaves `from` destroyed
    void (*destroy)(void*) noexcept;
  };

  template <class Held>
  static constexpr Operations kInside = {[](void* at, Arguments&&... arguments) -> Result {
                                           return (*static_cast<Held*>(at))(std::forward<Arguments>(arguments)...);
                                         },
                                         [](void* from, void* to) noexcept {
                                           ::new (to) Held(std::move(*static_cast<Held*>(from)));
                                           static_cast<Held*>(from)->~Held();
                                         },
                                         [](void* at) noexcept { static_cast<Held*>(at)->~Held(); }};

  template <class Held>
  static constexpr Operations kOutside = {
      [](void* at, Arguments&&... arguments) -> Result {
        return (**static_cast<Held**>(at))(std::forward<Arguments>(arguments)...);
      },
      [](void* from, void* to) noexcept { ::new (to) Held*(*static_cast<Held**>(from)); },
      [](void* at) noexcept { delete *static_cast<Held**>(at); }};

  void take(UniqueFunction& other) noexcept {
    if (other.operations_ == nullptr) return;
    other.operations_->move(&other.storage_, &storage_);
    operations_ = std::exchange(other.operations_, nullptr);
  }
  void reset() noexcept {
    if (operations_ != nullptr) std::exchange(operations_, nullptr)->destroy(&storage_);
  }

  const Operations* operations_ = nullptr;
  alignas(void*) std::byte storage_[kInsideSize];
};

}  // namespace optimux::pool

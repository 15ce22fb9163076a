/// \file
/// The coroutine type of the library.
#pragma once

#include "optimux/pool/detail/check.hpp"

#include <coroutine>
#include <exception>
#include <type_traits>
#include <utility>
#include <variant>

namespace optimux::pool {

template <class Value>
class Task;

namespace detail {

/// What the promises of all tasks have in common: who goes on when the task has ended.
struct TaskPromiseBase {
  struct Final {
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    // The caller is resumed in place of the task, not on top of it: a long chain of tasks needs no stack.
    template <class Promise>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> task) const noexcept {
      return task.promise().caller;
    }
    void await_resume() const noexcept {}
  };
  [[nodiscard]] std::suspend_always initial_suspend() const noexcept { return {}; }
  [[nodiscard]] Final final_suspend() const noexcept { return {}; }

  std::coroutine_handle<> caller;
};

template <class Value>
struct TaskPromise : TaskPromiseBase {
  Task<Value> get_return_object();
  template <class Given>
  void return_value(Given&& given) {
    result.template emplace<1>(std::forward<Given>(given));
  }
  void unhandled_exception() { result.template emplace<2>(std::current_exception()); }
  Value take() {
    if (result.index() == 2) std::rethrow_exception(std::get<2>(std::move(result)));
    return std::get<1>(std::move(result));
  }
  std::variant<std::monostate, Value, std::exception_ptr> result;
};

template <>
struct TaskPromise<void> : TaskPromiseBase {
  Task<void> get_return_object();
  void return_void() const noexcept {}
  void unhandled_exception() { error = std::current_exception(); }
  void take() {
    if (error) std::rethrow_exception(std::exchange(error, nullptr));
  }
  std::exception_ptr error;
};

}  // namespace detail

/// A coroutine that gives one value, or throws, to the one coroutine that awaits it. It starts when it is awaited, and
/// runs on the thread where that happens until it waits for something. What it throws comes out of the `co_await`. The
/// task owns the coroutine's frame: destroying it before it has ended destroys what the coroutine holds, which must not
/// be done while it waits for an event. Besides what the coroutine itself needs, a frame of `Task<>` holds two
/// pointers. Parameters taken by reference must outlive the task.
template <class Value = void>
class [[nodiscard]] Task {
 public:
  /// The language's name for what stands behind a coroutine.
  using promise_type = detail::TaskPromise<Value>;

  /// No coroutine.
  Task() = default;
  /// Takes the coroutine over; `other` is empty afterwards.
  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  /// Exchanges the coroutines.
  Task& operator=(Task&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;
  ~Task() {
    if (handle_) handle_.destroy();
  }

  /// True when there is a coroutine.
  explicit operator bool() const { return static_cast<bool>(handle_); }

  /// Runs the task and gives its value; throws what it threw. Once.
  auto operator co_await() const noexcept {
    struct Awaiter {
      std::coroutine_handle<promise_type> task;
      [[nodiscard]] bool await_ready() const noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<> caller) const noexcept {
        task.promise().caller = caller;
        return task;
      }
      Value await_resume() const { return task.promise().take(); }
    };
    OPTIMUX_POOL_CHECK(handle_ && !handle_.done(), "a task is awaited once");
    return Awaiter{handle_};
  }

 private:
  friend promise_type;
  explicit Task(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
  std::coroutine_handle<promise_type> handle_;
};

namespace detail {

template <class Value>
Task<Value> TaskPromise<Value>::get_return_object() {
  return Task<Value>(std::coroutine_handle<TaskPromise>::from_promise(*this));
}
inline Task<void> TaskPromise<void>::get_return_object() {
  return Task<void>(std::coroutine_handle<TaskPromise>::from_promise(*this));
}

/// A coroutine that nobody awaits: it starts at once and frees itself when it ends. What it throws terminates.
struct Detached {
  struct promise_type {  // NOLINT(readability-identifier-naming): the language's name
    [[nodiscard]] Detached get_return_object() const noexcept { return {}; }
    [[nodiscard]] std::suspend_never initial_suspend() const noexcept { return {}; }
    [[nodiscard]] std::suspend_never final_suspend() const noexcept { return {}; }
    void return_void() const noexcept {}
    [[noreturn]] void unhandled_exception() const noexcept { std::terminate(); }
  };
};

}  // namespace detail
}  // namespace optimux::pool

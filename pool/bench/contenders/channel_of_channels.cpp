// The dispatcher: each worker owns a channel of one job and, when it is free, puts that channel into the pool's channel
// of channels. A dispatcher thread takes a job from the queue and a channel from the pool, and puts one into the other.

#include "contender.hpp"
#include "work.hpp"

#include <condition_variable>
#include <deque>
#include <latch>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace optimux::pool::bench {
namespace {

template <class Value>
class Channel {
 public:
  explicit Channel(std::size_t capacity) : capacity_(capacity) {}

  void send(Value value) {
    std::unique_lock lock(mutex_);
    not_full_.wait(lock, [this] { return values_.size() < capacity_; });
    values_.push_back(std::move(value));
    lock.unlock();
    not_empty_.notify_one();
  }
  /// Empty once the channel is closed and nothing is left in it.
  std::optional<Value> receive() {
    std::unique_lock lock(mutex_);
    not_empty_.wait(lock, [this] { return closed_ || !values_.empty(); });
    if (values_.empty()) return std::nullopt;
    std::optional<Value> value = std::move(values_.front());
    values_.pop_front();
    lock.unlock();
    not_full_.notify_one();
    return value;
  }
  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    not_empty_.notify_all();
  }

 private:
  const std::size_t capacity_;
  std::mutex mutex_;
  std::condition_variable not_full_;
  std::condition_variable not_empty_;
  std::deque<Value> values_;
  bool closed_ = false;
};

struct Job {
  std::uint32_t steps;
  std::latch* ended;
};

class ChannelOfChannels final : public Contender {
 public:
  explicit ChannelOfChannels(int workers) : free_(static_cast<std::size_t>(workers)) {
    for (int i = 0; i < workers; ++i) channels_.push_back(std::make_unique<Channel<Job>>(1));
    for (auto& channel : channels_) threads_.emplace_back([this, own = channel.get()] { work(*own); });
    dispatcher_ = std::thread([this] { dispatch(); });
  }
  ~ChannelOfChannels() override {
    jobs_.close();
    dispatcher_.join();
    for (auto& channel : channels_) channel->close();
    for (std::thread& thread : threads_) thread.join();
  }
  void run(std::int64_t jobs, std::uint32_t steps) override {
    std::latch ended(jobs);
    for (; jobs > 0; --jobs) jobs_.send({steps, &ended});
    ended.wait();
  }

 private:
  void dispatch() {
    while (const std::optional<Job> job = jobs_.receive()) (*free_.receive())->send(*job);
  }
  void work(Channel<Job>& own) {
    for (;;) {
      free_.send(&own);
      const std::optional<Job> job = own.receive();
      if (!job) return;
      burn(job->steps);
      job->ended->count_down();
    }
  }

  Channel<Job> jobs_{kCapacity};
  Channel<Channel<Job>*> free_;
  std::vector<std::unique_ptr<Channel<Job>>> channels_;
  std::vector<std::thread> threads_;
  std::thread dispatcher_;
};

}  // namespace

std::unique_ptr<Contender> make_channel_of_channels(int workers) {
  return std::make_unique<ChannelOfChannels>(workers);
}

}  // namespace optimux::pool::bench

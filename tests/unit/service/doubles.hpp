#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/mutex.hpp"
#include "media/executor.hpp"
#include "service/job_pool.hpp"
#include "service/rendition.hpp"
#include "source/source.hpp"

/// What stands in for the layers below in tests of the service: nothing happens until the test says so. All of
/// them may be called from any thread.
namespace optimux::service::doubles {

inline std::shared_ptr<const base::ByteBuffer> bytes_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return std::make_shared<const base::ByteBuffer>(bytes);
}

/// All that a reader can read now, as text.
inline std::string read(base::SharedBody::Reader& reader) {
  std::string text;
  for (auto piece = reader.peek(); !piece.empty(); piece = reader.peek()) {
    text.append(reinterpret_cast<const char*>(piece.data()), piece.size());
    reader.consume(piece.size());
  }
  return text;
}

/// A pool whose jobs run in the thread of the test, when the test says so.
class ManualPool final : public JobPool {
 public:
  base::Status submit(Job job) override {
    const int number = ++submissions_;
    if (number == refused_submission_) return base::fail(base::ErrorCode::kOverloaded, "refused by the test");
    const auto entry = std::make_shared<Waiting>();
    entry->job = std::move(job);
    {
      base::MutexLock lock(mutex_);
      waiting_.push_back(entry);
    }
    // As the real one: a cancelled job leaves the queue in the thread that fires its token.
    entry->cancel.emplace(entry->job.stop, std::function<void()>([this, weak = std::weak_ptr(entry)] {
                            if (const auto cancelled = weak.lock()) drop(cancelled, Refusal::kCancelled);
                          }));
    return {};
  }

  /// Runs the job that has waited longest; false when none waits.
  bool run_next() {
    const auto entry = take_first();
    if (!entry) return false;
    const std::stop_token stop = entry->job.stop;
    Job job = release(*entry);
    job.run(std::chrono::microseconds(7), stop);
    if (job.was_cut_short && job.was_cut_short()) ++cut_short_;
    return true;
  }
  void run_all() {
    while (run_next()) {
    }
  }
  /// Ends the job that has waited longest without running it.
  bool drop_next(Refusal reason) {
    const auto entry = take_first();
    if (entry) release(*entry).dropped(reason);
    return entry != nullptr;
  }

  bool drain(base::Deadline) override { return waiting() == 0; }
  base::Status set_limits(int, int) override { return {}; }
  PoolFigures figures() const override { return {}; }
  std::vector<PoolDecision> decisions() const override { return {}; }
  std::chrono::microseconds expected_wait() const override { return std::chrono::microseconds(expected_wait_); }

  std::size_t waiting() const {
    base::MutexLock lock(mutex_);
    return waiting_.size();
  }
  /// Jobs that were run and said that they had been told to stop.
  int cut_short() const { return cut_short_; }
  int submissions() const { return submissions_; }
  /// Refuses the submission of that number from the start on, 1 being the first.
  void refuse_submission(int number) { refused_submission_ = number; }
  void set_expected_wait(std::chrono::microseconds wait) { expected_wait_ = wait.count(); }

 private:
  struct Waiting {
    Job job;
    std::optional<std::stop_callback<std::function<void()>>> cancel;
  };
  using Entry = std::shared_ptr<Waiting>;

  Entry take_first() {
    base::MutexLock lock(mutex_);
    if (waiting_.empty()) return nullptr;
    Entry entry = waiting_.front();
    waiting_.pop_front();
    return entry;
  }
  void drop(const Entry& entry, Refusal reason) {
    {
      base::MutexLock lock(mutex_);
      if (std::erase(waiting_, entry) == 0) return;
    }
    Job job = std::move(entry->job);
    job.dropped(reason);
  }
  static Job release(Waiting& entry) {
    entry.cancel.reset();
    return std::move(entry.job);
  }

  mutable base::Mutex mutex_;
  std::list<Entry> waiting_ OPTIMUX_GUARDED_BY(mutex_);
  std::atomic<int> submissions_ = 0;
  std::atomic<int> cut_short_ = 0;
  std::atomic<int> refused_submission_ = 0;
  std::atomic<std::int64_t> expected_wait_ = 0;
};

/// A source whose fetches end when the test says so.
class ManualSource final : public source::Source {
 public:
  void fetch(source::FetchRequest request, source::FetchCallback callback) override {
    base::MutexLock lock(mutex_);
    ++fetches_;
    pending_.push_back({std::move(request), std::move(callback)});
  }

  bool has_local_files() const override { return are_files_local; }
  std::atomic<bool> are_files_local = true;  ///< Read when a table of fetches is made.

  /// Ends the oldest pending fetch with `result`, or with kCancelled if nobody wants it any more, as a source does.
  bool answer(base::Result<source::FetchedSource> result) {
    Pending pending;
    {
      base::MutexLock lock(mutex_);
      if (pending_.empty()) return false;
      pending = std::move(pending_.front());
      pending_.pop_front();
    }
    if (pending.request.stop.stop_requested())
      result = base::fail(base::ErrorCode::kCancelled, "the fetch was cancelled");
    pending.callback(std::move(result));
    return true;
  }
  /// Ends the oldest pending fetch well.
  bool answer(std::string_view content = "picture", source::SourceFacts facts = {}) {
    return answer(source::FetchedSource{bytes_of(content), std::move(facts)});
  }
  bool fail(base::ErrorCode code, std::string detail = "failed by the test") {
    return answer(base::fail(code, std::move(detail)));
  }

  int fetches() const {
    base::MutexLock lock(mutex_);
    return fetches_;
  }
  std::size_t pending() const {
    base::MutexLock lock(mutex_);
    return pending_.size();
  }
  /// What the newest pending fetch is told that its request came through.
  std::string via() const {
    base::MutexLock lock(mutex_);
    return pending_.empty() ? "" : pending_.back().request.via;
  }
  /// What the newest pending fetch is asked with.
  source::SourceValidators validators() const {
    base::MutexLock lock(mutex_);
    return pending_.empty() ? source::SourceValidators() : pending_.back().request.validators;
  }
  /// What the newest pending fetch asks about first bytes.
  source::IsOther is_other() const {
    base::MutexLock lock(mutex_);
    return pending_.empty() ? source::IsOther() : pending_.back().request.is_other;
  }
  /// Whether the oldest pending fetch has been told to stop.
  bool is_cancelled() const {
    base::MutexLock lock(mutex_);
    return !pending_.empty() && pending_.front().request.stop.stop_requested();
  }

 private:
  struct Pending {
    source::FetchRequest request;
    source::FetchCallback callback;
  };
  mutable base::Mutex mutex_;
  std::deque<Pending> pending_ OPTIMUX_GUARDED_BY(mutex_);
  int fetches_ OPTIMUX_GUARDED_BY(mutex_) = 0;
};

/// An executor that renders a text: the source's, with the size and the quality that were asked for.
class TextExecutor final : public media::Executor {
 public:
  /// What to do in the middle of a render: after the given output has been started.
  std::function<void(std::size_t index, const media::OperationControl& control)> during_render;
  std::function<void()> during_inspect;
  std::atomic<std::uint64_t> memory = 100;
  std::atomic<int> failed_render = 0;      ///< Number of the render that fails after its first output, from 1.
  std::atomic<int> failed_inspection = 0;  ///< Number of the inspection that fails, from 1.
  base::ErrorCode failure = base::ErrorCode::kBrokenMedia;

  base::Result<media::ImageInfo> inspect(const media::SourceBuffer& source, const media::OperationControl&) override {
    if (during_inspect) during_inspect();
    if (++inspections_ == failed_inspection) return base::fail(failure, "inspection failed by the test");
    media::ImageInfo info;
    info.width = 40;
    info.height = 30;
    info.bytes = source->size();
    return info;
  }

  base::Result<media::ImageInfo> inspect_with_blur_hash(const media::SourceBuffer& source,
                                                        const media::OperationControl& control) override {
    auto info = inspect(source, control);
    if (info) info->blur_hash = "L6PZfSi_.AyE_3t7t7R**0o#DgR4";
    return info;
  }

  std::uint64_t estimate_memory(const media::ImageInfo&, const media::RenderSpec&) const override { return memory; }

  base::Result<media::RenderReport> render(const media::SourceBuffer& source, const media::RenderSpec& spec,
                                           std::span<const std::shared_ptr<base::SharedBody>> outputs,
                                           const media::OperationControl& control) override {
    const int number = ++renders_;
    remember(source);
    last_size_count_ = static_cast<int>(spec.sizes.size());
    media::RenderReport report{media::Format::kWebp, std::chrono::microseconds(11), {}};
    control.on_progress(report);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      outputs[i]->start({"image/webp", spec.sizes[i].width, spec.sizes[i].height, 1});
      if (during_render) during_render(i, control);
      const auto error = failure_of(number, i, control);
      if (error) return fail_rest(*error, outputs);
      outputs[i]->append(*bytes_of(text(source, spec, i)));
      report.encode += std::chrono::microseconds(13);
      control.on_progress(report);
      outputs[i]->complete();
    }
    return report;
  }

  /// What a rendition of that source and spec reads.
  static std::string text(const media::SourceBuffer& source, const media::RenderSpec& spec, std::size_t index) {
    const std::string content(reinterpret_cast<const char*>(source->data()), source->size());
    return content + "@" + std::to_string(spec.sizes[index].width) + "x" + std::to_string(spec.sizes[index].height) +
           "q" + std::to_string(spec.quality.value_or(0));
  }

  int renders() const { return renders_; }
  int inspections() const { return inspections_; }
  int last_size_count() const { return last_size_count_; }
  /// Whether anybody still holds the source that was rendered last.
  bool still_holds_source() const {
    base::MutexLock lock(mutex_);
    return !last_source_.expired();
  }

 private:
  void remember(const media::SourceBuffer& source) {
    base::MutexLock lock(mutex_);
    last_source_ = source;
  }
  std::optional<base::Error> failure_of(int number, std::size_t index, const media::OperationControl& control) const {
    if (control.stop.stop_requested()) return base::Error{base::ErrorCode::kCancelled, "stopped", {}};
    if (number == failed_render && index == 0) return base::Error{failure, "render failed by the test", {}};
    return std::nullopt;
  }
  static tl::unexpected<base::Error> fail_rest(const base::Error& error,
                                               std::span<const std::shared_ptr<base::SharedBody>> outputs) {
    for (const auto& output : outputs) output->fail(error);
    return base::fail(error);
  }

  std::atomic<int> renders_ = 0;
  std::atomic<int> inspections_ = 0;
  std::atomic<int> last_size_count_ = 0;
  mutable base::Mutex mutex_;
  std::weak_ptr<const base::ByteBuffer> last_source_ OPTIMUX_GUARDED_BY(mutex_);
};

}  // namespace optimux::service::doubles

#include "service/render_job.hpp"

#include <algorithm>
#include <exception>
#include <string_view>
#include <utility>
#include <variant>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "service/elapsed.hpp"
#include "service/rendition_tag.hpp"
#include "service/source_part.hpp"
#include "source/source_url.hpp"

namespace optimux::service {
namespace {

using base::Error;
using base::ErrorCode;
using base::fail;
using std::chrono::microseconds;
using Clock = base::Deadline::Clock;

/// A BlurHash is made from a picture of about this size, whatever the source's.
constexpr media::Size kBlurHashBox = {128, 128};

Error deadline_error() {
  return {ErrorCode::kDeadlineExceeded, "the request ran out of its time while it was being processed", {}};
}

std::string_view text_of(const base::ByteBuffer& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

media::RenderSpec spec_for_budget(const JobPlan& plan, const media::RenderSpec& render) {
  if (plan.product == JobPlan::Product::kPictures) return render;
  media::RenderSpec spec;
  spec.sizes = {kBlurHashBox};
  return spec;
}

}  // namespace

void RenderJob::start(JobPlan plan) {
  plan_ = std::move(plan);
  if (const auto admission = judge([this](base::Deadline deadline) { return admit(deadline); }); !admission) {
    return end(admission.error());
  }
  watch_deadline();
  search();
}

base::Status RenderJob::judge(const std::function<base::Status(base::Deadline)>& judgement) {
  for (;;) {
    const auto deadline = context_->flights.deadline_of(*this);
    auto verdict = judgement(deadline);
    // Refused for want of time, while somebody with more of it has joined: once more.
    if (verdict || context_->flights.close_unless_prolonged(*this, deadline)) return verdict;
  }
}

base::Status RenderJob::admit(base::Deadline deadline) const {
  if (context_->is_draining) return fail(ErrorCode::kShuttingDown, "the server is shutting down");
  if (deadline.has_passed(Clock::now())) return fail(deadline_error());
  return {};
}

base::Status RenderJob::admit_to_source(base::Deadline deadline) const {
  auto failure = context_->failures.find(plan_.source, Clock::now(), source_part(plan_));
  if (failure) return fail(*std::move(failure));
  if (auto room = make_room(Clock::now()); !room) return room;
  // A fetch that nobody can wait for would only add to the load.
  if (!leaves_time(context_->pool.expected_wait(), deadline)) {
    return fail(ErrorCode::kOverloaded, "the wait for a worker would outlast the request's time");
  }
  return {};
}

/// What is kept for later goes first. A look that is not new has been acted upon already.
base::Status RenderJob::make_room(Clock::time_point now) const {
  const MemoryWatch::Look look = context_->memory.look(now);
  if (look.level == MemoryWatch::Level::kPlenty) return {};
  if (look.is_new) context_->halve_caches();
  if (look.level == MemoryWatch::Level::kTight) return {};
  return fail(ErrorCode::kOverloaded, "the memory is used up; see Retry-After", "memory_limit is near");
}

void RenderJob::watch_deadline() {
  const auto id = context_->deadlines.add(context_->flights.deadline_of(*this), [weak = weak_from_this()] {
    if (const auto job = weak.lock()) job->deadline_passed();
  });
  {
    base::MutexLock lock(mutex_);
    if (!has_ended_) {
      held_.watch = id;
      return;
    }
  }
  context_->deadlines.remove(id);
}

void RenderJob::deadline_passed() {
  if (context_->flights.close_if_expired(*this, Clock::now())) return end(deadline_error());
  watch_deadline();  // somebody with a later one has joined
}

void RenderJob::output_abandoned() {
  if (plan_.is_behind || !context_->flights.close_if_abandoned(*this)) return;
  end({ErrorCode::kCancelled, "nobody waits for the picture any more", {}});
}

void RenderJob::fetch() {
  {
    base::MutexLock lock(mutex_);
    stage_began_ = Clock::now();
  }
  FetchTable::Ticket ticket = context_->fetches->join(
      plan_.source, plan_.via, [self = shared_from_this()](const auto& result) { self->fetched(result); },
      state_of_older());
  base::MutexLock lock(mutex_);
  if (!has_ended_) held_.fetch = std::move(ticket);
}

void RenderJob::fetched(const base::Result<source::FetchedSource>& result) {
  if (!result) {
    if (give_stale(result.error())) return;
    return end_without_source(result.error());
  }
  if (result->not_modified) return confirmed(result->facts);
  auto memory = context_->sources->take(result->bytes->size());
  if (!memory) return end({ErrorCode::kOverloaded, "too many pictures wait for a worker", "source_bytes is used up"});
  {
    base::MutexLock lock(mutex_);
    if (has_ended_) return;
    held_.source = result->bytes;
    held_.source_memory = std::move(memory);
    note_source(result->facts);
    timings_.source_bytes = result->bytes->size();
  }
  submit(&RenderJob::inspect);
}

void RenderJob::note_source(const source::SourceFacts& facts) {
  facts_.cache_control = facts.cache_control;
  facts_.last_modified = facts.last_modified;
  facts_.source_etag = facts.etag;
  facts_.source_place = facts.place;
  timings_.fetch = since(stage_began_);
}

void RenderJob::submit(Step step) {
  const auto pass = context_->activities->enter();
  if (has_ended()) return;  // asked after entering: the service may be waiting for the last activity before it goes
  JobPool::Job job;
  job.run = [self = shared_from_this(), pass, step](microseconds waited, std::stop_token stop) {
    self->run(step, waited, std::move(stop));
  };
  job.was_cut_short = [self = shared_from_this(), pass] { return self->was_cut_short(); };
  job.dropped = [self = shared_from_this(), pass, step](JobPool::Refusal reason) { self->dropped(reason, step); };
  job.stop = stop_.get_token();
  const auto accepted = judge([&](base::Deadline deadline) {
    job.deadline = deadline;
    return context_->pool.submit(job);
  });
  if (!accepted) end(accepted.error());
}

void RenderJob::run(Step step, microseconds waited, std::stop_token stop) {
  // Nothing below throws but for want of memory; readers must hear of that too, and the worker go on.
  try {
    (this->*step)(waited, std::move(stop));
  } catch (const std::exception& failure) {
    end({ErrorCode::kInternal, "the picture could not be made", failure.what()});
  }
}

void RenderJob::dropped(JobPool::Refusal reason, Step step) {
  switch (reason) {
    case JobPool::Refusal::kExpired:
      if (context_->flights.close_if_expired(*this, Clock::now())) return end(deadline_error());
      return submit(step);  // somebody with a later deadline has joined
    case JobPool::Refusal::kStopped: return end({ErrorCode::kShuttingDown, "the server is shutting down", {}});
    case JobPool::Refusal::kFull: return end({ErrorCode::kOverloaded, "too many pictures wait for a worker", {}});
    case JobPool::Refusal::kCancelled: return end({ErrorCode::kCancelled, "nobody waits for the picture any more", {}});
  }
}

void RenderJob::inspect(microseconds waited, std::stop_token stop) {
  media::SourceBuffer source;
  {
    base::MutexLock lock(mutex_);
    was_cut_short_ = has_ended_;
    if (has_ended_) return;
    timings_.queue = waited;
    source = held_.source;
  }
  const std::string source_fingerprint = base::fingerprint(text_of(*source));
  if (reuse_unchanged(source_fingerprint)) return;
  const auto info = context_->executor.inspect(source, {stop, base::Deadline::never(), {}});
  if (!info) {
    ++context_->counters.renders;
    {
      base::MutexLock lock(mutex_);
      was_cut_short_ = info.error().code == ErrorCode::kCancelled;
    }
    return end_by_source(info.error());
  }
  work_.info = *info;
  is_readable_ = true;
  announce(source_fingerprint);
  auto place =
      context_->budget->acquire(context_->executor.estimate_memory(*info, spec_for_budget(plan_, work_.render)),
                                [self = shared_from_this()](auto memory) { self->memory_granted(std::move(memory)); });
  if (!place) return end(place.error());
  if (auto* line = std::get_if<DecodeBudget::Ticket>(&*place)) return wait_for_memory(std::move(*line));
  source.reset();
  {
    base::MutexLock lock(mutex_);
    was_cut_short_ = has_ended_;
    if (has_ended_) return;
    held_.memory = std::get<DecodeBudget::Lease>(*std::move(place));
  }
  render(std::move(stop));
}

/// Whoever only wants to know whether his copy is still right has his answer now, and may leave before the render.
void RenderJob::announce(const std::string& source_fingerprint) {
  RenditionFacts facts;
  RenditionTimings timings;
  {
    base::MutexLock lock(mutex_);
    facts = facts_;
    timings = timings_;
    stage_began_ = Clock::now();
  }
  facts.source_fingerprint = source_fingerprint;
  for (const auto& output : work_.outputs) {
    facts.etag = rendition_tag(source_fingerprint, output->key(), work_.outputs);
    output->set_timings(timings);
    output->set_facts(facts);
  }
  for (const auto& output : work_.outputs) output->body()->wake_readers();
}

void RenderJob::wait_for_memory(DecodeBudget::Ticket line) {
  base::MutexLock lock(mutex_);
  if (!has_ended_) held_.line = std::move(line);
}

void RenderJob::memory_granted(base::Result<DecodeBudget::Lease> memory) {
  if (!memory) return end(memory.error());
  {
    base::MutexLock lock(mutex_);
    if (has_ended_) return;
    held_.memory = *std::move(memory);
  }
  submit(&RenderJob::render_later);
}

void RenderJob::render_later(microseconds /*waited*/, std::stop_token stop) {
  {
    base::MutexLock lock(mutex_);
    timings_.queue += since(stage_began_);
  }
  render(std::move(stop));
}

void RenderJob::render(std::stop_token stop) {
  media::SourceBuffer source;
  SourceMemory::Lease source_memory;
  DecodeBudget::Lease memory;
  {
    base::MutexLock lock(mutex_);
    was_cut_short_ = has_ended_;
    if (has_ended_) return;
    source = std::move(held_.source);
    source_memory = std::move(held_.source_memory);
    memory = std::move(held_.memory);
    for (const auto& output : work_.outputs) output->set_timings(timings_);
  }
  ++context_->counters.renders;  // before its readers can see the end
  // Without a deadline of its own: the job's may still move, and the stop token tells the end.
  const auto report = produce(source, {std::move(stop), base::Deadline::never(),
                                       [this](const media::RenderReport& so_far) { note_times(so_far); }});
  source.reset();
  source_memory = {};
  memory = {};
  rendered(report);
}

void RenderJob::rendered(const base::Result<media::RenderReport>& report) {
  keep_finished();
  if (!report) {
    {
      base::MutexLock lock(mutex_);
      was_cut_short_ = report.error().code == ErrorCode::kCancelled;
    }
    return end_by_source(report.error());
  }
  if (close()) fail_outputs({ErrorCode::kInternal, "the picture could not be made", "a rendition was left unfinished"});
}

void RenderJob::note_times(const media::RenderReport& report) {
  base::MutexLock lock(mutex_);
  timings_.decode = report.decode;
  timings_.encode = report.encode;
  for (const auto& output : work_.outputs) output->set_timings(timings_);
}

void RenderJob::keep_finished() {
  const auto now = Clock::now();
  const bool may_keep = !forbids_keeping(work_.outputs.front()->facts().cache_control);
  for (const auto& output : work_.outputs) {
    if (output->body()->state() != base::SharedBody::State::kComplete) continue;
    output->set_validated_at(now);
    if (!may_keep) continue;
    keep_in_memory(output);
    context_->tiers.insert(output);
  }
}

void RenderJob::end(const Error& error) {
  const auto pass = context_->activities->enter();
  if (!close()) return;
  count(error);
  fail_outputs(error);  // before the stop, which would make the executor fail them for a lesser reason
  stop_.request_stop();
}

bool RenderJob::was_cut_short() const {
  base::MutexLock lock(mutex_);
  return was_cut_short_;
}

bool RenderJob::has_ended() const {
  base::MutexLock lock(mutex_);
  return has_ended_;
}

bool RenderJob::close() {
  Holdings released;  // outside of the mutex: it calls into other rooms
  {
    base::MutexLock lock(mutex_);
    if (has_ended_) return false;
    has_ended_ = true;
    released = std::exchange(held_, Holdings{});
  }
  context_->flights.close(*this);
  context_->deadlines.remove(released.watch);
  context_->deadlines.remove(released.patience);
  return true;
}

void RenderJob::fail_outputs(const Error& error) {
  for (const auto& output : plan_.outputs) output->body()->fail(error);
}

void RenderJob::count(const Error& error) {
  if (error.code == ErrorCode::kCancelled) ++context_->counters.cancelled;
  if (error.code == ErrorCode::kOverloaded) context_->counters.refused += static_cast<std::uint64_t>(requests());
  if (error.code != ErrorCode::kInternal) return;
  context_->log.error("a rendition failed",
                      {{"source", source::without_query(plan_.source.canonical())}, {"cause", error.cause}});
}

/// A request reads one or more of the outputs, so the most wanted one counts them.
int RenderJob::requests() const {
  int most = 0;
  for (const auto& output : plan_.outputs) most = std::max(most, output->body()->reader_count());
  return most;
}

}  // namespace optimux::service

#include "apps/optimux/transform/transfer.hpp"

#include <utility>

namespace optimux::apps {

using base::ErrorCode;
using base::SharedBody;

namespace {

std::string_view code_of(ErrorCode code, const Input& input) {
  const bool is_url = input.kind == Input::Kind::kUrl;
  if (!is_url && code == ErrorCode::kNotFound) return "no_such_file";
  if (!is_url && code == ErrorCode::kForbiddenSource) return "cannot_read";
  return base::name_of(code);
}

// A wait that was interrupted is no failure of the output.
Failure output_failure(const base::Error& error) {
  const bool is_interrupted = error.code == ErrorCode::kCancelled;
  return {is_interrupted ? std::string(base::name_of(error.code)) : "cannot_write", error.detail, error.cause};
}

}  // namespace

Failure failure_of(const base::Error& error, const Input& input) {
  return {std::string(code_of(error.code, input)), error.detail, error.cause};
}

Transfer::Transfer(service::OpenedRendition opened, const Input& input, std::size_t size_index, Outcome outcome,
                   OutputPlan& plan, source::Reactor& reactor)
    : opened_(std::move(opened)),
      input_(input),
      size_index_(size_index),
      plan_(plan),
      reactor_(reactor),
      started_(std::chrono::steady_clock::now()),
      outcome_(std::move(outcome)) {}

void Transfer::start(Done done) {
  done_ = std::move(done);
  wake_later();
}

void Transfer::wake_later() {
  reactor_.post([weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->advance();
  });
}

void Transfer::advance() {
  bool is_waiting = false;
  while (!is_waiting) {
    if (pump()) {
      opened_.reader = SharedBody::Reader();
      std::exchange(done_, nullptr)(std::move(outcome_));
      return;
    }
    is_waiting = opened_.reader.wait([weak = weak_from_this(), &reactor = reactor_] {
      reactor.post([weak] {
        if (const auto self = weak.lock()) self->advance();
      });
    });
  }
}

bool Transfer::pump() {
  const SharedBody& body = opened_.reader.body();
  if (const auto error = body.error()) return fail(failure_of(*error, input_));
  const auto head = body.head();
  if (!head) return false;
  opened_.reader.acknowledge_head();
  if (!file_ && open_output(*head)) return true;
  return write_available();
}

bool Transfer::open_output(const base::BodyHead& head) {
  outcome_.width = head.width;
  outcome_.height = head.height;
  if (outcome_.output.empty() && claim_output(head)) return true;
  auto file = plan_.open(outcome_.output);
  if (!file) return fail(output_failure(file.error()));
  file_.emplace(*std::move(file));
  return false;
}

bool Transfer::claim_output(const base::BodyHead& head) {
  const auto path = plan_.path_for(input_, size_index_, &head);
  if (!path)
    return fail(
        {std::string(base::name_of(ErrorCode::kInternal)), "cannot name a file of type " + head.content_type, ""});
  outcome_.output = path->string();
  auto verdict = plan_.claim(*path);
  if (!verdict) return fail(std::move(verdict).error());
  outcome_.kind = Outcome::Kind::kSkipped;
  return *verdict == OutputPlan::Verdict::kSkip;
}

bool Transfer::write_available() {
  for (auto bytes = opened_.reader.peek(); !bytes.empty(); bytes = opened_.reader.peek()) {
    if (const auto written = file_->write(bytes); !written) return fail(output_failure(written.error()));
    opened_.reader.consume(bytes.size());
  }
  return opened_.reader.at_end() && finish_written();
}

bool Transfer::finish_written() {
  if (const auto committed = file_->commit(plan_.overwrites()); !committed)
    return fail(output_failure(committed.error()));
  outcome_.kind = Outcome::Kind::kWritten;
  outcome_.bytes = file_->size();
  outcome_.timings = opened_.rendition->timings();
  outcome_.elapsed = std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - started_);
  return true;
}

bool Transfer::fail(Failure failure) {
  file_.reset();
  outcome_.kind = Outcome::Kind::kFailed;
  outcome_.width = outcome_.height = 0;
  outcome_.error = std::move(failure);
  return true;
}

}  // namespace optimux::apps

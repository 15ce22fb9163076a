#include "server/answer.hpp"

#include <utility>

namespace optimux::server {

TextAnswer::TextAnswer(http::ResponseHead head, std::string body, std::optional<base::Error> error)
    : head_(std::move(head)), body_(std::make_shared<const std::string>(std::move(body))), error_(std::move(error)) {
  head_->content_length = body_->size();
}

TextAnswer::TextAnswer(http::ResponseHead head, std::shared_ptr<const std::string> body)
    : head_(std::move(head)), body_(std::move(body)) {
  head_->content_length = body_->size();
}

std::optional<http::ResponseHead> TextAnswer::take_head() {
  return std::exchange(head_, std::nullopt);
}

Answer::Window TextAnswer::window(std::size_t, Cut) {
  Window window;
  window.state = Window::State::kLast;
  window.phase = base::Phase::kHead;
  if (sent_ < body_->size()) window.pieces.push_back(std::as_bytes(std::span(*body_).subspan(sent_)));
  return window;
}

bool TextAnswer::wait(std::function<void()>) {
  return false;
}

AnswerReport TextAnswer::report() const {
  AnswerReport report;
  report.error = error_;
  return report;
}

std::unique_ptr<Answer> text_answer(std::string_view content_type, std::string body) {
  http::ResponseHead head;
  head.headers.add("Content-Type", content_type);
  head.headers.add("Cache-Control", "no-store");
  return std::make_unique<TextAnswer>(std::move(head), std::move(body));
}

std::unique_ptr<Answer> empty_answer(int status, http::Headers headers) {
  return std::make_unique<TextAnswer>(http::ResponseHead{status, std::move(headers), std::nullopt}, std::string());
}

}  // namespace optimux::server

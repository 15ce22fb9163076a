#include "apps/optimux/h2/page_load.hpp"

#include <algorithm>
#include <cassert>
#include <functional>
#include <utility>

namespace optimux::apps {
namespace {

constexpr std::uint64_t kFrameHeader = 9;  // RFC 9113, section 4.1

struct Event {
  enum class Kind : std::uint8_t { kRequest, kBlock, kUnblock };
  double at = 0;
  Kind kind = Kind::kRequest;
  std::size_t image = 0;
};

// As clients number their streams.
http::StreamId id_of(std::size_t image) {
  return static_cast<http::StreamId>(2 * image + 1);
}

std::size_t image_of(http::StreamId id) {
  return static_cast<std::size_t>(id) / 2;
}

std::vector<Event> events_of(const Page& page) {
  std::vector<Event> events;
  for (std::size_t i = 0; i < page.images.size(); ++i)
    events.push_back({page.images[i].requested, Event::Kind::kRequest, i});
  for (const BlockedSpan& span : page.blocked) {
    events.push_back({span.from, Event::Kind::kBlock, span.image});
    events.push_back({span.until, Event::Kind::kUnblock, span.image});
  }
  std::ranges::stable_sort(events, {}, &Event::at);
  return events;
}

class Loader {
 public:
  Loader(const Page& page, const Link& link, http::SchedulingPolicy policy)
      : page_(page), link_(link), scheduler_(policy), events_(events_of(page)), sent_(page.images.size(), 0) {
    load_.policy = policy;
    load_.images.resize(page.images.size());
  }

  PageLoad run() {
    while (true) {
      happen();
      const auto pick = scheduler_.pick();
      if (!pick) {
        if (next_ == events_.size()) return std::move(load_);
        now_ = std::max(now_, events_[next_].at);
      } else if (const double room_at = time_of_room(pick->bytes); room_at > now_) {
        now_ = next_ < events_.size() ? std::min(room_at, std::max(now_, events_[next_].at)) : room_at;
      } else {
        send(*pick);
      }
    }
  }

 private:
  // All events up to now.
  void happen() {
    for (; next_ < events_.size() && events_[next_].at <= now_; ++next_) {
      const Event& event = events_[next_];
      switch (event.kind) {
        case Event::Kind::kRequest: request(event.image); break;
        case Event::Kind::kBlock: scheduler_.block(id_of(event.image)); break;
        case Event::Kind::kUnblock: scheduler_.unblock(id_of(event.image)); break;
      }
    }
  }

  void request(std::size_t index) {
    const PageImage& image = page_.images[index];
    scheduler_.open(id_of(index), image.priority);
    std::uint64_t begin = 0;
    for (std::size_t phase = 0; phase < image.ends.size(); begin = image.ends[phase++])
      scheduler_.append(id_of(index), image.ends[phase] - begin, static_cast<base::Phase>(phase));
  }

  // When the kernel has sent so much that a frame of `bytes` fits in, or all that it held.
  double time_of_room(std::uint64_t bytes) const {
    const std::uint64_t frame = bytes + kFrameHeader;
    const std::uint64_t may_be_left = link_.send_buffer > frame ? link_.send_buffer - frame : 0;
    return line_free_ - static_cast<double>(may_be_left) / link_.bytes_per_second;
  }

  void send(const http::StreamScheduler::Pick& pick) {
    const std::uint64_t frame = pick.bytes + kFrameHeader;
    line_free_ = std::max(line_free_, now_) + static_cast<double>(frame) / link_.bytes_per_second;
    scheduler_.charge(pick.stream, pick.bytes);
    load_.frames += 1;
    load_.bytes += frame;
    load_.end = line_free_ + link_.round_trip / 2;
    arrive(image_of(pick.stream), pick.bytes);
  }

  void arrive(std::size_t index, std::uint64_t bytes) {
    const auto& ends = page_.images[index].ends;
    for (std::size_t phase = 0; phase < ends.size(); ++phase)
      if (sent_[index] < ends[phase] && ends[phase] <= sent_[index] + bytes) load_.images[index][phase] = load_.end;
    sent_[index] += bytes;
    if (sent_[index] == page_.images[index].size()) scheduler_.close(id_of(index));
  }

  const Page& page_;
  const Link& link_;
  http::StreamScheduler scheduler_;
  std::vector<Event> events_;
  std::size_t next_ = 0;  // of the events, the first that has not happened
  std::vector<std::uint64_t> sent_;
  double now_ = 0;
  double line_free_ = 0;  // when the line will have sent all that was handed over
  PageLoad load_;
};

}  // namespace

PageLoad load_page(const Page& page, const Link& link, http::SchedulingPolicy policy) {
  return Loader(page, link, policy).run();
}

}  // namespace optimux::apps

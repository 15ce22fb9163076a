#include "apps/optimux/transform/interrupt.hpp"

#include <sys/signalfd.h>
#include <unistd.h>

#include <csignal>
#include <utility>

namespace optimux::apps {

Interrupt::Interrupt() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  signals_ = source::Descriptor(::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
}

void Interrupt::watch(source::Reactor& reactor, std::function<void()> interrupted) {
  reactor.watch(signals_.get(), source::Reactor::kRead, [this, interrupted = std::move(interrupted)](unsigned) {
    take();
    interrupted();
  });
}

void Interrupt::unwatch(source::Reactor& reactor) {
  reactor.watch(signals_.get(), source::Reactor::kNone, {});
}

bool Interrupt::take() {
  bool has_taken = false;
  signalfd_siginfo info{};
  while (::read(signals_.get(), &info, sizeof info) == static_cast<ssize_t>(sizeof info)) has_taken = true;
  return has_taken;
}

}  // namespace optimux::apps

#include "server/listener_set.hpp"

#include <unistd.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "server/socket_activation.hpp"

namespace optimux::server {
namespace {

using Purpose = ListenerSet::Purpose;

Purpose purpose_of(const PassedSocket& socket) {
  if (socket.name == "admin") return Purpose::kAdmin;
  return socket.name == "tls" ? Purpose::kTls : Purpose::kHttp;
}

std::string_view option_of(Purpose purpose) {
  switch (purpose) {
    case Purpose::kHttp: return "listen";
    case Purpose::kTls: return "listen_tls";
    case Purpose::kAdmin: break;
  }
  return "admin";
}

/// What an address cannot be used for, said of the option that it came from.
tl::unexpected<base::Error> of_option(std::string_view option, base::Error error) {
  error.detail.insert(0, std::string(option) + ": ");
  return base::fail(std::move(error));
}

}  // namespace

ListenerSet::ListenerSet(EventLoop& loop, base::LogSink& log, Admit admit)
    : loop_(loop), log_(log), admit_(std::move(admit)) {}

base::Status ListenerSet::open(const ServerSettings& settings) {
  auto status = open_all(settings);
  if (!status) close_all();
  return status;
}

base::Status ListenerSet::open_all(const ServerSettings& settings) {
  if (auto status = open_passed_sockets(); !status) return status;
  std::vector<std::pair<Purpose, std::string>> wanted;
  // `listen` has a default, which nobody means who has a socket for TLS passed; `listen_tls` has none.
  if (!has_public()) {
    for (const std::string& text : settings.listen) wanted.emplace_back(Purpose::kHttp, text);
  }
  if (!has(Purpose::kTls)) {
    for (const std::string& text : settings.listen_tls) wanted.emplace_back(Purpose::kTls, text);
  }
  if (!settings.admin.empty() && !has(Purpose::kAdmin)) wanted.emplace_back(Purpose::kAdmin, settings.admin);
  for (const auto& [purpose, text] : wanted) {
    if (auto status = open_address(settings, purpose, text); !status) return status;
  }
  return {};
}

base::Status ListenerSet::open_passed_sockets() {
  const auto passed = passed_sockets(take_activation_variables(), getpid());
  if (!passed) return base::fail(passed.error());
  for (const PassedSocket& entry : *passed) {
    auto socket = ListeningSocket::adopt(FileDescriptor(entry.descriptor));
    if (!socket) return base::fail(socket.error());
    add(std::move(*socket), purpose_of(entry));
  }
  return {};
}

base::Status ListenerSet::open_address(const ServerSettings& settings, Purpose purpose, const std::string& text) {
  const auto address = parse_listen_address(option_of(purpose), text);
  if (!address) return base::fail(address.error());
  const bool shares_port = settings.reuse_port && purpose != Purpose::kAdmin;
  auto socket = ListeningSocket::open(*address, {shares_port, settings.listen_backlog, settings.unix_mode});
  if (!socket) return of_option(option_of(purpose), socket.error());
  add(std::move(*socket), purpose);
  return {};
}

void ListenerSet::add(ListeningSocket socket, Purpose purpose) {
  auto admit_one = [this, purpose](AcceptedSocket accepted) { admit_(std::move(accepted), purpose); };
  std::string url = url_of(socket.address(), purpose == Purpose::kTls ? "https" : "http");
  auto listener = std::make_unique<Listener>(loop_, log_, std::move(socket), std::move(url), std::move(admit_one));
  listener->start();
  entries_.push_back({purpose, std::move(listener)});
}

std::vector<BoundAddress> ListenerSet::bound() const {
  std::vector<BoundAddress> addresses;
  for (const Purpose purpose : {Purpose::kHttp, Purpose::kTls, Purpose::kAdmin}) {
    for (const Entry& entry : entries_) {
      if (entry.purpose == purpose) addresses.push_back({purpose == Purpose::kAdmin, entry.listener->url()});
    }
  }
  return addresses;
}

bool ListenerSet::has(Purpose purpose) const {
  return std::any_of(entries_.begin(), entries_.end(),
                     [purpose](const Entry& entry) { return entry.purpose == purpose; });
}

void ListenerSet::close_public_after_queued() {
  for (const Entry& entry : entries_) {
    if (entry.purpose != Purpose::kAdmin) entry.listener->close_after_queued();
  }
  std::erase_if(entries_, [](const Entry& entry) { return entry.purpose != Purpose::kAdmin; });
}

}  // namespace optimux::server

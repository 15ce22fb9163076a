#include "apps/optimux/settings/path_checks.hpp"

#include "apps/optimux/settings/option_table.hpp"
#include "server/tls_context.hpp"
#include "service/url_signer.hpp"
#include "source/descriptor.hpp"
#include "source/source_error.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <fstream>
#include <memory>
#include <optional>
#include <string>

namespace optimux::apps {
namespace {

std::string cannot_open(std::string_view kind, const std::string& path, int error_number) {
  return "cannot open the " + std::string(kind) + " '" + path + "': " + source::system_message(error_number);
}

// What is wrong with the path; empty if nothing is.
std::string check_folder(const std::string& path) {
  const source::Descriptor folder(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  return folder ? "" : cannot_open("folder", path, errno);
}

// Whether the file has a part of this kind. Opened without waiting, for the case that it is a pipe.
std::string check_pem(const std::string& path, std::string_view label, std::string_view what) {
  const source::Descriptor descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!descriptor) return cannot_open("file", path, errno);
  struct stat status {};
  if (::fstat(descriptor.get(), &status) != 0 || !S_ISREG(status.st_mode)) return "'" + path + "' is no regular file";
  std::ifstream file(path, std::ios::binary);
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("-----BEGIN ") && line.find(label) != std::string::npos) return "";
  }
  return "'" + path + "' holds no " + std::string(what) + " in PEM form";
}

std::string check_keys(const std::vector<std::string>& entries) {
  const auto signer = service::UrlSigner::make(entries);
  return signer ? "" : signer.error().detail;
}

std::string check_path(PathKind kind, const std::string& path) {
  if (path.empty() || kind == PathKind::kNone) return "";
  if (kind == PathKind::kFolder) return check_folder(path);
  const bool is_key = kind == PathKind::kPrivateKey;
  return is_key ? check_pem(path, "PRIVATE KEY-----", "private key")
                : check_pem(path, "CERTIFICATE-----", "certificate");
}

// Whether certificate and key go together and can be used, as the server would find out at its start.
std::optional<Problem> check_certificate(const Configuration& configuration) {
  const server::ServerSettings& given = configuration.settings().server;
  if (given.tls_certificate.empty()) return std::nullopt;
  const server::TlsContext::Settings settings{.certificate_path = given.tls_certificate, .key_path = given.tls_key};
  const auto context = server::TlsContext::make(settings, std::make_shared<server::TicketKeys>());
  if (context) return std::nullopt;
  const std::string& detail = context.error().detail;  // It begins with the name of the option.
  const Option* const option = find_option(std::string_view(detail).substr(0, detail.find(": ")));
  if (option == nullptr) return Problem{"", "", detail};
  return Problem{std::string(option->key), configuration.origin_of(*option).place,
                 detail.substr(detail.find(": ") + 2)};
}

}  // namespace

std::vector<Problem> check_paths(const Configuration& configuration, bool (*concerns)(const Option& option)) {
  std::vector<Problem> problems;
  for (const Option& option : option_table()) {
    if (option.path == PathKind::kNone || !concerns(option)) continue;
    const OptionValue value = option.get(configuration.settings());
    const auto* const list = std::get_if<std::vector<std::string>>(&value);
    std::string message = list != nullptr ? check_keys(*list) : check_path(option.path, std::get<std::string>(value));
    if (message.empty()) continue;
    problems.push_back({std::string(option.key), configuration.origin_of(option).place, std::move(message)});
  }
  if (!problems.empty() || !concerns(*find_option("tls_certificate"))) return problems;
  if (auto problem = check_certificate(configuration)) problems.push_back(std::move(*problem));
  return problems;
}

}  // namespace optimux::apps

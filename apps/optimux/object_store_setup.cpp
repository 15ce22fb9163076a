#include "apps/optimux/object_store_setup.hpp"

#include "service/object_tier.hpp"
#include "source/object_place.hpp"
#include "source/object_source.hpp"
#include "source/s3_store.hpp"

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <unistd.h>

namespace optimux::apps {
namespace {

using source::ObjectPlace;

bool names_a_bucket(const ObjectSettings& objects) {
  return !objects.store.empty() || !objects.s3_buckets.empty() || !objects.rendition_store.empty();
}

std::map<std::string, std::string> read_aws_environment() {
  std::map<std::string, std::string> variables;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const auto equals = text.find('=');
    const std::string_view name = text.substr(0, equals);
    if (equals == std::string_view::npos || !(name.starts_with("AWS_") || name == "HOME")) continue;
    variables.emplace(name, text.substr(equals + 1));
  }
  return variables;
}

/// The first of these variables that is set to something; else `otherwise`.
std::string first_set(const std::map<std::string, std::string>& variables, std::initializer_list<const char*> names,
                      std::string otherwise) {
  for (const char* const name : names) {
    const auto found = variables.find(name);
    if (found != variables.end() && !found->second.empty()) return found->second;
  }
  return otherwise;
}

}  // namespace

base::Result<std::shared_ptr<source::ObjectStore>> make_object_store(const Settings& settings, source::Reactor& reactor,
                                                                     const source::BlockingRunner& runner) {
  if (!names_a_bucket(settings.objects)) return nullptr;
  source::CredentialSettings credentials = settings.s3_credentials;
  credentials.environment = read_aws_environment();
  source::S3Settings s3 = settings.s3;
  s3.http = settings.origin;
  s3.http.max_source_bytes = settings.source.max_source_bytes;
  s3.http.connections = settings.origin_connections;
  s3.delays = settings.s3_delays;
  s3.breaker = settings.s3_breaker;
  if (s3.endpoint.empty()) {
    s3.endpoint = first_set(credentials.environment, {"AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"}, "");
  }
  if (s3.region.empty()) {
    s3.region = first_set(credentials.environment, {"AWS_REGION", "AWS_DEFAULT_REGION"}, "us-east-1");
  }
  auto store = source::S3Store::make(std::move(s3), credentials, reactor, runner);
  if (!store) return base::fail(store.error());
  return std::shared_ptr<source::ObjectStore>(*std::move(store));
}

std::unique_ptr<source::Source> make_object_urls(const Settings& settings, source::ObjectStore* store,
                                                 source::Reactor& reactor) {
  std::vector<ObjectPlace> places;
  for (const std::string& text : settings.objects.s3_buckets) {
    if (auto place = ObjectPlace::parse(text)) places.push_back(*std::move(place));
  }
  return std::make_unique<source::ObjectSource>(store, source::ObjectSource::in_places(std::move(places)), reactor);
}

std::shared_ptr<service::RenditionTier> make_object_tier(const Settings& settings,
                                                         std::shared_ptr<source::ObjectStore> store) {
  auto place = ObjectPlace::parse(settings.objects.rendition_store);
  if (!place) return nullptr;
  if (place->prefix.empty()) place->prefix = "optimized/";
  return std::make_shared<service::ObjectTier>(std::move(store), *std::move(place),
                                               settings.objects.rendition_store_misses);
}

std::unique_ptr<source::Source> make_object_keys(const Settings& settings, source::ObjectStore* store,
                                                 source::Reactor& reactor) {
  auto place = ObjectPlace::parse(settings.objects.store);
  if (!place) return nullptr;
  return std::make_unique<source::ObjectSource>(store, source::ObjectSource::in_place(*std::move(place)), reactor);
}

}  // namespace optimux::apps

#include "apps/optimux/settings/object_store_options.hpp"

#include "apps/optimux/settings/text_form.hpp"

namespace optimux::apps {
namespace {

using source::BreakerSettings;
using source::CredentialSettings;
using source::RetryDelays;
using source::S3Settings;
using Type = OptionType;

constexpr std::int64_t kSecond = 1'000;
constexpr std::int64_t kHour = 3'600 * kSecond;

void set_form(Option& option, std::string_view form, bool (*matches)(std::string_view)) {
  option.form = form;
  option.matches_form = matches;
}

void add_places(OptionBuilder& rows) {
  const auto objects = &Settings::objects;
  set_form(rows.add("store", Type::kText, objects, &ObjectSettings::store,
                    "The default store in place of root: a bucket, or the keys of one that begin with PREFIX/."),
           "s3://BUCKET[/PREFIX], or nothing", is_optional_object_place);
  set_form(rows.add("s3_buckets", Type::kList, objects, &ObjectSettings::s3_buckets,
                    "Buckets, or parts of them, from which s3://BUCKET/KEY may name sources."),
           "s3://BUCKET[/PREFIX]", is_object_place);
  set_form(
      rows.add("rendition_store", Type::kText, objects, &ObjectSettings::rendition_store,
               "Where finished renditions are kept for all servers that share it; without a PREFIX below optimized/."),
      "s3://BUCKET[/PREFIX], or nothing", is_optional_object_place);
  rows.add("rendition_store_misses", Type::kDuration, objects, &ObjectSettings::rendition_store_misses, {0, kHour},
           "How long a rendition that is not in rendition_store is not looked for again; 0: not at all.");
}

void add_endpoint(OptionBuilder& rows) {
  const auto s3 = &Settings::s3;
  set_form(
      rows.add("s3_endpoint", Type::kText, s3, &S3Settings::endpoint,
               "Address of the store; empty: AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL, else Amazon's of the region."),
      "http://HOST[:PORT] or https://HOST[:PORT], or nothing", is_object_store_endpoint);
  set_form(rows.add("s3_region", Type::kText, s3, &S3Settings::region,
                    "Region of the store; empty: AWS_REGION or AWS_DEFAULT_REGION, else us-east-1."),
           "a name, or nothing", is_optional_region);
  rows.add("s3_addressing", Type::kText, s3, &S3Settings::addressing,
           "Whether the bucket's name stands in the path or in the host; auto: in the host at Amazon alone.")
      .choices = {"auto", "path", "host"};
}

void add_credentials(OptionBuilder& rows) {
  const auto credentials = &Settings::s3_credentials;
  rows.add("s3_credentials", Type::kText, credentials, &CredentialSettings::place,
           "Where credentials come from; auto: the first of these that is set up; none: requests are not signed.")
      .choices = {"auto", "environment", "web-identity", "profile", "container", "instance", "none"};
  rows.add("s3_credentials_file", Type::kText, credentials, &CredentialSettings::file,
           "File with profiles; empty: AWS_SHARED_CREDENTIALS_FILE, else ~/.aws/credentials.")
      .form = "a file, or nothing";
  rows.add("s3_profile", Type::kText, credentials, &CredentialSettings::profile,
           "Profile of the file that is used; empty: AWS_PROFILE, else default.")
      .form = "a name, or nothing";
}

void add_attempts(OptionBuilder& rows) {
  rows.add("s3_attempts", Type::kInteger, &Settings::s3, &S3Settings::max_attempts, {1, 10},
           "Attempts at one request within fetch_timeout, the first one included.");
  rows.add("s3_retry_delay", Type::kDuration, &Settings::s3_delays, &RetryDelays::first, {0, kHour},
           "Longest wait before the second attempt; it doubles with each, and the wait is drawn between zero and it.");
  rows.add("s3_retry_delay_max", Type::kDuration, &Settings::s3_delays, &RetryDelays::longest, {0, kHour},
           "No wait between attempts is longer.");
  rows.add("s3_breaker_failures", Type::kInteger, &Settings::s3_breaker, &BreakerSettings::failures, {0, 1'000'000},
           "Failed attempts in a row after which a host is given up for s3_breaker_time; 0: never.");
  rows.add("s3_breaker_time", Type::kDuration, &Settings::s3_breaker, &BreakerSettings::time, {1, kHour},
           "How long a host is given up, until one attempt tries it again.");
}

}  // namespace

void add_object_store_options(OptionBuilder& rows) {
  rows.begin(OptionGroup::kObjectStore);
  add_places(rows);
  add_endpoint(rows);
  add_credentials(rows);
  add_attempts(rows);
}

}  // namespace optimux::apps

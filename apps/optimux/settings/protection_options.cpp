#include "apps/optimux/settings/protection_options.hpp"

#include "apps/optimux/settings/text_form.hpp"

namespace optimux::apps {
namespace {

using server::ServerSettings;
using Type = OptionType;

void set_form(Option& option, std::string_view form, bool (*matches)(std::string_view)) {
  option.form = form;
  option.matches_form = matches;
}

void add_signatures(OptionBuilder& rows) {
  Option& keys = rows.add("signing_keys", Type::kList, &Settings::server, &ServerSettings::signing_keys,
                          "Keys of signed URLs: the first one signs, all are accepted; none: no URL has to be signed.");
  set_form(keys, "32 to 512 hexadecimal digits, or @FILE with one such key a line", is_signing_key);
  keys.path = PathKind::kSigningKeys;
  keys.is_secret = true;
}

void add_presets(OptionBuilder& rows) {
  const auto server = &Settings::server;
  rows.add("presets", Type::kTable, server, &ServerSettings::presets,
           "Parameters of renditions under a name, which preset=NAME stands for.")
      .form = "NAME = sizes=300x0&format=webp and the like";
  rows.add("presets_only", Type::kBoolean, server, &ServerSettings::presets_only,
           "Take no parameter of a rendition but preset; beside it sizes may pick some of the preset's own.");
  rows.add("max_sizes", Type::kInteger, server, &ServerSettings::max_sizes, {1, service::kMaxSizes},
           "Sizes of one request; beyond it 400.");
  rows.add("allowed_formats", Type::kList, server, &ServerSettings::allowed_formats,
           "Formats that may be asked for; the first one is that of requests without a format. None: all.")
      .choices = {"jpeg", "png", "webp", "avif", "gif"};
}

void add_rate(OptionBuilder& rows) {
  const auto server = &Settings::server;
  rows.add("rate_limit", Type::kInteger, server, &ServerSettings::rate_limit, {0, 1'000'000},
           "Requests a second that one client may make in the long run, IPv6 by /64; beyond it 429; 0: no limit.");
  rows.add("rate_burst", Type::kInteger, server, &ServerSettings::rate_burst, {1, 1'000'000},
           "Requests that one client may make at once; a hit of the cache counts a tenth.");
  set_form(
      rows.add("trusted_proxies", Type::kList, server, &ServerSettings::trusted_proxies,
               "Proxies that are believed when they say for whom they ask: the client of rate_limit and of the log."),
      "an address, a network in CIDR notation, or unix", is_trusted_proxy);
  rows.add("forwarded_header", Type::kText, server, &ServerSettings::forwarded_header,
           "The field in which trusted_proxies say it, and that they write themselves.")
      .choices = {"x-forwarded-for", "forwarded"};
}

}  // namespace

void add_protection(OptionBuilder& rows) {
  rows.begin(OptionGroup::kProtection);
  add_signatures(rows);
  add_presets(rows);
  add_rate(rows);
}

void add_allow_lists(OptionBuilder& rows) {
  const auto server = &Settings::server;
  set_form(
      rows.add("allowed_source_hosts", Type::kList, server, &ServerSettings::allowed_source_hosts,
               "Hosts that image_url and redirects may name; with allowed_source_prefixes: one of both has to fit."),
      "NAME, *.NAME or an address; none: any host", is_source_host);
  set_form(rows.add("allowed_source_prefixes", Type::kList, server, &ServerSettings::allowed_source_prefixes,
                    "Beginnings of URLs that image_url and redirects may name, up to a whole part of the path."),
           "http://, https://, file:/// or s3:// and what follows; none: any URL", is_source_prefix);
  rows.add("allowed_schemes", Type::kList, server, &ServerSettings::allowed_schemes,
           "Schemes that image_url and redirects may have; none: all.")
      .choices = {"http", "https", "file", "s3"};
}

}  // namespace optimux::apps

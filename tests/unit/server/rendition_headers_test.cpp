#include "server/rendition_headers.hpp"

#include <string>

#include <gtest/gtest.h>

namespace optimux::server {
namespace {

std::string cache_control(const std::string& of_origin, bool uses_origins = false) {
  ServerSettings settings;
  settings.use_origin_cache_control = uses_origins;
  RequestContext context;
  context.settings = std::make_shared<const ServerSettings>(settings);
  service::RenditionFacts facts;
  facts.cache_control = of_origin;
  return std::string(validator_fields(facts, context, {}).find("Cache-Control").value_or(""));
}

TEST(RenditionHeaders, CacheControlIsOfTheSettingsUnlessTheOriginsIsWanted) {
  EXPECT_EQ(cache_control(""), "public, max-age=86400");
  EXPECT_EQ(cache_control("max-age=5"), "public, max-age=86400");
  EXPECT_EQ(cache_control("max-age=5", true), "max-age=5");
  EXPECT_EQ(cache_control("", true), "public, max-age=86400");
}

TEST(RenditionHeaders, WhatAnOriginWantsKeptByNobodyIsNotCalledPublic) {
  for (const std::string of_origin : {"private, max-age=5", "no-store", "max-age=5,Private"}) {
    EXPECT_EQ(cache_control(of_origin), of_origin);
    EXPECT_EQ(cache_control(of_origin, true), of_origin);
  }
}

}  // namespace
}  // namespace optimux::server

#include "service/rendition_tag.hpp"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace optimux::service {
namespace {

std::vector<std::shared_ptr<Rendition>> renditions(const std::vector<std::string>& keys) {
  std::vector<std::shared_ptr<Rendition>> made;
  for (const std::string& key : keys) made.push_back(std::make_shared<Rendition>(key));
  return made;
}

TEST(RenditionTag, IsAStrongOneOfSourceAndRecipe) {
  const std::string tag = rendition_tag("source", "a", renditions({"a"}));
  EXPECT_EQ(tag.substr(0, 8), "\"source-");
  EXPECT_EQ(tag.size(), 8u + 16 + 1);
  EXPECT_EQ(tag.back(), '"');
  EXPECT_EQ(rendition_tag("source", "a", renditions({"a"})), tag);
  EXPECT_NE(rendition_tag("other", "a", renditions({"a"})), tag);
  EXPECT_NE(rendition_tag("source", "b", renditions({"b"})), tag);
}

TEST(RenditionTag, WhatIsMadeTogetherIsPartOfIt) {
  const std::string alone = rendition_tag("source", "a", renditions({"a"}));
  const std::string with_b = rendition_tag("source", "a", renditions({"a", "b"}));
  EXPECT_NE(with_b, alone);
  EXPECT_NE(with_b, rendition_tag("source", "b", renditions({"a", "b"})));
  EXPECT_NE(with_b, rendition_tag("source", "a", renditions({"a", "c"})));
}

}  // namespace
}  // namespace optimux::service

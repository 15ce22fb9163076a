#include "server/docs_routes.hpp"

#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "server/openapi.hpp"
#include "service/info_document.hpp"
#include "service/parameters.hpp"
#include "unit/server/http_client.hpp"
#include "unit/server/running_server.hpp"

namespace optimux::server {
namespace {

TEST(DocsRoutes, PagesBringAllTheyNeed) {
  RunningServer running;
  HttpClient client(running.url());
  for (const auto* const path : {"/", "/optimux/docs"}) {
    const auto response = client.get(path);
    EXPECT_EQ(response.status, 200) << path;
    EXPECT_EQ(response.headers.find("Content-Type"), "text/html; charset=utf-8");
    EXPECT_TRUE(response.headers.find("Content-Security-Policy").value_or("").starts_with("default-src 'none'"));
    for (const auto* const foreign : {"src=\"http", "href=\"http", "@import", "url("}) {
      EXPECT_EQ(response.body.find(foreign), std::string::npos) << path << ' ' << foreign;
    }
  }
}

TEST(DocsRoutes, OpenApiDescribesEveryParameterAndStatus) {
  RunningServer running;
  const auto response = HttpClient(running.url()).get("/openapi.json");
  EXPECT_EQ(response.headers.find("Content-Type"), "application/json");
  const auto document = nlohmann::json::parse(response.body);
  const auto& resize = document.at("paths").at("/resize").at("get");
  EXPECT_EQ(resize.at("parameters").size(), service::transform_parameter_descriptions().size() + 5);
  EXPECT_EQ(resize.at("parameters").back().at("$ref"), "#/components/parameters/sig");
  for (const auto& row : service::transform_parameter_descriptions()) {
    const auto& parameter = document.at("components").at("parameters").at(std::string(row.name));
    EXPECT_EQ(parameter.at("name"), row.name);
    EXPECT_EQ(parameter.at("x-values"), row.values);
  }
  for (const auto* const status : {"200", "400", "403", "404", "406", "413", "415", "422", "502", "503", "504"}) {
    EXPECT_TRUE(resize.at("responses").contains(status)) << status;
  }
  EXPECT_FALSE(resize.at("responses").contains("499"));
}

TEST(DocsRoutes, OpenApiHasTheTypesOfTheValues) {
  RunningServer running;
  const auto document = nlohmann::json::parse(HttpClient(running.url()).get("/openapi.json").body);
  const auto schema = [&](const char* name) {
    return document.at("components").at("parameters").at(name).at("schema").dump();
  };
  EXPECT_EQ(schema("quality"), R"({"maximum":100,"minimum":1,"type":"integer"})");
  EXPECT_EQ(schema("dpr"), R"({"default":1.0,"maximum":4.0,"minimum":1.0,"type":"number"})");
  EXPECT_EQ(schema("enlarge"), R"({"default":false,"type":"boolean"})");
  EXPECT_EQ(schema("progressive"), R"({"type":"boolean"})");  // The default depends on another parameter.
  EXPECT_EQ(schema("rotate"), R"({"default":0,"enum":[0,90,180,270],"type":"integer"})");
  EXPECT_EQ(schema("fit"),
            R"({"default":"inside","enum":["inside","cover","contain","fill","outside"],"type":"string"})");
  EXPECT_NE(schema("gravity").find(R"("anyOf":[{"enum":["center",)"), std::string::npos);
}

TEST(DocsRoutes, OpenApiDescribesEveryMemberOfInfo) {
  media::ImageInfo info;
  info.blur_hash = "a";
  const auto document = nlohmann::json::parse(openapi_document());
  const auto& properties = document.at("components").at("schemas").at("info").at("properties");
  const auto told = nlohmann::json::parse(service::info_document(info));
  EXPECT_EQ(properties.size(), told.size());
  for (const auto& [name, value] : told.items()) {
    const std::string type = properties.at(name).at("type");
    EXPECT_TRUE(type == value.type_name() || (value.is_number() && (type == "number" || type == "integer"))) << name;
  }
}

}  // namespace
}  // namespace optimux::server

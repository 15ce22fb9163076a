#include "server/docs_routes.hpp"

#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

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
  EXPECT_EQ(resize.at("parameters").size(), service::transform_parameter_descriptions().size() + 2);
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

}  // namespace
}  // namespace optimux::server

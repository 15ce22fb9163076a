#include "server/openapi.hpp"

#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/text.hpp"
#include "server/error_status.hpp"
#include "service/parameters.hpp"

namespace optimux::server {
namespace {

using json = nlohmann::ordered_json;
using Shape = service::ParameterShape;

json reference(std::string_view kind, std::string_view name) {
  return {{"$ref", "#/components/" + std::string(kind) + '/' + std::string(name)}};
}

json text_parameter(std::string_view name, std::string_view place, std::string_view description) {
  return {{"name", name},
          {"in", place},
          {"required", place == "path"},
          {"description", description},
          {"schema", {{"type", "string"}}}};
}

/// A value of the table as JSON: a number where the parameter is one.
json typed(Shape::Type type, std::string_view text) {
  if (type == Shape::Type::kSwitch) return text == "true";
  if (type == Shape::Type::kInteger) return base::parse_number<int>(text).value_or(0);
  if (type == Shape::Type::kNumber) return base::parse_number<double>(text).value_or(0);
  return text;
}

json words_of(const Shape& shape) {
  json words = json::array();
  for (const std::string_view word : base::split(shape.words, ' ')) words.push_back(typed(shape.type, word));
  return words;
}

json schema_of(const Shape& shape) {
  using Type = Shape::Type;
  switch (shape.type) {
    case Type::kSwitch: return {{"type", "boolean"}};
    case Type::kNumber: return {{"type", "number"}, {"minimum", shape.smallest}, {"maximum", shape.largest}};
    case Type::kInteger:
      if (!shape.words.empty()) return {{"type", "integer"}, {"enum", words_of(shape)}};
      return {{"type", "integer"},
              {"minimum", static_cast<int>(shape.smallest)},
              {"maximum", static_cast<int>(shape.largest)}};
    case Type::kWord:
      if (shape.pattern.empty()) return {{"type", "string"}, {"enum", words_of(shape)}};
      return {{"type", "string"}, {"anyOf", {{{"enum", words_of(shape)}}, {{"pattern", shape.pattern}}}}};
    case Type::kText: break;
  }
  return {{"type", "string"}, {"pattern", shape.pattern}};
}

/// Whether the default is a value, and not a sentence about what it depends on.
bool has_plain_default(const service::ParameterDescription& row) {
  const service::Parameter parameter{std::string(row.name), std::string(row.default_value)};
  return service::parse_transform_parameters(std::span(&parameter, 1)).has_value();
}

json transform_parameter(const service::ParameterDescription& row) {
  json parameter = text_parameter(row.name, "query", row.meaning);
  parameter["schema"] = schema_of(row.shape);
  if (has_plain_default(row)) parameter["schema"]["default"] = typed(row.shape.type, row.default_value);
  parameter["x-transform"] = true;
  parameter["x-values"] = row.values;
  parameter["x-default"] = row.default_value;
  return parameter;
}

json preset_parameter() {
  json parameter = text_parameter("preset", "query", "Parameters that the server's configuration has a name for.");
  parameter["x-transform"] = true;
  parameter["x-values"] =
      "NAME[,NAME...] of presets; the URL's own parameters count instead of the same ones of a preset";
  parameter["x-default"] = "none";
  return parameter;
}

/// The members of `service::info_document`.
json info_schema() {
  constexpr std::pair<std::string_view, std::string_view> kMembers[] = {
      {"format", "string"},       {"content_type", "string"}, {"width", "integer"},       {"height", "integer"},
      {"pages", "integer"},       {"duration", "number"},     {"has_alpha", "boolean"},   {"colour_space", "string"},
      {"has_profile", "boolean"}, {"bits", "integer"},        {"orientation", "integer"}, {"is_progressive", "boolean"},
      {"bytes", "integer"},       {"blur_hash", "string"}};
  json properties;
  for (const auto& [name, type] : kMembers) properties[std::string(name)] = {{"type", type}};
  properties["duration"]["description"] = "Seconds, to the millisecond; 0 for a still.";
  return {{"type", "object"}, {"properties", std::move(properties)}};
}

json component_parameters() {
  json parameters;
  parameters["image_url"] =
      text_parameter("image_url", "query", "URL of the source: http, https, file:///key, or s3://bucket/key.");
  parameters["image_url"]["required"] = true;
  parameters["key"] =
      text_parameter("key", "path", "Key below the root; percent-decoded once, then used byte for byte.");
  parameters["download"] = text_parameter("download", "query", "File name: the answer is saved instead of shown.");
  parameters["preset"] = preset_parameter();
  parameters["expires"] = text_parameter("expires", "query", "End of a signed URL, in seconds since 1970.");
  parameters["expires"]["schema"] = {{"type", "integer"}, {"minimum", 0}};
  parameters["sig"] =
      text_parameter("sig", "query", "Signature of the URL, its last parameter; where keys are configured.");
  for (const service::ParameterDescription& row : service::transform_parameter_descriptions()) {
    parameters[std::string(row.name)] = transform_parameter(row);
  }
  return parameters;
}

/// Behind all others, as `sig` has to be.
void add_signature(json& parameters) {
  for (const char* name : {"expires", "sig"}) parameters.push_back(reference("parameters", name));
}

/// One entry a status, naming all errors that have it.
json error_responses() {
  std::map<int, std::string> titles;
  for (int code = 0; code <= static_cast<int>(base::ErrorCode::kShuttingDown); ++code) {
    const ErrorStatus& row = error_status(static_cast<base::ErrorCode>(code));
    if (row.status == 499) continue;
    std::string& text = titles[row.status];
    if (!text.empty()) text += "; ";
    text += row.title;
  }
  json responses;
  for (const auto& [status, title] : titles) {
    responses[std::to_string(status)] = {
        {"description", title},
        {"content", {{"application/problem+json", {{"schema", reference("schemas", "problem")}}}}}};
  }
  return responses;
}

json operation(std::string_view summary, json parameters, std::string_view content_type) {
  json responses = {{"200", {{"description", "Success"}}}};
  responses["200"]["content"][std::string(content_type)] = json::object();
  const json errors = error_responses();
  for (const auto& [status, response] : errors.items()) responses[status] = response;
  return {{"summary", summary}, {"parameters", std::move(parameters)}, {"responses", std::move(responses)}};
}

json rendition_operation(std::string_view summary, std::string_view own_parameter) {
  json parameters = json::array(
      {reference("parameters", own_parameter), reference("parameters", "download"), reference("parameters", "preset")});
  for (const auto& row : service::transform_parameter_descriptions())
    parameters.push_back(reference("parameters", row.name));
  add_signature(parameters);
  return operation(summary, std::move(parameters), "image/*");
}

json info_operation(std::string_view summary, std::string_view own_parameter) {
  json parameters = json::array({reference("parameters", own_parameter)});
  add_signature(parameters);
  json result = operation(summary, std::move(parameters), "application/json");
  result["responses"]["200"]["content"]["application/json"]["schema"] = reference("schemas", "info");
  return result;
}

json preload_operation() {
  json entry = {{"type", "object"},
                {"required", {"url"}},
                {"properties",
                 {{"url", {{"type", "string"}}},
                  {"priority", {{"type", "integer"}, {"minimum", 0}, {"maximum", 7}, {"default", 3}}}}}};
  json result =
      operation("Link preload headers for a list of URLs, most urgent (0) first", json::array(), "text/plain");
  result["responses"].erase("200");
  result["responses"]["204"] = {{"description", "The Link fields"}};
  result["requestBody"]["content"]["application/json"]["schema"] = {{"type", "array"}, {"items", std::move(entry)}};
  return result;
}

json paths() {
  json result;
  result["/resize"]["get"] = rendition_operation("A rendition of the image at a URL", "image_url");
  result["/optimux/assets/{key}"]["get"] = rendition_operation("A rendition of an image below the root", "key");
  result["/optimux/static/{key}"]["get"] = rendition_operation("The same below the root's static prefix", "key");
  result["/info"]["get"] = info_operation("What the image at a URL is", "image_url");
  result["/optimux/info/{key}"]["get"] = info_operation("What an image below the root is", "key");
  result["/optimux/preload"]["post"] = preload_operation();
  result["/optimux/ping"]["get"] = operation("pong", json::array(), "text/plain");
  result["/health"]["get"] = operation("Whether the process is alive", json::array(), "text/plain");
  result["/ready"]["get"] = operation("Whether it takes requests: 503 while it drains", json::array(), "text/plain");
  return result;
}

json problem_schema() {
  json properties;
  for (const std::string_view name : {"type", "title", "detail", "request_id"}) {
    properties[std::string(name)] = {{"type", "string"}};
  }
  properties["status"] = {{"type", "integer"}};
  return {{"type", "object"}, {"properties", std::move(properties)}};
}

}  // namespace

std::string openapi_document() {
  json document;
  document["openapi"] = "3.1.0";
  document["info"] = {{"title", "optimux"}, {"version", "1"}, {"description", "Images resized and re-encoded by URL."}};
  document["paths"] = paths();
  document["components"]["parameters"] = component_parameters();
  document["components"]["schemas"]["problem"] = problem_schema();
  document["components"]["schemas"]["info"] = info_schema();
  return document.dump(1) + '\n';
}

}  // namespace optimux::server

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "base/result.hpp"

namespace optimux::server {

/// Reads JSON of a client on the event loop: event by event, without a document in memory, and no further than to the
/// first thing that does not belong. A whole document of nested brackets costs a hundred times its text in memory and
/// time, and only then can be refused. A derived class takes what it has a place for and refuses the rest; by default
/// everything is refused. Not thread-safe; for one document.
class JsonReader : public nlohmann::json_sax<nlohmann::json> {
 public:
  /// Takes all of `text`. kInvalidParameter with the detail of `refuse`, or with `malformed` where `text` is not JSON.
  base::Status read(const std::string& text, const char* malformed);

  bool null() final { return unfit(); }
  bool boolean(bool) final { return unfit(); }
  bool number_integer(std::int64_t number) final;
  bool number_unsigned(std::uint64_t number) override;
  bool number_float(double, const std::string&) final { return unfit(); }
  bool string(std::string& text) override;
  bool binary(nlohmann::json::binary_t&) final { return unfit(); }
  bool start_object(std::size_t size) override;
  bool key(std::string& name) override;
  bool end_object() override { return true; }
  bool start_array(std::size_t size) override;
  bool end_array() override { return true; }
  bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception&) final { return false; }

 protected:
  /// Refuses what has just come and has no place: calls `refuse` with what would belong there. False.
  virtual bool unfit() = 0;
  /// Ends the reading. False, so that handlers can return it.
  bool refuse(std::string detail);

 private:
  std::optional<std::string> refusal_;
};

}  // namespace optimux::server

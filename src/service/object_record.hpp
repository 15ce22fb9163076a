#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "service/rendition.hpp"
#include "source/object_store.hpp"

namespace optimux::service {

/// The metadata of the object that holds a finished rendition; nothing if they are larger than stores take (2 KiB), or
/// if nobody knows when it was last current. Pure.
std::optional<std::map<std::string, std::string>> object_metadata(const Rendition& rendition);

/// The rendition `key` that an object holds; null if its metadata are not those of one, or of another generation.
std::shared_ptr<Rendition> read_object(const std::string& key, const source::ObjectAnswer& object);

}  // namespace optimux::service

#pragma once

#include <string>
#include <string_view>

namespace optimux::service {

/// `key` for those requests alone that came with `via`, as in `source::hops_of`: the key itself for those that came
/// straight. Different pairs give different texts, because `via` holds no line end and no key begins with one.
inline std::string way_key(std::string_view key, std::string_view via) {
  std::string result(key);
  if (!via.empty()) result.insert(0, "\n").insert(0, via).insert(0, "\n");
  return result;
}

}  // namespace optimux::service

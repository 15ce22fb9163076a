#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace optimux::source {

/// The text of the first element `name` of a small XML document, as the answers of object stores are: no attributes on
/// the elements asked for, no CDATA; the five predefined entities are decoded. Empty when there is none. This is enough
/// for finding an error's code, and no XML parser.
std::string xml_text(std::string_view document, std::string_view name);

/// The texts of all elements `name`, in their order.
std::vector<std::string> xml_texts(std::string_view document, std::string_view name);

}  // namespace optimux::source

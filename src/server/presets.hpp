#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "server/output_rules.hpp"
#include "service/parameters.hpp"

namespace optimux::server {

/// Parameters of renditions under a name: `thumb` for `sizes=100x100&fit=cover`. Immutable, so any thread may ask.
class Presets {
 public:
  /// There are none.
  Presets() = default;

  /// Each declaration is `NAME=QUERY`, as in `thumb=sizes=100x100&fit=cover`: the name of 1 to 64 letters, digits, `-`
  /// and `_`, the query of parameters of renditions, perhaps none, percent-encoded as in a URL. By itself it must be
  /// within `rules`: nobody could ask for it. Errors: kInvalidParameter that names the preset and what is wrong with
  /// it.
  static base::Result<Presets> make(const std::vector<std::string>& declarations, const OutputRules& rules = {});

  bool is_empty() const { return presets_.empty(); }

  /// `given` with what the presets stand for that it names (`preset=NAME[,NAME…]`): a parameter of `given` counts
  /// instead of the same one of a preset, and that of a later preset instead of an earlier one's. The result says
  /// nothing of presets. Errors: kInvalidParameter for a name that there is no preset of.
  base::Result<std::vector<service::Parameter>> expand(const std::vector<service::Parameter>& given) const;

  /// The same where nothing but presets may be asked for: `given` has to name one, and may have `sizes` beside it that
  /// are some of the preset's. Errors: kInvalidParameter that names the parameter that must not be there.
  base::Result<std::vector<service::Parameter>> expand_alone(const std::vector<service::Parameter>& given) const;

 private:
  using Parameters = std::vector<service::Parameter>;

  base::Result<Parameters> named_by(const Parameters& given) const;
  base::Result<const Parameters*> find(std::string_view name) const;
  std::string names() const;

  std::map<std::string, Parameters, std::less<>> presets_;
};

}  // namespace optimux::server

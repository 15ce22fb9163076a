// Laws that hold for every combination of parameters, not only for those that somebody thought of.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "service/parameters.hpp"
#include "service/transform_spec.hpp"

namespace optimux::service {
namespace {

/// The same cases in every run, unless the environment asks for others (`RC_PARAMS="seed=7 max_success=100000"`).
const bool kIsSeeded = setenv("RC_PARAMS", "seed=1 max_success=500", 0) == 0;

struct Choice {
  const char* name;
  std::vector<std::string> values;  ///< The default first, where it can be written down.
};

/// Few values each, so that equal, equivalent and different specs all come up often.
const std::vector<Choice>& choices() {
  static const std::vector<Choice> kChoices = {{"sizes", {"0x0", "10", "10x0", "x10", "10x10", "20", "20x20", "5"}},
                                               {"fit", {"inside", "cover", "contain", "fill", "outside"}},
                                               {"gravity", {"center", "north", "smart", "fp:0.5,0.5", "fp:0.25,0.5"}},
                                               {"enlarge", {"false", "true"}},
                                               {"dpr", {"1", "2", "1.5"}},
                                               {"format", {"auto", "jpeg", "JPG", "png", "webp", "avif", "gif"}},
                                               {"quality", {"80", "79", "63", "10"}},
                                               {"effort", {"4", "2", "6", "7", "9"}},
                                               {"lossless", {"0", "1"}},
                                               {"progressive", {"0", "1"}},
                                               {"strip", {"1", "0"}},
                                               {"thumb", {"0", "1"}},
                                               {"crop", {"0,0,100%,100%", "0%,0%,100%,100%", "1,1,9,9", "1%,1%,9%,9%"}},
                                               {"rotate", {"0", "90"}},
                                               {"flip", {"h", "hv", "vh"}},
                                               {"blur", {"0", "0.5", "0.50"}},
                                               {"sharpen", {"0", "2"}},
                                               {"background", {"fff", "#FFFFFF", "000"}},
                                               {"page", {"0", "1"}},
                                               {"frames", {"-1", "1", "3"}},
                                               {"encoder", {"stream", "json"}}};
  return kChoices;
}

using Parameters = std::vector<Parameter>;

rc::Gen<Parameter> value_of(const Choice& choice) {
  return rc::gen::map(rc::gen::elementOf(choice.values), [name = choice.name](const std::string& value) {
    return Parameter{name, value};
  });
}

/// JPEG and GIF cannot be lossless: such a call is refused, and has no key.
Parameters without_contradiction(Parameters parameters) {
  const auto is_lossy_format = [](const Parameter& parameter) {
    return parameter.value == "jpeg" || parameter.value == "JPG" || parameter.value == "gif";
  };
  if (std::any_of(parameters.begin(), parameters.end(), is_lossy_format)) {
    std::erase_if(parameters, [](const Parameter& parameter) { return parameter.name == "lossless"; });
  }
  return parameters;
}

/// Each parameter given or not, in the order of the table.
Parameters any_parameters() {
  RC_ASSERT(kIsSeeded);
  Parameters parameters;
  for (const Choice& choice : choices()) {
    if (*rc::gen::weightedElement<bool>({{2, false}, {1, true}})) parameters.push_back(*value_of(choice));
  }
  return without_contradiction(std::move(parameters));
}

TransformSpec spec_of(const Parameters& parameters) {
  const auto parsed = parse_transform_parameters(parameters);
  RC_ASSERT(parsed.has_value());
  return {{source::SourceLocator::Kind::kFile, "cat.jpg"}, parsed->render};
}

std::string key_of(const Parameters& parameters) {
  return rendition_key(spec_of(parameters), 0);
}

RC_GTEST_PROP(TransformSpecProperty, OrderDoesNotMatter, ()) {
  const Parameters parameters = any_parameters();
  Parameters shuffled = parameters;
  std::shuffle(shuffled.begin(), shuffled.end(), std::mt19937(*rc::gen::arbitrary<unsigned>()));
  RC_ASSERT(key_of(shuffled) == key_of(parameters));
}

RC_GTEST_PROP(TransformSpecProperty, CanonicalIsIdempotentAndKeepsTheKey, ()) {
  TransformSpec spec = spec_of(any_parameters());
  const media::RenderSpec once = canonical(spec.render);
  RC_ASSERT(canonical(once) == once);
  RC_ASSERT(rendition_key({spec.source, once}, 0) == rendition_key(spec, 0));
}

RC_GTEST_PROP(TransformSpecProperty, EqualKeysAreEqualCanonicalSpecs, ()) {
  const Parameters parameters = any_parameters();
  Parameters changed = parameters;
  // A neighbour: one parameter has another value, comes, or goes. Far apart specs would hardly ever be equal.
  const Choice& choice = *rc::gen::elementOf(choices());
  std::erase_if(changed, [&](const Parameter& parameter) { return parameter.name == choice.name; });
  if (*rc::gen::arbitrary<bool>()) changed.push_back(*value_of(choice));
  changed = without_contradiction(std::move(changed));
  const bool is_same_work = canonical(spec_of(parameters).render) == canonical(spec_of(changed).render);
  RC_TAG(is_same_work ? "same" : "different");
  RC_ASSERT((key_of(parameters) == key_of(changed)) == is_same_work);
}

RC_GTEST_PROP(TransformSpecProperty, WritingDefaultsDownDoesNotMatter, ()) {
  const std::array<const char*, 14> with_fixed_default = {"sizes",    "fit",         "gravity", "enlarge", "dpr",
                                                          "lossless", "progressive", "strip",   "thumb",   "rotate",
                                                          "blur",     "sharpen",     "page",    "encoder"};
  const Parameters parameters = any_parameters();
  Parameters explicit_defaults = parameters;
  for (const Choice& choice : choices()) {
    const auto is_this = [&](const auto& name) { return std::string(choice.name) == name; };
    const bool is_given =
        std::any_of(parameters.begin(), parameters.end(), [&](const auto& p) { return is_this(p.name); });
    const bool is_fixed = std::any_of(with_fixed_default.begin(), with_fixed_default.end(), is_this);
    if (is_fixed && !is_given) explicit_defaults.push_back({choice.name, choice.values.front()});
  }
  RC_ASSERT(key_of(explicit_defaults) == key_of(parameters));
}

RC_GTEST_PROP(TransformSpecProperty, OtherSizesDoNotMatter, ()) {
  TransformSpec several = spec_of(any_parameters());
  several.render.sizes = *rc::gen::container<std::vector<media::Size>>(
      3, rc::gen::map(rc::gen::pair(rc::gen::inRange(0, 3), rc::gen::inRange(0, 3)), [](const auto& sides) {
        return media::Size{sides.first * 10, sides.second * 10};
      }));
  for (std::size_t i = 0; i < several.render.sizes.size(); ++i) {
    TransformSpec alone = several;
    alone.render.sizes = {several.render.sizes[i]};
    RC_ASSERT(rendition_key(several, i) == rendition_key(alone, 0));
  }
}

RC_GTEST_PROP(TransformSpecProperty, NoInputBreaksTheParser, (const std::vector<std::string>& texts)) {
  Parameters parameters;
  for (const std::string& text : texts) parameters.push_back({(*rc::gen::elementOf(choices())).name, text});
  const auto parsed = parse_transform_parameters(parameters);
  if (!parsed) RC_ASSERT(!parsed.error().detail.empty());
}

}  // namespace
}  // namespace optimux::service

#pragma once

#include "apps/optimux/transform/input_list.hpp"
#include "apps/optimux/transform/output_plan.hpp"
#include "base/result.hpp"
#include "media/render_spec.hpp"
#include "service/parameters.hpp"

#include <optional>
#include <string>
#include <vector>

namespace optimux::apps {

/// The command line of `optimux transform`, as it was given.
struct TransformArguments {
  std::vector<std::string> inputs;
  std::string output;
  std::optional<std::string> name;  ///< Template; else `{stem}.{ext}`, or `{stem}-{size}.{ext}` for several sizes.
  bool recursive = false;
  bool overwrite = false;
  bool skip_existing = false;
  std::vector<service::Parameter> parameters;
};

/// What is to be done.
struct TransformPlan {
  InputList inputs;
  media::RenderSpec spec;
  OutputOptions output;
};

/// Reads the parameters, finds the inputs and settles where the output goes: a folder if it is one, ends with a slash,
/// or there are several inputs or sizes; else a file, whose extension is the format where none was given. Errors:
/// kInvalidParameter with a detail for the user, also where an extension is not written and no format was given, where
/// several results would make a folder that is named like a picture, and where a folder is both input and output and no
/// format tells results from inputs, and where the extension is a format that cannot be lossless and that was asked
/// for. Blocks on the file system.
base::Result<TransformPlan> make_transform_plan(const TransformArguments& arguments);

}  // namespace optimux::apps

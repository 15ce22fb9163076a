#include "apps/optimux/transform/transform_plan.hpp"

#include "apps/optimux/transform/file_format.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

namespace optimux::apps {
namespace {

namespace fs = std::filesystem;

using Kind = OutputOptions::Kind;

tl::unexpected<base::Error> invalid(std::string detail) {
  return base::fail(base::ErrorCode::kInvalidParameter, std::move(detail));
}

// `24`, `24x` and `24x0` are one size, and would be one file.
std::vector<media::Size> without_duplicates(const std::vector<media::Size>& sizes) {
  std::vector<media::Size> kept;
  for (const media::Size& size : sizes) {
    if (std::ranges::find(kept, size) == kept.end()) kept.push_back(size);
  }
  return kept;
}

base::Result<media::RenderSpec> read_spec(const TransformArguments& arguments) {
  const auto parameters = service::parse_transform_parameters(arguments.parameters);
  if (!parameters) return base::fail(parameters.error());
  if (parameters->negotiate_format)
    return invalid("format=auto needs a client that says what it accepts: name a format");
  if (parameters->is_original) return invalid("format=original changes nothing: copy the file");
  if (parameters->delivery == service::Delivery::kJson) return invalid("encoder=json answers requests; see --json");
  media::RenderSpec spec = parameters->render;
  spec.sizes = without_duplicates(spec.sizes);
  return spec;
}

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

Kind kind_of_output(const TransformArguments& arguments, const TransformPlan& plan) {
  if (arguments.output == "-") return Kind::kStandardOutput;
  const bool is_many = plan.inputs.inputs.size() > 1 || plan.inputs.has_folder || plan.spec.sizes.size() > 1;
  return is_many || arguments.output.ends_with('/') || is_folder(arguments.output) ? Kind::kFolder : Kind::kFile;
}

std::optional<media::Format> written_format_of_name(const fs::path& path) {
  const auto format = format_of_name(path);
  return format && media::is_writable(*format) ? format : std::nullopt;
}

// A name such as `b.avif` means one picture; making a folder of it would hide that its extension said nothing.
base::Status check_folder(const fs::path& path, const TransformPlan& plan) {
  std::error_code ignored;
  const bool has_several_sizes = plan.spec.sizes.size() > 1;
  if (fs::exists(path, ignored) && !is_folder(path)) {
    return invalid("'" + path.string() + "' is no folder, and there are several inputs or sizes");
  }
  if (path.has_filename() && format_of_name(path) && !is_folder(path)) {
    return invalid("several " + std::string(has_several_sizes ? "sizes" : "inputs") + " need a folder, and '" +
                   path.string() + "' is named like a picture; for a folder of that name write '" + path.string() +
                   "/'");
  }
  return {};
}

// Without --format the extension is the only word about it; one that is not understood would name other bytes.
base::Status check_extension(const fs::path& path) {
  if (!path.has_extension() || written_format_of_name(path)) return {};
  return invalid("'" + path.string() + "': " + path.extension().string() +
                 " is not written; allowed: .jpg, .jpeg, .png, .webp, .avif and .gif (or give --format)");
}

// Where the extension is the format, it may contradict what was asked for as --format would have.
base::Status check_lossless(const fs::path& path, const media::RenderSpec& spec) {
  return service::check_lossless(spec).map_error([&](const base::Error& error) {
    return base::Error{error.code, "'" + path.string() + "': " + error.detail, error.cause};
  });
}

// In a folder that is read and written, a format of their own is what tells results from inputs.
base::Status check_shared_folder(const TransformPlan& plan) {
  if (!plan.inputs.has_output || plan.spec.format) return {};
  return invalid("'" + plan.output.path.string() +
                 "' is an input and the output: name the --format that tells results from inputs, or another folder");
}

base::Status check_output(const TransformArguments& arguments, const TransformPlan& plan) {
  if (auto checked = check_shared_folder(plan); !checked) return checked;
  const bool is_one = plan.inputs.inputs.size() == 1 && !plan.inputs.has_folder && plan.spec.sizes.size() == 1;
  if (plan.output.kind == Kind::kStandardOutput && !is_one) {
    return invalid("standard output (-o -) takes one input and one size");
  }
  if (plan.output.kind != Kind::kFolder && arguments.name) return invalid("--name needs a folder as output");
  if (plan.output.kind == Kind::kFolder) return check_folder(plan.output.path, plan);
  if (plan.output.kind == Kind::kStandardOutput) return {};
  if (!plan.spec.format) return check_extension(plan.output.path);
  return check_lossless(plan.output.path, plan.spec);
}

ExistingFile existing_file(const TransformArguments& arguments) {
  if (arguments.overwrite) return ExistingFile::kOverwrite;
  return arguments.skip_existing ? ExistingFile::kSkip : ExistingFile::kRefuse;
}

std::string name_template(const TransformArguments& arguments, const media::RenderSpec& spec) {
  if (arguments.name) return *arguments.name;
  return spec.sizes.size() == 1 ? "{stem}.{ext}" : "{stem}-{size}.{ext}";
}

base::Status settle_output(const TransformArguments& arguments, TransformPlan& plan) {
  plan.output.kind = kind_of_output(arguments, plan);
  plan.output.path = arguments.output;
  plan.output.existing = existing_file(arguments);
  const auto name = NameTemplate::parse(name_template(arguments, plan.spec));
  if (!name) return base::fail(name.error());
  plan.output.name = *name;
  if (plan.output.kind == Kind::kFile && !plan.spec.format) plan.spec.format = written_format_of_name(plan.output.path);
  return check_output(arguments, plan);
}

}  // namespace

base::Result<TransformPlan> make_transform_plan(const TransformArguments& arguments) {
  const auto spec = read_spec(arguments);
  if (!spec) return base::fail(spec.error());
  const InputOptions input_options{.recursive = arguments.recursive,
                                   .output = is_folder(arguments.output) ? arguments.output : "",
                                   .format = spec->format};
  auto inputs = find_inputs(arguments.inputs, input_options);
  if (!inputs) return base::fail(inputs.error());
  TransformPlan plan{.inputs = *std::move(inputs), .spec = *spec, .output = {}};
  if (const auto settled = settle_output(arguments, plan); !settled) return base::fail(settled.error());
  return plan;
}

}  // namespace optimux::apps

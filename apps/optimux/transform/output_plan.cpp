#include "apps/optimux/transform/output_plan.hpp"

#include "apps/optimux/transform/file_format.hpp"

#include <system_error>
#include <utility>

namespace optimux::apps {
namespace {

namespace fs = std::filesystem;

std::optional<std::string> extension_of_type(std::string_view content_type) {
  using media::Format;
  for (const Format format : {Format::kJpeg, Format::kPng, Format::kWebp, Format::kAvif, Format::kGif}) {
    if (media::content_type_of(format) == content_type) return std::string(media::extension_of(format));
  }
  return std::nullopt;
}

tl::unexpected<Failure> refuse(std::string_view code, const fs::path& path, std::string_view reason) {
  return tl::make_unexpected(Failure{std::string(code), "'" + path.string() + "' " + std::string(reason), ""});
}

// Something that can be replaced, as opposed to a device or a pipe that is written to as it is.
bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored) && !fs::is_other(path, ignored);
}

}  // namespace

OutputPlan::OutputPlan(OutputOptions options, const media::RenderSpec& spec, std::set<FileIdentity> inputs)
    : options_(std::move(options)), spec_(spec), inputs_(std::move(inputs)) {}

std::optional<fs::path> OutputPlan::path_for(const Input& input, std::size_t size_index,
                                             const base::BodyHead* head) const {
  if (options_.kind != OutputOptions::Kind::kFolder) return options_.path;
  NameValues values{
      .name = input.file_name, .stem = input.stem, .size = size_text(size_index), .index = size_index + 1};
  values.extension = known_extension(input);
  if (head != nullptr) {
    values.extension = extension_of_type(head->content_type);
    values.dimensions = {head->width, head->height};
  }
  const auto name = options_.name.fill(values);
  if (!name) return std::nullopt;
  return (options_.path / input.folder / *name).lexically_normal();
}

std::optional<std::string> OutputPlan::known_extension(const Input& input) const {
  std::optional<media::Format> format = spec_.format;
  if (!format && input.kind == Input::Kind::kFile) format = format_of_file(input.name);
  if (!format || !media::is_writable(*format)) return std::nullopt;
  return std::string(media::extension_of(*format));
}

tl::expected<OutputPlan::Verdict, Failure> OutputPlan::claim(const fs::path& path) {
  if (is_standard_output()) return Verdict::kWrite;
  if (inputs_.contains(identity_of(path)))
    return refuse("is_input", path, "is one of the inputs, and inputs are never overwritten");
  if (!claimed_.insert(path).second) {
    return refuse("name_taken", path, "is the output of another input or size too; tell them apart with --name");
  }
  if (overwrites() || !is_there(path)) return Verdict::kWrite;
  if (options_.existing == ExistingFile::kSkip) return Verdict::kSkip;
  return refuse("exists", path, "exists; give --overwrite or --skip-existing");
}

base::Result<OutputFile> OutputPlan::open(const fs::path& path) const {
  if (is_standard_output()) return OutputFile::standard_output(options_.interrupt);
  return OutputFile::create(path, options_.interrupt);
}

std::string OutputPlan::size_text(std::size_t size_index) const {
  const media::Size& size = spec_.sizes[size_index];
  return std::to_string(size.width) + "x" + std::to_string(size.height);
}

}  // namespace optimux::apps

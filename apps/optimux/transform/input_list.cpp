#include "apps/optimux/transform/input_list.hpp"

#include "apps/optimux/transform/file_format.hpp"
#include "base/text.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <system_error>

namespace optimux::apps {
namespace {

namespace fs = std::filesystem;

bool is_url(std::string_view text) {
  const std::string start = base::to_lower(text.substr(0, 8));
  return start.starts_with("http://") || start.starts_with("https://");
}

bool is_hidden(const fs::path& path) {
  return path.filename().string().starts_with('.');
}

// A text from elsewhere as one component of a path: it can neither be empty nor lead to another folder.
std::string safe_component(std::string text) {
  std::ranges::replace(text, '/', '_');
  std::ranges::replace(text, '\0', '_');
  return text.empty() || text == "." || text == ".." ? "image" : text;
}

// The last part of the URL's path, decoded.
std::string file_name_of_url(std::string_view url) {
  url = url.substr(0, url.find_first_of("?#"));
  const std::string_view path = url.substr(url.find("://") + 3);
  const auto slash = path.rfind('/');
  const std::string_view last = slash == std::string_view::npos ? std::string_view() : path.substr(slash + 1);
  return safe_component(base::percent_decode(last).value_or(std::string(last)));
}

Input make_input(Input::Kind kind, const std::string& name, const std::string& file_name, const fs::path& folder = {}) {
  const std::string safe_name = safe_component(file_name);
  const std::string stem = safe_component(fs::path(safe_name).stem().string());
  return {.kind = kind, .name = name, .folder = folder, .file_name = safe_name, .stem = stem};
}

Input file_input(const fs::path& path, const fs::path& folder) {
  return make_input(Input::Kind::kFile, path.string(), path.filename().string(), folder);
}

class Finder {
 public:
  explicit Finder(const InputOptions& options) : options_(options), output_(identity_of(options.output)) {}

  base::Status add(const std::string& argument) {
    if (argument == "-") return add_standard_input();
    if (is_url(argument)) {
      list_.inputs.push_back(make_input(Input::Kind::kUrl, argument, file_name_of_url(argument)));
      return {};
    }
    std::error_code ignored;
    if (fs::is_directory(argument, ignored)) {
      add_argument_folder(argument);
    } else {
      add_file(argument, {});
    }
    return {};
  }

  InputList take() { return std::move(list_); }

 private:
  base::Status add_standard_input() {
    if (std::ranges::find(list_.inputs, Input::Kind::kStandardInput, &Input::kind) != list_.inputs.end()) {
      return base::fail(base::ErrorCode::kInvalidParameter, "standard input (-) can be given only once");
    }
    list_.inputs.push_back(make_input(Input::Kind::kStandardInput, "-", "stdin"));
    list_.identities.insert(identity_of(STDIN_FILENO));
    return {};
  }

  void add_file(const fs::path& path, const fs::path& folder) {
    list_.inputs.push_back(file_input(path, folder));
    list_.identities.insert(identity_of(path));
  }

  // The output folder may lie inside an input folder; what a former run has put there is no input of this one. Where it
  // is the input folder (a WebP beside each JPEG), results are known by their names alone.
  void add_argument_folder(const fs::path& path) {
    list_.has_folder = true;
    const bool is_output = is_output_folder(path);
    if (is_output) list_.has_output = true;
    results_are_here_ = is_output;
    add_entries(path, {});
    results_are_here_ = false;
  }

  bool is_output_folder(const fs::path& path) const {
    return output_ != FileIdentity{} && identity_of(path) == output_;
  }

  void add_folder(const fs::path& path, const fs::path& folder) {
    if (!is_output_folder(path)) add_entries(path, folder);
  }

  void add_entries(const fs::path& path, const fs::path& folder) {
    for (const fs::path& entry : sorted_entries(path)) {
      std::error_code ignored;
      if (is_hidden(entry)) continue;
      if (fs::is_directory(entry, ignored)) {
        if (options_.recursive && !fs::is_symlink(entry, ignored)) add_folder(entry, folder / entry.filename());
      } else {
        add_entry(entry, folder);
      }
    }
  }

  void add_entry(const fs::path& entry, const fs::path& folder) {
    const auto format = format_of_name(entry);
    if (!format) {
      ++list_.passed_over;
    } else if (results_are_here_ && format == options_.format) {
      ++list_.results;
    } else {
      add_file(entry, folder);
    }
  }

  // A folder that cannot be read becomes an input that fails, so that it is reported like any other.
  std::vector<fs::path> sorted_entries(const fs::path& path) {
    std::vector<fs::path> entries;
    std::error_code error;
    for (fs::directory_iterator entry(path, error), end; !error && entry != end; entry.increment(error)) {
      entries.push_back(entry->path());
    }
    if (error) list_.inputs.push_back(file_input(path, {}));
    std::ranges::sort(entries);
    return entries;
  }

  const InputOptions& options_;
  const FileIdentity output_;
  bool results_are_here_ = false;
  InputList list_;
};

FileIdentity identity_of(const struct stat& status) {
  return {status.st_dev, status.st_ino};
}

}  // namespace

base::Result<InputList> find_inputs(std::span<const std::string> arguments, const InputOptions& options) {
  Finder finder(options);
  for (const std::string& argument : arguments) {
    if (const auto added = finder.add(argument); !added) return base::fail(added.error());
  }
  InputList list = finder.take();
  list.identities.erase(FileIdentity{});
  return list;
}

FileIdentity identity_of(const fs::path& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? identity_of(status) : FileIdentity{};
}

FileIdentity identity_of(int descriptor) {
  struct stat status {};
  return ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) ? identity_of(status) : FileIdentity{};
}

}  // namespace optimux::apps

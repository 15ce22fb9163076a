#include "media/vector_code_guard.hpp"

#include <dlfcn.h>
// The second needs the first.
// clang-format off
#include <vips/vips.h>
#include <vips/vector.h>
// clang-format on

#include "base/mutex.hpp"

// The names and types are liborc's, which calls the type of `program` OrcProgram and the result OrcCompileResult.
extern "C" {
[[gnu::visibility("default")]] int orc_program_compile(void* program);
[[gnu::visibility("default")]] void orc_program_free(void* program);
}

namespace {

// The one piece of state for the whole process: liborc has one list of code memory.
optimux::base::Mutex& code_memory_mutex() {
  static optimux::base::Mutex mutex;
  return mutex;
}

// What the name would stand for without this file; null where libvips does without liborc.
template <class Function>
Function* function_behind(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

int orc_program_compile(void* program) {
  static const auto compile = function_behind<int(void*)>("orc_program_compile");
  const optimux::base::MutexLock lock(code_memory_mutex());
  return compile(program);
}

void orc_program_free(void* program) {
  static const auto free_program = function_behind<void(void*)>("orc_program_free");
  const optimux::base::MutexLock lock(code_memory_mutex());
  free_program(program);
}

namespace optimux::media {

void guard_vector_code() {
  const bool is_ours = ::dlsym(RTLD_DEFAULT, "orc_program_compile") == reinterpret_cast<void*>(&orc_program_compile) &&
                       ::dlsym(RTLD_DEFAULT, "orc_program_free") == reinterpret_cast<void*>(&orc_program_free);
  if (!is_ours) vips_vector_set_enabled(FALSE);
}

}  // namespace optimux::media

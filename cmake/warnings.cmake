# One INTERFACE target carries the warning set, so that it reaches our code and never a system header or a user's target.
add_library(optimux_warnings INTERFACE)
target_compile_options(
  optimux_warnings
  INTERFACE -Wall
            -Wextra
            -Wpedantic
            -Wshadow
            -Wnon-virtual-dtor
            -Woverloaded-virtual
            -Wcast-align
            -Wunused
            -Wconversion
            -Wno-sign-conversion
            -Wnull-dereference
            -Wdouble-promotion
            -Wformat=2
            -Wimplicit-fallthrough
            $<$<CXX_COMPILER_ID:GNU>:-Wduplicated-cond>
            $<$<CXX_COMPILER_ID:GNU>:-Wlogical-op>
            # g++ 12.2 reports null dereferences inside its own coroutine frames and std::function at -O2.
            $<$<CXX_COMPILER_ID:GNU>:-Wno-null-dereference>
            # g++ 12 sees overlapping copies in `"text" + std::string(...)` at -O3 (GCC bugs 105329 and 105651).
            $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
            $<$<CXX_COMPILER_ID:Clang>:-Wthread-safety>
            # Aggregates are filled by name; members left out keep the defaults written in the struct.
            -Wno-missing-field-initializers
            $<$<BOOL:${OPTIMUX_WERROR}>:-Werror>)

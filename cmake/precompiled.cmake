# The standard headers that most files include, parsed once for a target instead of once for each of its sources: about a
# third of the compile time of a test. The layers themselves use it under sanitizers only, so that the release build
# still finds a source that forgot an include.
set(OPTIMUX_COMMON_HEADERS
    <algorithm> <array> <atomic> <chrono> <cstdint> <functional> <map> <memory> <optional> <span> <string> <string_view>
    <thread> <utility> <vector>)

# g++ 12 takes the bounds of temporary strings wrongly at -O1 (GCC bug 105329), and a precompiled header is no system header
# to it, so that it says so.
set(OPTIMUX_PRECOMPILED_WARNINGS $<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds>
                                 $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow>)

# Called for each layer.
function(optimux_precompile_layer target)
  if(OPTIMUX_SANITIZE)
    target_precompile_headers(${target} PRIVATE ${OPTIMUX_COMMON_HEADERS})
    target_compile_options(${target} PRIVATE ${OPTIMUX_PRECOMPILED_WARNINGS})
  endif()
endfunction()

# Called for each test binary. Tests are not what is measured: in the release build they are compiled with -O1, the
# layers that they test with -O3.
function(optimux_precompile_tests target)
  target_precompile_headers(${target} PRIVATE ${OPTIMUX_COMMON_HEADERS} <gmock/gmock.h> <gtest/gtest.h>)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1> ${OPTIMUX_PRECOMPILED_WARNINGS})
endfunction()

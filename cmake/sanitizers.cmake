# OPTIMUX_SANITIZE is a comma-separated list for -fsanitize, applied to everything that is built here.
if(OPTIMUX_SANITIZE)
  add_compile_options(-fsanitize=${OPTIMUX_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${OPTIMUX_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND OPTIMUX_SANITIZE MATCHES "thread")
    # GCC warns that it cannot model std::atomic_thread_fence, which Boost and libstdc++ headers contain.
    add_compile_options(-Wno-tsan)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND OPTIMUX_SANITIZE MATCHES "undefined")
    # clang 14 cannot place the prologue data of this check beside a coroutine's parts.
    add_compile_options(-fno-sanitize=function)
  endif()
endif()

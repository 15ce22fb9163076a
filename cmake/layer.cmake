# optimux_layer(<name> SOURCES <file>… [USES <target>…] [PRIVATE_USES <target>…])
#
# Declares one layer of the house as a static library `optimux_<name>` with the alias `optimux::<name>`. `USES` are the
# layers and packages that its headers need; `PRIVATE_USES` are those that only its sources include.
function(optimux_layer name)
  cmake_parse_arguments(LAYER "" "" "SOURCES;USES;PRIVATE_USES" ${ARGN})
  add_library(optimux_${name} STATIC ${LAYER_SOURCES})
  add_library(optimux::${name} ALIAS optimux_${name})
  target_include_directories(optimux_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(
    optimux_${name}
    PUBLIC ${LAYER_USES}
    PRIVATE optimux_warnings ${LAYER_PRIVATE_USES})
  optimux_precompile_layer(optimux_${name})
endfunction()

# optimux_unit_test(<layer> SOURCES <file>… [USES <target>…])
#
# One test binary per layer; each case becomes a ctest named `<layer>.<suite>.<case>`.
function(optimux_unit_test layer)
  cmake_parse_arguments(TEST "" "" "SOURCES;USES" ${ARGN})
  add_executable(${layer}_test ${TEST_SOURCES})
  target_include_directories(${layer}_test PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${layer}_test PRIVATE optimux_warnings optimux::${layer} GTest::gmock_main ${TEST_USES})
  optimux_precompile_tests(${layer}_test)
  gtest_discover_tests(
    ${layer}_test
    TEST_PREFIX "${layer}."
    DISCOVERY_TIMEOUT 60
    PROPERTIES TIMEOUT 120)
endfunction()

# Headers, library, CMake package and pkg-config file.
include(CMakePackageConfigHelpers)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/optimux-pool)

install(TARGETS optimux-pool EXPORT optimux-pool-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
                                                         LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/optimux DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT optimux-pool-targets NAMESPACE optimux:: DESTINATION ${package_folder})

configure_package_config_file(cmake/optimux-pool-config.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/optimux-pool-config.cmake
                              INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/optimux-pool-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/optimux-pool-config.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/optimux-pool-config-version.cmake DESTINATION ${package_folder})

# The .pc file finds its prefix from where it stands, so that an installation can be moved.
file(RELATIVE_PATH up_to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/optimux-pool.pc.in ${CMAKE_CURRENT_BINARY_DIR}/optimux-pool.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/optimux-pool.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

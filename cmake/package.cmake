# A package of what is installed: cmake --build build/release --target package. Where there is no dpkg-deb, an archive.

find_program(PERFEVO_DPKG_DEB dpkg-deb)
mark_as_advanced(PERFEVO_DPKG_DEB)
set(CPACK_GENERATOR TGZ)
if(PERFEVO_DPKG_DEB)
	set(CPACK_GENERATOR DEB)
endif()
set(CPACK_PACKAGE_NAME perfevo)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "finds the commits that changed a program's performance")
set(CPACK_PACKAGE_DESCRIPTION
"perfevo walks the history of a git repository, builds each commit away from
the checkout, runs benchmarks on all of the builds in interleaved rounds, and
reports which commit changed which metric, by how much, which functions did
it, and how sure that is.

It works for any program that builds from a command line. A benchmark is a
command, or one of a program's suite; nothing is linked into the program.")
set(CPACK_PACKAGE_VENDOR "perfevo developers")
set(PERFEVO_CONTACT "perfevo developers <perfevo@example.org>" CACHE STRING "Who answers for the Debian package, with an address")
set(CPACK_PACKAGE_CONTACT "${PERFEVO_CONTACT}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/package_files.cmake)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# Histories are read through libgit2, and git itself is called for remotes alone; valgrind counts instructions.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "git, valgrind")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS ccache)

include(CPack)

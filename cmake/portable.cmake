# PERFEVO_PORTABLE: programs and libraries that another Linux with at least that glibc loads. Libraries are linked from
# static archives, Zydis, which Debian has as a shared one alone, is installed beside them, and of glibc no symbol is
# used in a version that is newer: the linker sees stubs (portable/surface.sh) in place of the libc of this machine, and
# portable/old_glibc.c has the few functions that came later. Nothing is compiled otherwise than without.
add_library(pe_portable INTERFACE)
add_library(pe_portable_program INTERFACE)
if(NOT "${PERFEVO_PORTABLE}" STREQUAL "${PERFEVO_PORTABLE_BEFORE}") # libraries that were found are of the other kind
	get_cmake_property(cached CACHE_VARIABLES)
	list(FILTER cached INCLUDE REGEX "^pkgcfg_lib_")
	foreach(name ${cached})
		unset(${name} CACHE)
	endforeach()
	set(PERFEVO_PORTABLE_BEFORE "${PERFEVO_PORTABLE}" CACHE INTERNAL "")
endif()
if(NOT PERFEVO_PORTABLE)
	return()
endif()
list(PREPEND CMAKE_FIND_LIBRARY_SUFFIXES .a)
set(surface ${PROJECT_BINARY_DIR}/surface-${PERFEVO_PORTABLE})
execute_process(COMMAND ${PROJECT_SOURCE_DIR}/cmake/portable/surface.sh ${PERFEVO_PORTABLE} ${surface} ${CMAKE_C_COMPILER}
	COMMAND_ERROR_IS_FATAL ANY)
add_library(pe_old_glibc STATIC cmake/portable/old_glibc.c cmake/portable/old_stat.c)
target_compile_options(pe_old_glibc PRIVATE -O2 -fPIC -fvisibility=hidden)
target_include_directories(pe_old_glibc PRIVATE ${PROJECT_SOURCE_DIR})
target_link_libraries(pe_portable INTERFACE pe_old_glibc)
target_link_options(pe_portable INTERFACE -L${surface})

# A program of glibc 2.34 or newer leaves it to the libc to call its constructors.
add_library(pe_portable_parts STATIC cmake/portable/start.c cmake/portable/no_remotes.c)
target_compile_options(pe_portable_parts PRIVATE -O2 -fPIC -fvisibility=hidden)
# What the archives need, which they do not say of themselves: libgit2's first, then elfutils'.
target_link_libraries(pe_portable_program INTERFACE pe_portable_parts -l:libpcre2-8.a -l:libmbedtls.a -l:libmbedx509.a
	-l:libmbedcrypto.a -l:libhttp_parser.a -l:liblzma.a -l:libbz2.a -l:libz.a pe_portable)
target_link_options(pe_portable_program INTERFACE -Wl,--wrap=__libc_start_main)

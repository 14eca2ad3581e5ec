# What is put right before cpack packs. Whatever umask it runs with, everybody may read the folders.
function(open_folders)
	file(CHMOD_RECURSE ${CPACK_TEMPORARY_DIRECTORY} DIRECTORY_PERMISSIONS
		OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
endfunction()
open_folders()
if(NOT CPACK_GENERATOR STREQUAL DEB)
	return()
endif()

# Manual pages are compressed, as Debian's policy (12.1) has them. gzip's -n leaves out names and times, so that the same
# pages give the same bytes.
file(GLOB_RECURSE pages ${CPACK_TEMPORARY_DIRECTORY}/*.1)
foreach(page ${pages})
	if(IS_SYMLINK ${page})
		file(READ_SYMLINK ${page} target)
		file(CREATE_LINK ${target}.gz ${page}.gz SYMBOLIC)
		file(REMOVE ${page})
	else()
		execute_process(COMMAND gzip -9n ${page} COMMAND_ERROR_IS_FATAL ANY)
	endif()
endforeach()

set(usr ${CPACK_TEMPORARY_DIRECTORY}${CPACK_PACKAGING_INSTALL_PREFIX})
# Debian's zsh looks for completions of packages elsewhere than zsh itself.
if(EXISTS ${usr}/share/zsh/site-functions)
	file(RENAME ${usr}/share/zsh/site-functions ${usr}/share/zsh/vendor-completions)
endif()

# The changelog of Debian's policy (12.7), and why two programs are static. Without SOURCE_DATE_EPOCH it is of today.
string(TIMESTAMP day "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(WRITE ${usr}/share/doc/perfevo/changelog "perfevo (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium

  * Version ${CPACK_PACKAGE_VERSION}: CHANGELOG.md of its sources has what is new.

 -- ${CPACK_PACKAGE_CONTACT}  ${day}
")
execute_process(COMMAND gzip -9n ${usr}/share/doc/perfevo/changelog COMMAND_ERROR_IS_FATAL ANY)
file(WRITE ${usr}/share/lintian/overrides/perfevo "# They start what is measured, and builds: quickly, and in trees whose libraries are not this system's.
perfevo: statically-linked-binary [usr/libexec/perfevo/perfevo-launch]
perfevo: statically-linked-binary [usr/libexec/perfevo/perfevo-cc1]
")
file(CHMOD ${usr}/share/doc/perfevo/changelog.gz ${usr}/share/lintian/overrides/perfevo
	PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
open_folders()

# Times are the release's.
if(DEFINED ENV{SOURCE_DATE_EPOCH})
	execute_process(COMMAND find ${CPACK_TEMPORARY_DIRECTORY} -exec touch -h -d "@$ENV{SOURCE_DATE_EPOCH}" {} +
		COMMAND_ERROR_IS_FATAL ANY)
endif()

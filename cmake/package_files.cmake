# What is put right before cpack packs. Whatever umask it runs with, everybody may read the folders.
file(CHMOD_RECURSE ${CPACK_TEMPORARY_DIRECTORY} DIRECTORY_PERMISSIONS
	OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

# Manual pages are compressed, as Debian's policy (12.1) has them. gzip's -n leaves out names and times, so that the same
# pages give the same bytes.
if(NOT CPACK_GENERATOR STREQUAL DEB)
	return()
endif()
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

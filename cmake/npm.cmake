# Packages of npm, as SOURCE_DIR/package-lock.json pins them, in BINARY_DIR/node_modules; nothing of them is in git. npm
# fetches them once for all presets (npm.sh) and runs nothing of theirs. FILES are those of node_modules that later steps
# name: they are older than the lock file when npm unpacks them, and therefore touched. THEN is one more command, run
# before that.
#   pe_npm(SOURCE_DIR BINARY_DIR COMMENT text FILES file... [FLAGS flag...] [THEN command...] [DEPENDS file...])
find_program(PERFEVO_NPM npm)
find_program(PERFEVO_NODE NAMES node nodejs)

function(pe_npm source_dir binary_dir)
	cmake_parse_arguments(arg "" "COMMENT" "FILES;FLAGS;THEN;DEPENDS" ${ARGN})
	# The presets' build directories stand beside each other; another one has its packages to itself.
	set(shared ${PROJECT_BINARY_DIR}/npm)
	string(FIND "${PROJECT_BINARY_DIR}" "${PROJECT_SOURCE_DIR}/build/" below)
	if(below EQUAL 0)
		set(shared ${PROJECT_SOURCE_DIR}/build/npm)
	endif()
	set(then "")
	if(arg_THEN)
		set(then COMMAND ${arg_THEN})
	endif()
	add_custom_command(
		OUTPUT ${arg_FILES}
		COMMAND ${PROJECT_SOURCE_DIR}/cmake/npm.sh ${source_dir} ${binary_dir} ${shared} ${PERFEVO_NPM} ${arg_FLAGS}
		${then}
		COMMAND ${CMAKE_COMMAND} -E touch ${arg_FILES}
		DEPENDS ${source_dir}/package.json ${source_dir}/package-lock.json
			${PROJECT_SOURCE_DIR}/cmake/npm.sh ${arg_DEPENDS}
		COMMENT "${arg_COMMENT}"
		VERBATIM)
endfunction()

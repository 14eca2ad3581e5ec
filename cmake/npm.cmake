# Packages of npm, as SOURCE_DIR/package-lock.json pins them, in BINARY_DIR/node_modules; nothing of them is in git. npm
# fetches them once for all presets (npm.sh) and runs nothing of theirs. FILES are those of node_modules that later steps
# name: they are older than the lock file when npm unpacks them, and therefore touched. THEN is one more command, run
# before that.
#   pe_npm(SOURCE_DIR BINARY_DIR COMMENT text FILES file... [FLAGS flag...] [THEN command...] [DEPENDS file...])
#
# An archive of a release has the folder vendor/, which the target 'vendor' makes: the page's bundle, the parsers of the
# grammars, and all licences. A tree with it is built without npm and node.
find_program(PERFEVO_NPM npm)
find_program(PERFEVO_NODE NAMES node nodejs)
set(PERFEVO_VENDOR ${PROJECT_SOURCE_DIR}/vendor)
if(EXISTS ${PERFEVO_VENDOR})
	set(PERFEVO_WEB_DIR ${PERFEVO_VENDOR}/web)
	set(PERFEVO_GRAMMARS_DIR ${PERFEVO_VENDOR}/grammars)
elseif(PERFEVO_NPM AND PERFEVO_NODE)
	set(PERFEVO_VENDOR "")
	set(PERFEVO_WEB_DIR ${PROJECT_BINARY_DIR}/report/web)
	set(PERFEVO_GRAMMARS_DIR ${PROJECT_BINARY_DIR}/analysis/methods/grammars/npm)
	add_custom_target(vendor
		COMMAND ${CMAKE_COMMAND} -DWEB=${PERFEVO_WEB_DIR} -DGRAMMARS=${PERFEVO_GRAMMARS_DIR}
			-DOUT=${PROJECT_BINARY_DIR}/vendor -P ${PROJECT_SOURCE_DIR}/cmake/vendor.cmake
		VERBATIM)
else()
	message(FATAL_ERROR "npm and node are needed to build from a clone (Debian: apt-get install npm), and not from the "
		"archive of a release")
endif()

# The presets' build directories stand beside each other; another one has its packages to itself.
set(PERFEVO_NPM_SHARED ${PROJECT_BINARY_DIR}/npm)
string(FIND "${PROJECT_BINARY_DIR}" "${PROJECT_SOURCE_DIR}/build/" below)
if(below EQUAL 0)
	set(PERFEVO_NPM_SHARED ${PROJECT_SOURCE_DIR}/build/npm)
endif()

function(pe_npm source_dir binary_dir)
	cmake_parse_arguments(arg "" "COMMENT" "FILES;FLAGS;THEN;DEPENDS" ${ARGN})
	set(then "")
	if(arg_THEN)
		set(then COMMAND ${arg_THEN})
	endif()
	add_custom_command(
		OUTPUT ${arg_FILES}
		COMMAND ${PROJECT_SOURCE_DIR}/cmake/npm.sh ${source_dir} ${binary_dir} ${PERFEVO_NPM_SHARED} ${PERFEVO_NPM} ${arg_FLAGS}
		${then}
		COMMAND ${CMAKE_COMMAND} -E touch ${arg_FILES}
		DEPENDS ${source_dir}/package.json ${source_dir}/package-lock.json
			${PROJECT_SOURCE_DIR}/cmake/npm.sh ${arg_DEPENDS}
		COMMENT "${arg_COMMENT}"
		VERBATIM)
endfunction()

# The digest of sources in a target's code, made again whenever one of them changes: what was computed by other sources is
# known by it.
#
#   pe_digest(<target> <symbol> <file>...)                           extern const char <symbol>[];
if(CMAKE_SCRIPT_MODE_FILE)
	foreach(file ${FILES})
		file(SHA256 ${file} digest)
		string(APPEND all ${digest})
	endforeach()
	string(SHA256 all "${all}")
	file(WRITE ${OUT} "extern const char ${SYMBOL}[];\nconst char ${SYMBOL}[] = \"${all}\";\n")
	return()
endif()

set(PE_DIGEST_SCRIPT ${CMAKE_CURRENT_LIST_FILE})
function(pe_digest target symbol)
	set(out ${CMAKE_CURRENT_BINARY_DIR}/${symbol}.c)
	add_custom_command(OUTPUT ${out}
		COMMAND ${CMAKE_COMMAND} -DSYMBOL=${symbol} -DOUT=${out} "-DFILES=${ARGN}" -P ${PE_DIGEST_SCRIPT}
		DEPENDS ${ARGN} ${PE_DIGEST_SCRIPT} VERBATIM)
	add_custom_target(${symbol} DEPENDS ${out})
	add_dependencies(${target} ${symbol})
	target_sources(${target} PRIVATE ${out})
	set_source_files_properties(${out} TARGET_DIRECTORY ${target} PROPERTIES GENERATED ON)
endfunction()

# Files in a target's code. The assembler reads them (.incbin), so that neither the compiler nor git sees them as arrays
# of numbers; each is terminated.
#
#   pe_embed(<target> [<symbol> <file>]... [DEPENDS <target>])       extern const char <symbol>[];
#   pe_embed_list(<target> <symbol> <count> <file>...)               extern const char *const <symbol>[];
#                                                                    extern const size_t <count>;
function(pe_embed_source target name body)
	set(source ${CMAKE_CURRENT_BINARY_DIR}/${name}.c)
	file(CONFIGURE OUTPUT ${source} CONTENT "#include <stddef.h>\n${body}" @ONLY)
	target_sources(${target} PRIVATE ${source})
	set_source_files_properties(${source} TARGET_DIRECTORY ${target} PROPERTIES OBJECT_DEPENDS "${ARGN}")
endfunction()

function(pe_embed target)
	cmake_parse_arguments(arg "" "DEPENDS" "" ${ARGN})
	while(arg_UNPARSED_ARGUMENTS)
		list(POP_FRONT arg_UNPARSED_ARGUMENTS symbol file)
		get_filename_component(file ${file} ABSOLUTE)
		string(APPEND body "__asm__(\".section .rodata\\n.global ${symbol}\\n.hidden ${symbol}\\n${symbol}:\\n"
			".incbin \\\"${file}\\\"\\n.byte 0\\n.previous\");\n")
		list(APPEND files ${file})
	endwhile()
	pe_embed_source(${target} ${target}_embedded "${body}" ${files})
	if(arg_DEPENDS)
		add_dependencies(${target} ${arg_DEPENDS})
	endif()
endfunction()

function(pe_embed_list target symbol count)
	list(TRANSFORM ARGN PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ OUTPUT_VARIABLE files)
	list(LENGTH files n)
	foreach(file ${files})
		get_filename_component(name ${file} NAME_WE)
		set(name ${symbol}_${name})
		string(APPEND body "__asm__(\".section .rodata\\n${name}:\\n.incbin \\\"${file}\\\"\\n.byte 0\\n.previous\");\n"
			"extern const char ${name}[];\n")
		string(APPEND names "\t${name},\n")
	endforeach()
	string(APPEND body "const char *const ${symbol}[] = {\n${names}};\nconst size_t ${count} = ${n};\n")
	pe_embed_source(${target} ${symbol} "${body}" ${files})
endfunction()

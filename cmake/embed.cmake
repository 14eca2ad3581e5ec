# pe_embed(<target> [<symbol> <file>]... [DEPENDS <target>]): the files' contents in the target's code, as
# `extern const char <symbol>[];`, terminated. The assembler reads the files (.incbin), so that neither the compiler nor
# git sees them as arrays of numbers.
function(pe_embed target)
	cmake_parse_arguments(arg "" "" "DEPENDS" ${ARGN})
	set(pairs ${arg_UNPARSED_ARGUMENTS})
	set(body "typedef int pe_embedded; /* a file of C without a declaration is none */\n")
	set(files "")
	while(pairs)
		list(POP_FRONT pairs symbol file)
		get_filename_component(file ${file} ABSOLUTE)
		string(APPEND body "__asm__(\".section .rodata\\n.global ${symbol}\\n.hidden ${symbol}\\n${symbol}:\\n"
			".incbin \\\"${file}\\\"\\n.byte 0\\n.previous\\n\");\n")
		list(APPEND files ${file})
	endwhile()
	set(source ${CMAKE_CURRENT_BINARY_DIR}/${target}_embedded.c)
	file(CONFIGURE OUTPUT ${source} CONTENT "${body}" @ONLY)
	target_sources(${target} PRIVATE ${source})
	set_source_files_properties(${source} TARGET_DIRECTORY ${target} PROPERTIES OBJECT_DEPENDS "${files}")
	if(arg_DEPENDS)
		add_dependencies(${target} ${arg_DEPENDS})
	endif()
endfunction()

# One static library a room. Its sources are listed by name in <room>/CMakeLists.txt with pe_sources();
# its link lines stand together in the root CMakeLists.txt, where they show the architecture.

include(CheckCCompilerFlag)
add_library(pe_flags INTERFACE)
target_compile_options(pe_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes
	-Wmissing-prototypes -Wwrite-strings -Wvla -Wformat=2 -fno-omit-frame-pointer)
target_compile_definitions(pe_flags INTERFACE _POSIX_C_SOURCE=200809L _FILE_OFFSET_BITS=64)
if(PERFEVO_WERROR)
	target_compile_options(pe_flags INTERFACE -Werror)
endif()

# What may not reach the launcher and the runtime: they live in other people's processes.
add_library(pe_instrumented INTERFACE)
target_link_libraries(pe_instrumented INTERFACE pe_flags)
if(PERFEVO_SANITIZE)
	# The sentences are 18 MB of each process, which leaks are looked for in when it ends.
	target_compile_options(pe_instrumented INTERFACE -fsanitize=address,undefined
		$<IF:$<BOOL:${PERFEVO_TRAPS}>,-fsanitize-undefined-trap-on-error,-fno-sanitize-recover=undefined>)
	# What the sanitizers note of the code has 600,000 addresses, which each process of a tool that may lie anywhere would
	# put right as it begins.
	target_link_options(pe_instrumented INTERFACE -fsanitize=address,undefined -no-pie)
endif()
if(PERFEVO_SANITIZE_THREADS)
	target_compile_options(pe_instrumented INTERFACE -fsanitize=thread)
	target_link_options(pe_instrumented INTERFACE -fsanitize=thread)
endif()
if(PERFEVO_COVERAGE)
	target_compile_options(pe_instrumented INTERFACE --coverage)
	target_link_options(pe_instrumented INTERFACE --coverage)
endif()

# What makes a fault harder to use in what is installed (docs/security.md): buffers with bounds, guarded and probed stacks,
# checked jumps, a program at a random place, and no table of it writable once it runs. The libraries of probe/runtime/ run at
# each call of a program that is measured and take what costs nothing there, the link; the launcher is static, and stays
# where it is: the programs that are measured begin as its copies.
add_library(pe_hardened INTERFACE)
if(NOT PERFEVO_SANITIZE AND NOT PERFEVO_COVERAGE AND NOT CMAKE_BUILD_TYPE STREQUAL Debug)
	foreach(flag -fstack-protector-strong -fstack-clash-protection -fcf-protection)
		string(MAKE_C_IDENTIFIER ${flag} id)
		check_c_compiler_flag(${flag} PERFEVO_HAS${id})
		if(PERFEVO_HAS${id})
			target_compile_options(pe_hardened INTERFACE ${flag})
		endif()
	endforeach()
	target_compile_options(pe_hardened INTERFACE -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3)
endif()
# For programs and libraries alike.
add_library(pe_hardened_link INTERFACE)
target_link_options(pe_hardened_link INTERFACE -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)

# The target of a room: pe_json of core/json, pe_app_history of app/history. A room whose name says enough leaves out the
# folder that it stands in.
function(pe_room_target out name)
	string(REGEX REPLACE "^(analysis|core|probe|store)/" "" name ${name})
	string(MAKE_C_IDENTIFIER pe_${name} target)
	set(${out} ${target} PARENT_SCOPE)
endfunction()

function(pe_room name)
	cmake_parse_arguments(arg "" "" "LINK;PRIVATE" ${ARGN})
	pe_room_target(target ${name})
	add_library(${target} STATIC)
	target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR})
	target_compile_options(${target} PRIVATE -fPIE)
	target_link_libraries(${target} PUBLIC ${arg_LINK} PRIVATE pe_instrumented pe_hardened ${arg_PRIVATE})
	add_subdirectory(${name})
endfunction()

function(pe_sources name)
	target_sources(pe_${name} PRIVATE ${ARGN})
endfunction()

# A source file a header, which compiles when the header includes what it needs.
function(pe_header_sources out name)
	file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/${name}/*.h)
	set(sources "")
	foreach(header ${headers})
		string(MAKE_C_IDENTIFIER ${header} id)
		file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/alone/${id}.c CONTENT "#include \"${header}\"\ntypedef int pe_alone_${id};\n")
		list(APPEND sources ${PROJECT_BINARY_DIR}/alone/${id}.c)
	endforeach()
	set(${out} ${sources} PARENT_SCOPE)
endfunction()

# A room of headers that know libc alone: each is compiled from a folder that holds nothing but the room.
function(pe_room_of_headers name)
	pe_room_target(target ${name})
	pe_header_sources(sources ${name})
	set(root ${PROJECT_BINARY_DIR}/alone/${target}_root)
	get_filename_component(parent ${root}/${name} DIRECTORY)
	file(MAKE_DIRECTORY ${parent})
	file(CREATE_LINK ${PROJECT_SOURCE_DIR}/${name} ${root}/${name} SYMBOLIC)
	add_library(${target}_alone OBJECT ${sources})
	target_include_directories(${target}_alone PRIVATE ${root})
	target_link_libraries(${target}_alone PRIVATE pe_flags)
endfunction()

# All objects of a room linked by themselves, and each header compiled by itself: a forgotten dependency
# turns up as an undefined symbol or an unknown type.
function(pe_room_stands_alone name)
	pe_room_target(target ${name})
	pe_header_sources(sources ${name})
	file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/alone/${target}_main.c CONTENT "int main(void)\n{\n\treturn 0;\n}\n")
	add_executable(${target}_alone ${PROJECT_BINARY_DIR}/alone/${target}_main.c ${sources})
	target_link_libraries(${target}_alone PRIVATE pe_instrumented "$<LINK_LIBRARY:WHOLE_ARCHIVE,${target}>")
endfunction()

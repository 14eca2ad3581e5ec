# Make with gcc, CMake and Meson with clang, and nothing in the project knows of it: the trees are the same. The build system is
# asked for the compiler in the way that is usual for it; what is not installed is left out.

# built_by PROGRAM...: a project with a configuration of this build system is there already; collect its tree
built_by()
{
	for program; do
		command -v "$program" >/dev/null || return 0
	done
	sources
	save first
	calls >"$case_dir/out"
	cmp -s "$case_dir/out" "$case_dir/tree" || fail "built by $*: $(cat "$case_dir/out")"
	perfevo profile --quiet --mode samples --format folded -w samples | grep -q ';main ' || fail "$*: no samples"
}
own_clang
cat >tree <<'END'
prog 1
prog;main 1
prog;main;twice 10
prog;main;twice;leaf 10
prog;main;twice;work 20
prog;main;twice;work;leaf 100
END

mkdir with_make && cd with_make && empty_repo
cat >Makefile <<'END'
CC = gcc
CFLAGS = -O2 -Wall -Wextra -Werror
prog: prog.o work.o
	$(CC) $(CFLAGS) -o $@ prog.o work.o
END
echo '{build: make, benchmarks: {prog: [./prog]}}' >perfevo.yml
built_by make gcc

mkdir "$case_dir/with_cmake" && cd "$case_dir/with_cmake" && empty_repo
cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.16)
project(prog C)
add_library(work SHARED work.c)
add_executable(prog prog.c)
target_link_libraries(prog work)
END
perfevo_yml '[cmake -S . -B build -DCMAKE_C_COMPILER=clang -DCMAKE_BUILD_TYPE=Release, cmake --build build]' 'prog: [build/prog]'
built_by cmake make clang

mkdir "$case_dir/with_meson" && cd "$case_dir/with_meson" && empty_repo
cat >meson.build <<'END'
project('prog', 'c', default_options: ['werror=true', 'warning_level=2', 'b_lto=false'])
executable('prog', 'prog.c', 'work.c')
END
perfevo_yml '{steps: [meson setup build --buildtype=release, ninja -C build], env: {CC: clang}}' 'prog: [build/prog]'
built_by meson ninja clang

#!/bin/sh
# Which build systems does perfevo get its flags into, without the project's doing? Small projects for every build
# system, compiler and way of building that is common; of each the functions that have hooks in the counting
# build, and whether the counts are what they must be. One that must escape (it hides the environment) is the
# check that the others are not counted by accident.
#
#   bench/injection.sh BUILD_DIR
#
# Prints a table; exit status 1 when a project is not as expected.
set -eu

build=$(cd "${1:?"usage: bench/injection.sh BUILD_DIR"}" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export HOME="$dir/home" XDG_CACHE_HOME="$dir/cache" PATH="$build/cmd:$PATH" GIT_CONFIG_NOSYSTEM=1
mkdir "$HOME"
git config --global user.name 'Ada Example'
git config --global user.email ada@example.org
wrong=0

# sources SUFFIX: 1 main, 10 twice, 20 work, 110 leaf
sources()
{
	cat >"prog.$1" <<'END'
volatile int sink;

__attribute__((noinline)) static int leaf(int x)
{
	sink += x;
	return sink;
}

__attribute__((noinline)) static int work(int n)
{
	int sum = 0;

	for (int i = 0; i < n; i++)
		sum += leaf(i);
	return sum;
}

__attribute__((noinline)) static int twice(int n)
{
	return work(n) + work(n + 1) + leaf(n);
}

int main(void)
{
	for (int i = 0; i < 10; i++)
		twice(i);
	return 0;
}
END
}

# project NAME EXPECTED SUFFIX PROGRAM NEEDED...: collect what lies here; the steps of its build come on standard
# input, one a line
project()
{
	name=$1 expected=$2 suffix=$3 program=$4
	shift 4
	steps=$(cat)
	for tool; do
		if ! command -v "$tool" >/dev/null; then
			printf '%-34s %s is not installed\n' "$name" "$tool"
			return 0
		fi
	done
	sources "$suffix"
	{
		echo 'build:'
		echo "$steps" | sed "s/'/''/g; s/.*/  - '&'/"
		echo "benchmarks: {prog: [$program]}"
	} >perfevo.yml
	git init -q .
	git add -A
	git commit -q -m first
	found=$(perfevo profile -q --mode counting --format folded -w calls 2>"$dir/err" |
		awk '{ sub(/.*;/, "", $1); sub(/\(.*/, "", $1); n[$1] += $2 } END { print n["twice"] + 0, n["work"] + 0, n["leaf"] + 0 }')
	verdict=counted
	[ "$found" = '10 20 110' ] || verdict=escaped
	if [ "$verdict" != "$expected" ]; then
		verdict="$verdict ($found), which is wrong"
		wrong=1
		perfevo profile --mode counting >/dev/null 2>"$dir/err" || sed 's/^/    /' "$dir/err"
	fi
	printf '%-34s %s\n' "$name" "$verdict"
}

# fresh: an empty folder for a project
fresh()
{
	number=$((${number-0} + 1))
	mkdir "$dir/$number"
	cd "$dir/$number"
}

for compiler in gcc clang; do
	cxx=g++
	[ $compiler = gcc ] || cxx=clang++

	fresh
	project "one command, $compiler" counted c ./prog $compiler <<END
$compiler -O2 prog.c -o prog
END
	fresh
	project "one command, $cxx" counted cc ./prog $cxx <<END
$cxx -O2 prog.cc -o prog
END
	fresh
	# shellcheck disable=SC2016 # variables of make
	printf 'CC = %s\nCFLAGS = -O3 -Wall -Werror\nprog: prog.o\n\t$(CC) -o $@ $^\n' $compiler >Makefile
	project "Make with flags of its own, $compiler" counted c ./prog make $compiler <<'END'
make
END
	fresh
	project "Make's own rules, $compiler" counted c ./prog make $compiler <<END
make CC=$compiler prog
END
	fresh
	project "an absolute path, -O0 -g0, $compiler" counted c ./prog $compiler <<END
$(command -v $compiler || echo $compiler) -O0 -g0 prog.c -o prog
END
	fresh
	# shellcheck disable=SC2046 # one word or none
	project "link-time optimisation, $compiler" counted c ./prog $compiler $([ $compiler = gcc ] || echo ld.lld) <<END
$compiler -flto -O2 -c prog.c
$compiler -flto -O2 $([ $compiler = gcc ] || echo -fuse-ld=lld) prog.o -o prog
END
	fresh
	project "no procedure linkage, $compiler" counted c ./prog $compiler <<END
$compiler -O2 -fno-plt -fPIE -pie -Wl,-z,now prog.c -o prog
END
	fresh
	printf 'cmake_minimum_required(VERSION 3.16)\nproject(p C)\nadd_executable(prog prog.c)\n' >CMakeLists.txt
	project "CMake with Make, $compiler" counted c build/prog cmake make $compiler <<END
cmake -B build -DCMAKE_C_COMPILER=$compiler -DCMAKE_BUILD_TYPE=Release .
cmake --build build
END
	fresh
	printf 'cmake_minimum_required(VERSION 3.16)\nproject(p C)\nadd_executable(prog prog.c)\nset_target_properties(prog PROPERTIES UNITY_BUILD ON)\n' >CMakeLists.txt
	project "CMake with Ninja, $compiler" counted c build/prog cmake ninja $compiler <<END
cmake -G Ninja -B build -DCMAKE_C_COMPILER=$compiler -DCMAKE_BUILD_TYPE=RelWithDebInfo .
ninja -C build
END
	fresh
	printf "project('p', 'c', default_options: ['werror=true'])\nexecutable('prog', 'prog.c')\n" >meson.build
	project "Meson, $compiler" counted c build/prog meson ninja $compiler <<END
CC=$compiler meson setup build --buildtype=release
ninja -C build
END
	fresh
	printf 'AC_INIT([p], [1])\nAM_INIT_AUTOMAKE([foreign])\nAC_PROG_CC\nAC_CONFIG_FILES([Makefile])\nAC_OUTPUT\n' >configure.ac
	printf 'bin_PROGRAMS = prog\nprog_SOURCES = prog.c\n' >Makefile.am
	project "Autotools, $compiler" counted c ./prog autoreconf automake make $compiler <<END
autoreconf -i
./configure CC=$compiler
make
END
	fresh
	project "ccache in front, $compiler" counted c ./prog ccache $compiler <<END
ccache $compiler -O2 -c prog.c
$compiler prog.o -o prog
END
	fresh
	project "an empty environment, $compiler" escaped c ./prog $compiler <<END
env -i PATH="\$PATH" $compiler -O2 prog.c -o prog
END
done
exit $wrong

#!/bin/sh
# Whether times are true (bench/truth.c), over real programs: each is built for counting, natively as perfevo
# samples it, and plainly; the counting build runs once, the others a few times under the sampler. The bars: a
# share of 0.08 on the wrong function in C and 0.15 in C++; 97 % of samples find their path in C, 90 % in C++.
#
#   bench/truth.sh BUILD_DIR REPOSITORY...
#
# A repository is a clone, also a bare one, of lua, zlib, lz4, cJSON, wren or leveldb; what it is is told by
# its files. RUNS (3) says how often each build is sampled, CC and CXX by what it is built.
set -eu

build=${1:?"usage: bench/truth.sh BUILD_DIR REPOSITORY..."}
shift
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$build" && pwd)
truth=$build/bench/pe_bench_truth
counter=${COUNTER:-$build/runtime/libperfevo_calls.so}
sampler=$build/runtime/libperfevo_sample.so
runs=${RUNS:-3}
for needed in "$truth" "$counter" "$sampler"; do
	[ -e "$needed" ] || { echo "truth: $needed is not built (-DPERFEVO_BENCH=ON)" >&2; exit 125; }
done
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT INT TERM

cc=${CC:-gcc}
cxx=${CXX:-g++}
case $("$cc" --version) in
*clang*) count='-finstrument-functions-after-inlining' ;;
*) count='-finstrument-functions -finstrument-functions-exclude-file-list=/usr/include,/usr/lib/gcc' ;;
esac

# compile NAME FLAGS...: the program of this repository, in the folder of its sources.
compile()
{
	out=$1
	shift
	case $kind in
	lua) "$cc" "$@" -DLUA_USE_POSIX l*.c -o "$out" -lm ;;
	zlib) "$cc" "$@" -D_LARGEFILE64_SOURCE=1 -DHAVE_UNISTD_H -I. ./*.c test/minigzip.c -o "$out" ;;
	lz4) "$cc" "$@" -Ilib lib/*.c programs/*.c -o "$out" -pthread ;;
	cJSON) "$cc" "$@" -I. cJSON.c "$here/truth_cjson.c" -o "$out" -lm ;;
	wren) "$cc" "$@" -Isrc/include -Isrc/vm -Isrc/optional src/vm/*.c src/optional/*.c \
		"$here/truth_wren.c" -o "$out" -lm ;;
	leveldb) compile_leveldb "$@" ;;
	esac
}

# C++ and C: the driver speaks LevelDB's C interface.
compile_leveldb()
{
	mkdir -p port
	printf '#define HAVE_FDATASYNC 1\n#define HAVE_O_CLOEXEC 1\n' >port/port_config.h
	find db table util helpers/memenv -name '*.cc' ! -name '*_test.cc' ! -name '*testutil.cc' \
		! -name 'leveldbutil.cc' ! -name 'env_windows.cc' | sort >sources
	"$cc" "$@" -Iinclude -c "$here/truth_leveldb.c" -o driver.o
	# shellcheck disable=SC2046 # a list of words
	"$cxx" -std=c++17 "$@" -I. -Iinclude -DLEVELDB_PLATFORM_POSIX=1 $(cat sources) driver.o \
		-o "$out" -pthread
}

# The input of this program, made once.
prepare()
{
	case $kind in
	lua) cat >"$dir/input" <<'LUA'
local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end
local words = {}
for i = 1, 400000 do words[i] = string.format("%d:%s", i * 7919 % 65536, ("x"):rep(i % 13)) end
table.sort(words)
local seen, hits = {}, 0
for _, w in ipairs(words) do
	seen[w:gsub("x+", "y")] = true
	for d in w:gmatch("%d+") do hits = hits + tonumber(d) end
end
print(fib(32), #words, hits, #table.concat(words, ","))
LUA
	;;
	wren) cat >"$dir/input" <<'WREN'
class Fib {
  static get(n) { n < 2 ? n : get(n - 1) + get(n - 2) }
}
var map = {}
for (i in 0...600000) map["%(i * 7919 % 65536)"] = i
var list = map.values.where {|v| v % 3 == 0 }.map {|v| v * 2 }.toList
list.sort()
System.print("%(Fib.get(29)) %(map.count) %(list.count)")
WREN
	;;
	cJSON) awk 'BEGIN { print "["; for (i = 0; i < 4000; i++)
		printf "%s{\"id\": %d, \"name\": \"item %d\", \"price\": %.2f, \"tags\": [\"a\", \"b\\n%d\", null, true]}",
		i ? ",\n" : "", i, i, i / 7, i; print "]" }' >"$dir/input" ;;
	*) awk 'BEGIN { s = 1; for (i = 0; i < 700000; i++) { s = (s * 1103515245 + 12345) % 2147483648;
		print "line", i, "of", s % 1000, substr("the quick brown fox jumps over the lazy dog", 1 + s % 30) } }' \
		>"$dir/input" ;;
	esac
}

# One run of a program; it prints nothing.
work()
{
	case $kind in
	lua | wren) "$1" "$dir/input" ;;
	zlib) "$1" -9 <"$dir/input" ;;
	lz4) "$1" -9 -c "$dir/input" ;;
	cJSON) "$1" "$dir/input" 150 ;;
	leveldb) rm -rf "$dir/db"; "$1" "$dir/db" 300000 ;;
	esac >"$dir/said"
}

# sampled PROGRAM FOLDER: once more.
sampled()
{
	LD_PRELOAD=$sampler PERFEVO_SAMPLE_DIR=$2 work "$1"
}

recognise()
{
	for row in lua:lvm.c zlib:deflate.c lz4:lib/lz4.c cJSON:cJSON.c wren:src/vm/wren_vm.c \
		leveldb:db/db_impl.cc; do
		[ ! -e "$1/${row#*:}" ] || { echo "${row%%:*}"; return; }
	done
	echo "truth: $2 is none of the programs that are known here" >&2
	exit 129
}

for repository; do
	rm -rf "${dir:?}"/*
	mkdir "$dir/source"
	git -C "$repository" archive HEAD | tar -x -C "$dir/source"
	kind=$(recognise "$dir/source" "$repository")
	cd "$dir/source"
	# One name: that is what joins the processes of several builds.
	mkdir "$dir/counting" "$dir/native" "$dir/plain"
	# shellcheck disable=SC2086 # a list of flags
	compile "$dir/counting/$kind" -g -O2 $count -w
	compile "$dir/native/$kind" -g -O2 -fno-optimize-sibling-calls -w
	compile "$dir/plain/$kind" -g -O2 -w
	prepare
	mkdir "$dir/traces"
	LD_PRELOAD=$counter PERFEVO_CALLS_DIR=$dir/traces work "$dir/counting/$kind"
	# In turns, so that all see the same drift of the machine.
	mkdir "$dir/samples" "$dir/first" "$dir/second"
	i=0
	while [ $i -lt "$runs" ]; do
		sampled "$dir/native/$kind" "$dir/samples"
		sampled "$dir/plain/$kind" "$dir/first"
		sampled "$dir/plain/$kind" "$dir/second"
		i=$((i + 1))
	done
	echo "$kind:"
	"$truth" "$dir/source" "$dir/traces" "$dir/samples" "$dir/first" "$dir/second"
done

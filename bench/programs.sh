# shellcheck shell=sh
# Real programs to measure by, read by the scripts of this folder: how each is compiled from a clone of its
# repository, and work for it. The work is the same in every run, and
# has one thread but in leveldb and lz4.
#
#   programs_from DIR REPOSITORY  its sources into DIR/source; sets `kind`; fails when it is not known here
#   programs_compile OUT FLAGS... in the folder of the sources; CC and CXX are the compilers
#   programs_prepare DIR SIZE     the input, DIR/input; SIZE is in percent of a few seconds' work
#   programs_command DIR PROGRAM  prints the shell command of one run

programs_here=$(cd "$(dirname "$0")" && pwd)
programs='lua:lvm.c zlib:deflate.c lz4:lib/lz4.c cJSON:cJSON.c wren:src/vm/wren_vm.c leveldb:db/db_impl.cc'

programs_from()
{
	rm -rf "$1/source"
	mkdir "$1/source"
	git -C "$2" archive HEAD | tar -x -C "$1/source"
	for row in $programs; do
		kind=${row%%:*}
		[ ! -e "$1/source/${row#*:}" ] || return 0
	done
	echo "$(basename "$0" .sh): $2 is none of the programs that are known here" >&2
	return 1
}

programs_compile()
{
	out=$1
	shift
	case $kind in
	lua) "${CC:-gcc}" "$@" -DLUA_USE_POSIX "-Dluai_makeseed()=1" l*.c -o "$out" -lm ;;
	zlib) "${CC:-gcc}" "$@" -D_LARGEFILE64_SOURCE=1 -DHAVE_UNISTD_H -I. ./*.c test/minigzip.c -o "$out" ;;
	lz4) "${CC:-gcc}" "$@" -Ilib lib/*.c programs/*.c -o "$out" -pthread ;;
	cJSON) "${CC:-gcc}" "$@" -I. cJSON.c "$programs_here/truth_cjson.c" -o "$out" -lm ;;
	wren) "${CC:-gcc}" "$@" -Isrc/include -Isrc/vm -Isrc/optional src/vm/*.c src/optional/*.c \
		"$programs_here/truth_wren.c" -o "$out" -lm ;;
	leveldb) programs_leveldb "$@" ;;
	esac
}

# C++ and C: the driver speaks LevelDB's C interface.
programs_leveldb()
{
	mkdir -p port
	printf '#define HAVE_FDATASYNC 1\n#define HAVE_O_CLOEXEC 1\n' >port/port_config.h
	find db table util helpers/memenv -name '*.cc' ! -name '*_test.cc' ! -name '*testutil.cc' \
		! -name 'leveldbutil.cc' ! -name 'env_windows.cc' | sort >sources
	"${CC:-gcc}" "$@" -Iinclude -c "$programs_here/truth_leveldb.c" -o driver.o
	# shellcheck disable=SC2046 # a list of words
	"${CXX:-g++}" -std=c++17 "$@" -I. -Iinclude -DLEVELDB_PLATFORM_POSIX=1 $(cat sources) driver.o \
		-o "$out" -pthread
}

programs_prepare()
{
	size=$2
	case $kind in
	lua) cat >"$1/input" <<LUA
local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end
local words, sum = {}, 0
for i = 1, 4000 * $size do words[i] = string.format("%d:%s", i * 7919 % 65536, ("x"):rep(i % 13)) end
table.sort(words)
local seen, hits = {}, 0
for _, w in ipairs(words) do
	seen[w:gsub("x+", "y")] = true
	for d in w:gmatch("%d+") do hits = hits + tonumber(d) end
end
for i = 1, 3 * $size do sum = sum + fib(20) end
print(sum, #words, hits, #table.concat(words, ","))
LUA
	;;
	wren) cat >"$1/input" <<WREN
class Fib {
  static get(n) { n < 2 ? n : get(n - 1) + get(n - 2) }
}
var map = {}
for (i in 0...6000 * $size) map["%(i * 7919 % 65536)"] = i
var list = map.values.where {|v| v % 3 == 0 }.map {|v| v * 2 }.toList
list.sort()
var sum = 0
for (i in 0...$size) sum = sum + Fib.get(19)
System.print("%(sum) %(map.count) %(list.count)")
WREN
	;;
	cJSON) awk -v n=$((40 * size)) 'BEGIN { print "["; for (i = 0; i < n; i++)
		printf "%s{\"id\": %d, \"name\": \"item %d\", \"price\": %.2f, \"tags\": [\"a\", \"b\\n%d\", null, true]}",
		i ? ",\n" : "", i, i, i / 7, i; print "]" }' >"$1/input" ;;
	*) awk -v n=$((7000 * size)) 'BEGIN { s = 1; for (i = 0; i < n; i++) { s = (s * 1103515245 + 12345) % 2147483648;
		print "line", i, "of", s % 1000, substr("the quick brown fox jumps over the lazy dog", 1 + s % 30) } }' \
		>"$1/input" ;;
	esac
}

programs_command()
{
	case $kind in
	lua | wren) echo "$2 $1/input" ;;
	zlib) echo "$2 -9 <$1/input" ;;
	lz4) echo "$2 -9 -c $1/input" ;;
	cJSON) echo "$2 $1/input 150" ;;
	leveldb) echo "$2 $1/db $((3000 * size))" ;;
	esac
}

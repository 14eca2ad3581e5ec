#!/bin/bash
# What counting costs, and whether it counts right, on real programs, beside its peers in the same run:
#
#   plain      the program as it is, -O2
#   empty      with hooks that do nothing (-finstrument-functions)
#   perfevo    with libperfevo_calls.so
#   uftrace    the same program, with hooks, under `uftrace record`
#   callgrind  the same again under valgrind's callgrind; all of these see the same calls
#   inlined    the plain program under callgrind, where calls that were inlined are not seen
#
#   bench/counting.sh cost BUILD_DIR REPOSITORY...    cost of each, in CPU time
#   bench/counting.sh truth BUILD_DIR REPOSITORY...   counts against callgrind's and memcheck's
#   bench/counting.sh nodes BUILD_DIR                 a tree of a million nodes
#
# A repository is a clone, also a bare one, of lua, zlib, lz4, cJSON, wren or leveldb (bench/programs.sh). Any
# other program is given by `--of SOURCES BUILD RUN`: BUILD is run in a copy of SOURCES with CFLAGS and CXXFLAGS
# in its environment, and has to use them; RUN is run there too. What `truth` is asked of has to be
# deterministic, with one thread.
#
#   bench/counting.sh cost build/release ~/lua ~/cJSON ~/wren ~/leveldb
#   bench/counting.sh truth build/release --of ~/hello 'make' './hello 1000000'
#
# BUILD_DIR is a release build with -DPERFEVO_BENCH=ON. Needed besides: valgrind and uftrace (Debian's packages
# of these names), which nothing else of perfevo needs. ROUNDS (3) says how often plain, empty and perfevo are
# run in turns, SIZE how much work there is, in percent (20; truth: 1). The peers run once: they take minutes,
# and uftrace writes gigabytes below TMPDIR.
# Bars, for a program that calls much: a pair of hooks costs at most 2.5 times an empty one; at least 4 times
# faster than uftrace and 10 times faster than callgrind.
set -euo pipefail

usage='usage: bench/counting.sh cost|truth|nodes BUILD_DIR [REPOSITORY... | --of SOURCES BUILD RUN]'
what=${1:?"$usage"}
build=$(cd "${2:?"$usage"}" && pwd)
shift 2
reader=$build/bench/pe_bench_counting
clock=$build/bench/pe_bench_run_cost
runtime=${COUNTER:-$build/runtime/libperfevo_calls.so}

for program in "$reader" "$clock" "$runtime"; do
	[ -e "$program" ] || { echo "counting: $program is not built (-DPERFEVO_BENCH=ON)" >&2; exit 125; }
done
for program in valgrind uftrace; do
	[ "$what" = nodes ] || command -v $program >/dev/null ||
		{ echo "counting: $program is not installed" >&2; exit 125; }
done
kind=
# shellcheck source=/dev/null
. "$(dirname "$0")/programs.sh"

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
system=-finstrument-functions-exclude-file-list=/usr/include,/usr/lib/gcc

# build_in FOLDER FLAGS
build_in()
{
	rm -rf "${dir:?}/$1"
	cp -a "$sources" "$dir/$1"
	(cd "$dir/$1" && CFLAGS=$2 CXXFLAGS=$2 eval "$compile") >"$dir/log" 2>&1 ||
		{ tail -20 "$dir/log" >&2; echo "counting: the build failed" >&2; exit 125; }
}

# cpu FOLDER COMMAND: seconds of CPU time
cpu()
{
	(cd "$dir/$1" && "$clock" cost 1 sh -c "$2 >/dev/null 2>&1") | awk '{ print $2 / 1e6 }'
}

empty_hooks()
{
	cat >"$dir/empty.c" <<-'END'
		void __cyg_profile_func_enter(void *function, void *site);
		void __cyg_profile_func_exit(void *function, void *site);
		void __cyg_profile_func_enter(void *function, void *site) { (void)function, (void)site; }
		void __cyg_profile_func_exit(void *function, void *site) { (void)function, (void)site; }
	END
	cc -O2 -fPIC -shared -o "$dir/empty.so" "$dir/empty.c"
}

fresh_traces()
{
	rm -rf "$dir/traces"
	mkdir "$dir/traces"
}

counted()
{
	echo "PERFEVO_CALLS_DIR=$dir/traces LD_PRELOAD=$runtime"
}

median()
{
	sort -n | awk '{ v[NR] = $1 } END { print (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'
}

cost()
{
	local rounds=${ROUNDS:-3} round plain empty ours uftrace callgrind inlined

	build_in plain '-O2 -g'
	build_in hooks "-O2 -g -finstrument-functions $system"
	rm -f "$dir/times"
	for ((round = 0; round < rounds; round++)); do
		fresh_traces
		plain=$(cpu plain "$run")
		empty=$(cpu hooks "env LD_PRELOAD=$dir/empty.so $run")
		ours=$(cpu hooks "env $(counted) $run")
		echo "$plain $empty $ours" >>"$dir/times"
	done
	"$reader" facts "$dir/traces" >"$dir/facts"
	uftrace=$(cpu hooks "uftrace record --no-libcall --no-pager -d $dir/uftrace $run")
	rm -rf "$dir/uftrace"
	callgrind=$(cpu hooks "valgrind --tool=callgrind --callgrind-out-file=/dev/null $run")
	inlined=$(cpu plain "valgrind --tool=callgrind --callgrind-out-file=/dev/null $run")
	# A pair of hooks is the difference to the plain program, in each round.
	awk -v name="$name" -v calls="$(awk '{ print $8 }' "$dir/facts")" -v nodes="$(awk '{ print $2 }' "$dir/facts")" \
		-v pair="$(awk '{ print ($3 - $1) / ($2 - $1) }' "$dir/times" | median)" \
		-v uftrace="$uftrace" -v callgrind="$callgrind" -v inlined="$inlined" '
		{ P += $1; E += $2; O += $3 }
		END { P /= NR; E /= NR; O /= NR
			printf "%-8s %7.1f %7d %6.2f %6.2f %7.2f %7.2f %9.2f %7.2f %6.1f %6.1f %5.2f %7.2f %8.1f %9.1f %8.1f\n",
				name, calls / 1e6, nodes, P, E, O, uftrace, callgrind, inlined,
				(E - P) / calls * 1e9, (O - P) / calls * 1e9, pair,
				O / P, uftrace / O, callgrind / O, inlined / O
		}' "$dir/times"
}

cost_head()
{
	printf '%-8s %7s %7s %6s %6s %7s %7s %9s %7s %6s %6s %5s %7s %8s %9s %8s\n' '' 'calls' '' 'cpu s' '' '' '' '' '' \
		'ns' 'a call' 'pair/' 'perf./' 'uftrace/' 'callgr./' 'inlined/'
	printf '%-8s %7s %7s %6s %6s %7s %7s %9s %7s %6s %6s %5s %7s %8s %9s %8s\n' 'program' 'million' 'nodes' 'plain' \
		'empty' 'perfevo' 'uftrace' 'callgrind' 'inlined' 'empty' 'perf.' 'empty' 'plain' 'perfevo' 'perfevo' 'perfevo'
}

# Calls by function in callgrind's file, whose names are abbreviated after their first use.
callgrind_calls()
{
	awk '
		function name(text,   id) {
			id = text; sub(/\).*/, ")", id)
			if (text ~ /^\([0-9]+\) ./) { full[id] = text; sub(/^\([0-9]+\) /, "", full[id]) }
			return full[id]
		}
		/^fn=/ { name(substr($0, 4)) }
		/^cfn=/ { callee = name(substr($0, 5)) }
		/^calls=/ { split(substr($0, 7), part, " "); sum[callee] += part[1] }
		END { for (f in sum) { short = f; sub(/\x27[0-9]+$/, "", short); total[short] += sum[f] }
			for (f in total) print f, total[f] }' "$1"
}

# Both runs have the same addresses, where the system lets that be: some programs (lua) hash them. Valgrind's
# are others all the same.
truth()
{
	local still=''

	setarch -R true 2>/dev/null && still='setarch -R'
	build_in exact "-O1 -g -fno-inline -fno-optimize-sibling-calls -finstrument-functions $system"
	fresh_traces
	(cd "$dir/exact" && eval "$still env $(counted) $run" >/dev/null 2>&1)
	# Callgrind's file has names alone: static functions of one name are one.
	"$reader" calls "$dir/traces" | awk '{ n = $NF; sub(/ [0-9]+$/, ""); sum[$0] += n }
		END { for (f in sum) { gsub(" ", "_", f); print f, sum[f] } }' | sort >"$dir/ours"
	"$reader" tree "$dir/traces" >"$dir/first"
	"$reader" facts "$dir/traces" >"$dir/facts"
	fresh_traces
	(cd "$dir/exact" && eval "$still env $(counted) $run" >/dev/null 2>&1)
	"$reader" tree "$dir/traces" >"$dir/second"
	cmp -s "$dir/first" "$dir/second" && echo 'two runs: equal' || echo 'two runs: DIFFERENT'
	(cd "$dir/exact" && eval "valgrind --tool=callgrind --compress-strings=yes --callgrind-out-file=$dir/callgrind $run" \
		>/dev/null 2>&1)
	callgrind_calls "$dir/callgrind" | awk '{ n = $NF; sub(/ [0-9]+$/, ""); gsub(" ", "_"); print $0, n }' |
		sort >"$dir/theirs"
	join "$dir/ours" "$dir/theirs" | awk '
		$2 == $3 { equal++; calls += $2; next } { print "  " $1, $2, "callgrind:", $3; other++ }
		END { printf "methods whose calls equal those of callgrind: %d (%d calls), others: %d\n", equal, calls, other }'
	join -v 1 "$dir/ours" "$dir/theirs" | awk '{ print "  not in callgrind:", $0 }'
	(cd "$dir/exact" && eval "valgrind --run-libc-freeres=no --run-cxx-freeres=no --log-file=$dir/memcheck $run" \
		>/dev/null 2>&1)
	awk '/total heap usage/ { gsub(",", ""); printf "memcheck: %d allocations, %d frees, %d bytes\n", $5, $7, $9 }' "$dir/memcheck"
	awk '{ printf "perfevo:  %d allocations, %d frees\n", $10, $12 }' "$dir/facts"
	awk '{ bytes += $4 } END { printf "          %d bytes\n", bytes }' "$dir/first"
}

# Ten functions on each of six levels, each of which calls all of the next: 1,111,110 paths.
nodes()
{
	{
		for ((level = 6; level >= 1; level--)); do
			for ((i = 0; i < 10; i++)); do
				echo "__attribute__((noinline)) static void level_${level}_$i(void)"
				echo '{'
				for ((j = 0; level < 6 && j < 10; j++)); do
					echo "	level_$((level + 1))_$j();"
				done
				echo '	__asm__ volatile("");'
				echo '}'
			done
		done
		echo 'int main(void) {'
		for ((i = 0; i < 10; i++)); do
			echo "	level_1_$i();"
		done
		echo '	return 0; }'
	} >"$dir/nodes.c"
	mkdir -p "$dir/hooks"
	cc -O2 -g -finstrument-functions -o "$dir/hooks/nodes" "$dir/nodes.c"
	fresh_traces
	printf 'collected in %s s\n' "$(cpu hooks "env $(counted) ./nodes")"
	"$reader" facts "$dir/traces" | tee "$dir/facts"
	awk '{ printf "bytes a node: %.1f\n", $6 / $2 }' "$dir/facts"
}

measure()
{
	if [ "$what" = cost ]; then
		cost
	else
		echo "$name:"
		truth
	fi
}

case $what in
nodes)
	nodes
	exit
	;;
cost) size=${SIZE:-20} ;;
truth) size=${SIZE:-1} ;;
*)
	echo "$usage" >&2
	exit 129
	;;
esac

: "${1:?"$usage"}"
empty_hooks
[ "$what" = truth ] || cost_head
if [ "$1" = --of ]; then
	name=program
	sources=${2:?"$usage"}
	compile=${3:?"$usage"}
	run=${4:?"$usage"}
	measure
	exit
fi
for repository; do
	programs_from "$dir" "$repository" || exit 129
	programs_prepare "$dir" "$size"
	name=$kind
	sources=$dir/source
	# shellcheck disable=SC2016 # of the build's environment
	compile='programs_compile "./$kind" $CFLAGS -w'
	run=$(programs_command "$dir" "./$kind")
	measure
done

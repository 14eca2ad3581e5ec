#!/bin/bash
# What counting costs, and whether it counts right, on a real program, beside its peers in the same run:
#
#   plain      the program as it is, -O2
#   empty      with hooks that do nothing (-finstrument-functions)
#   perfevo    with libperfevo_calls.so
#   uftrace    the same program under `uftrace record`
#   callgrind  the program with hooks under valgrind's callgrind, which then sees the same calls; and
#   inlined    the plain program under it: calls that were inlined are not seen
#
#   bench/counting.sh cost BUILD_DIR SOURCES BUILD RUN [ROUNDS]    cost of each; the ratios are of one round
#   bench/counting.sh truth BUILD_DIR SOURCES BUILD RUN            counts against callgrind's and memcheck's
#   bench/counting.sh nodes BUILD_DIR                              a tree of a million nodes
#
#   bench/counting.sh cost build/release ~/hello 'make' './hello 1000000'
#
# BUILD is run in a copy of SOURCES with CFLAGS and CXXFLAGS in its environment, and has to use them; RUN is
# run there too, has to be deterministic, and in `truth` has one thread. BUILD_DIR is a release build with
# -DPERFEVO_BENCH=ON.
set -euo pipefail

usage='usage: bench/counting.sh cost|truth|nodes BUILD_DIR [SOURCES BUILD RUN [ROUNDS]]'
what=${1:?"$usage"}
build=$(cd "${2:?"$usage"}" && pwd)
reader=$build/bench/pe_bench_counting
clock=$build/bench/pe_bench_run_cost
runtime=$build/runtime/libperfevo_calls.so

for program in "$reader" "$clock"; do
	[ -x "$program" ] || { echo "counting: $program is not built (-DPERFEVO_BENCH=ON)" >&2; exit 125; }
done
for program in valgrind uftrace; do
	command -v $program >/dev/null || { echo "counting: $program is not installed" >&2; exit 125; }
done

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
system=-finstrument-functions-exclude-file-list=/usr/include,/usr/lib/gcc

# build_in FOLDER FLAGS
build_in()
{
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
	local rounds=$1 calls round plain empty ours uftrace callgrind inlined

	build_in plain '-O2 -g'
	build_in hooks "-O2 -g -finstrument-functions $system"
	empty_hooks
	for ((round = 0; round < rounds; round++)); do
		fresh_traces
		plain=$(cpu plain "$run")
		empty=$(cpu hooks "env LD_PRELOAD=$dir/empty.so $run")
		ours=$(cpu hooks "env $(counted) $run")
		echo "$plain $empty $ours" >>"$dir/times"
	done
	read -r _ _ _ _ _ _ _ calls _ < <("$reader" facts "$dir/traces")
	(cd "$dir/hooks" && rm -rf "$dir/uftrace")
	uftrace=$(cpu hooks "uftrace record --no-libcall --no-pager -d $dir/uftrace $run")
	callgrind=$(cpu hooks "valgrind --tool=callgrind --callgrind-out-file=/dev/null $run")
	inlined=$(cpu plain "valgrind --tool=callgrind --callgrind-out-file=/dev/null $run")
	awk -v calls="$calls" -v uftrace="$uftrace" -v callgrind="$callgrind" -v inlined="$inlined" '
		{ P += $1; E += $2; O += $3 }
		END { P /= NR; E /= NR; O /= NR
			printf "%-10s %8s %9s %10s\n", "", "cpu s", "x plain", "ns a call"
			printf "%-10s %8.2f %9.1f\n", "plain", P, 1
			printf "%-10s %8.2f %9.1f %10.1f\n", "empty", E, E / P, (E - P) / calls * 1e9
			printf "%-10s %8.2f %9.1f %10.1f\n", "perfevo", O, O / P, (O - P) / calls * 1e9
			printf "%-10s %8.2f %9.1f\n", "uftrace", uftrace, uftrace / P
			printf "%-10s %8.2f %9.1f\n", "callgrind", callgrind, callgrind / P
			printf "%-10s %8.2f %9.1f\n", "inlined", inlined, inlined / P
			printf "calls %d\n", calls
			printf "uftrace/perfevo %.1f callgrind/perfevo %.1f inlined/perfevo %.1f\n",
				uftrace / O, callgrind / O, inlined / O
		}' "$dir/times"
	# Of the hooks alone: the difference to the plain program, in each round.
	printf 'perfevo/empty, a pair of hooks: %.2f\n' "$(awk '{ print ($3 - $1) / ($2 - $1) }' "$dir/times" | median)"
	"$reader" facts "$dir/traces"
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

truth()
{
	build_in exact "-O1 -g -fno-inline -fno-optimize-sibling-calls -finstrument-functions $system"
	fresh_traces
	(cd "$dir/exact" && eval "env $(counted) $run" >/dev/null 2>&1)
	# Callgrind's file has names alone: static functions of one name are one.
	"$reader" calls "$dir/traces" | awk '{ n = $NF; sub(/ [0-9]+$/, ""); sum[$0] += n }
		END { for (f in sum) { gsub(" ", "_", f); print f, sum[f] } }' | sort >"$dir/ours"
	"$reader" tree "$dir/traces" >"$dir/first"
	"$reader" facts "$dir/traces" >"$dir/facts"
	fresh_traces
	(cd "$dir/exact" && eval "env $(counted) $run" >/dev/null 2>&1)
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

case $what in
nodes)
	nodes
	;;
cost | truth)
	sources=${3:?"$usage"}
	compile=${4:?"$usage"}
	run=${5:?"$usage"}
	if [ "$what" = cost ]; then cost "${6:-5}"; else truth; fi
	;;
*)
	echo "$usage" >&2
	exit 129
	;;
esac

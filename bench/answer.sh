#!/bin/sh
# shellcheck disable=SC1091,SC2154 # made_history.sh sets what is used here
# How long `track --last N` takes on a history whose builds take time, in turns with another perfevo, and how far that is
# from what it cannot fall below: the builds' work over the processors (or lanes, where they wait), and the timed runs.
#
#   bench/answer.sh BUILD_DIR OLD_BUILD_DIR [KIND [COMMITS [TURNS]]]     compile 12 3
#
#   compile   each build compiles a generated program with one job, as long as SIZE functions take (3000)
#   wait      each build waits for WAIT seconds (1): the work of another machine, so that lanes are not processors
#
# LANES: what `build: parallel` says (auto; 4 with `wait`); OLD_LANES: what it says to old (nothing); RUNS of each commit
# (2). Old and new take turns, each from an empty cache and store, without ccache. A turn is a line: seconds of both, their
# ratio, seconds of new's builds and runs, the bound that follows from them, and new over the bound. The last line has the
# medians. Exit status 1 where what both stored is not the same.
set -eu

usage='usage: bench/answer.sh BUILD_DIR OLD_BUILD_DIR [compile|wait [COMMITS [TURNS]]]'
build=$(cd "${1:?"$usage"}" && pwd)
old=$(cd "${2:?"$usage"}" && pwd)
kind=${3:-compile}
commits=${4:-12}
turns=${5:-3}
runs=${RUNS:-2}
seconds=${WAIT:-1}
. "$(dirname "$0")/made_history.sh"

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
trap 'exit 130' INT TERM
history_env "$old" "$dir"
old_perfevo=$perfevo
history_env "$build" "$dir"
export PERFEVO_BACKGROUND=normal

case $kind in
compile)
	lanes=${LANES:-auto} width=$(nproc)
	work='cc -O2 -w -c work.c -o work.o'
	;;
wait)
	lanes=${LANES:-4} width=${LANES:-4}
	work="sleep $seconds"
	;;
*)
	echo "$usage" >&2
	exit 129
	;;
esac

history_begin "$dir/repository"
awk -v n="${SIZE:-3000}" 'BEGIN {
	for (i = 0; i < n; i++)
		printf "int f%d(int *a, int n) { int s = %d; for (int i = 0; i < n; i++) { s += a[i] * %d; if (s > n) s ^= a[i %% 7]; } return s; }\n", i, i, i + 3
}' >work.c
git add work.c
commit=0
while [ "$commit" -lt "$commits" ]; do
	commit=$((commit + 1))
	history_commit "$commit" 100000 binary
done
config()
{
	# An older perfevo knows no lanes.
	cat >perfevo.yml <<END
build: {steps: ["$work", make], ccache: false$1}
benchmarks:
  compute: {command: ./compute, repeats: $runs, warmup: 0, allocations: false}
END
}
echo perfevo.yml >>.git/info/exclude

now() { date +%s.%N; }

# take WHICH PERFEVO: prints the seconds; the store stays as $dir/WHICH.db
take()
{
	rm -rf "$XDG_CACHE_HOME" "$dir/$1.db"*
	begin=$(now)
	"$2" track --quiet --no-open --no-confirm --last "$commits" --store "$dir/$1.db" --html "$dir/page.html" \
		>"$dir/$1.out" 2>"$dir/$1.err" || { cat "$dir/$1.err" >&2; exit 128; }
	now | awk -v b="$begin" '{ printf "%.2f", $1 - b }'
}

stored()
{
	history_db "$1" "SELECT v.subject, b.outcome, b.status, (SELECT count(*) FROM runs r WHERE r.revision = v.key)
		FROM builds b JOIN revisions v ON v.key = b.revision ORDER BY length(v.subject), 1"
}

# What one build takes that nothing is beside, in seconds: of processors, or of waiting.
alone()
{
	if [ "$kind" = wait ]; then
		echo "$seconds"
		return
	fi
	(
		cd "$dir/repository"
		for _ in 1 2 3; do
			begin=$(now)
			sh -c "$work && cc -O2 -o compute compute.c" >/dev/null
			now | awk -v b="$begin" '{ print $1 - b }'
		done | sort -g | sed -n 2p
		rm -f work.o compute
	)
}

one=$(alone)
printf '%s commits, builds that %s (%.2f s each, alone), %s lanes; %s\n' "$commits" "$kind" "$one" "$lanes" "$(history_load)"
printf '%4s %8s %8s %7s %8s %8s %8s %9s\n' turn old new ratio builds runs bound 'new/bound'
turn=0
while [ "$turn" -lt "$turns" ]; do
	turn=$((turn + 1))
	config "${OLD_LANES:+, parallel: $OLD_LANES}"
	was=$(take old "$old_perfevo")
	config ", parallel: $lanes"
	is=$(take new "$perfevo")
	[ "$(stored "$dir/old.db")" = "$(stored "$dir/new.db")" ] || {
		echo "answer: what old and new stored differs" >&2
		stored "$dir/old.db" >&2
		stored "$dir/new.db" >&2
		exit 1
	}
	timed=$(history_db "$dir/new.db" "SELECT coalesce(sum(s.value), 0) / 1e9 FROM runs r JOIN samples s ON s.run = r.key
		JOIN metrics m ON m.key = s.metric WHERE m.name = 'wall' AND r.kind = 0")
	echo "$turn $was $is $one $commits $timed $width" | awk '{
		bound = $4 * $5 / $7 + $6
		printf "%4d %8.2f %8.2f %7.2f %8.2f %8.2f %8.2f %9.2f\n", $1, $2, $3, $3 / $2, $4 * $5, $6, bound, $3 / bound
	}'
done | tee "$dir/turns"
awk '{ print $4, $8 }' "$dir/turns" | sort -g | awk '{ ratio[NR] = $1; over[NR] = $2 }
	END { printf "median ratio %.2f; new over its bound %.2f\n", ratio[int((NR + 1) / 2)], over[int((NR + 1) / 2)] }'
[ "$(wc -l <"$dir/turns")" -eq "$turns" ]

#!/bin/sh
# What a suite costs beyond its program: `perfevo track` over commits of a program of 300 benchmarks (Google Benchmark)
# beside the same number of bare starts of it. All of the session is in it: building (a copy), asking for names, seeing
# what is executed, storing every value, detecting. That is much the same however long the benchmarks take: the less they
# take, the greater the ratio, and the sooner it is known.
#
#   bench/suite_cost.sh BUILD_DIR [BENCHMARKS [COMMITS [REPEATS [SECONDS_A_BENCHMARK]]]]
set -eu

build=$(cd "${1:?"usage: bench/suite_cost.sh BUILD_DIR [BENCHMARKS [COMMITS [REPEATS [SECONDS]]]]"}" && pwd)
benchmarks=${2:-300}
commits=${3:-2}
repeats=${4:-2}
seconds=${5:-0.005}
starts=$((commits * repeats))

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export HOME="$dir/home" XDG_CACHE_HOME="$dir/cache"
mkdir -p "$HOME" "$dir/repo"
cat >"$dir/suite.cc" <<'END'
#include <benchmark/benchmark.h>
#include <cstdio>
#include <string>

static void work(benchmark::State &state)
{
	unsigned x = 1;
	for (auto _ : state)
		for (int i = 0; i < state.range(0); i++)
			benchmark::DoNotOptimize(x = x * 1664525u + 1013904223u);
}

int main(int argc, char **argv)
{
	/* Each commit is another program by what it reads. */
	FILE *file = fopen("commit", "r");
	if (file != NULL)
		fclose(file);
	for (int i = 0; i < BENCHMARKS; i++)
		benchmark::RegisterBenchmark(("BM_Work" + std::to_string(i)).c_str(), work)->Arg(100 + i);
	benchmark::Initialize(&argc, argv);
	benchmark::RunSpecifiedBenchmarks();
}
END
c++ -O2 -DBENCHMARKS="$benchmarks" -o "$dir/suite" "$dir/suite.cc" -lbenchmark -lpthread
cd "$dir/repo"
git init -q -b main .
git config user.name Name
git config user.email a@example.org
cat >perfevo.yml <<END
build: cp $dir/suite suite
suites:
  all: {command: ./suite, repeats: $repeats, timeout: 1h, options: [--benchmark_min_time=$seconds]}
END
i=0
while [ "$i" -lt "$commits" ]; do
	i=$((i + 1))
	echo "$i" >commit
	git add -A
	git commit -q -m "commit $i"
done

cat >"$dir/bare" <<END
i=0
while [ "\$i" -lt $starts ]; do
	i=\$((i + 1))
	$dir/suite --benchmark_min_time=$seconds --benchmark_out=$dir/out --benchmark_out_format=json >/dev/null 2>&1
done
END
format='%e s, %U s user, %S s system'
/usr/bin/time -f "$format" -o "$dir/bare.time" sh "$dir/bare"
/usr/bin/time -f "$format" -o "$dir/track.time" env PERFEVO_BACKGROUND=normal "$build/cmd/perfevo" track --last "$commits" \
	--no-confirm --no-open --quiet >/dev/null
echo "$benchmarks benchmarks, $starts processes"
echo "bare:  $(cat "$dir/bare.time")"
echo "track: $(cat "$dir/track.time")"
awk '{ print $1, $3 + $5 }' "$dir/bare.time" "$dir/track.time" |
	awk '{ e[NR] = $1; c[NR] = $2 } END { printf "ratio: %.3f by the clock, %.3f of processor time\n", e[2] / e[1], c[2] / c[1] }'
values=$(sqlite3 "$(git rev-parse --git-common-dir)/perfevo/perfevo.db" \
	"SELECT count(*) FROM inner_measurements WHERE metric = 'wall'")
echo "inner values of wall time in the store: $values"
[ "$values" -eq $((benchmarks * starts)) ] || {
	echo "suite_cost: $((benchmarks * starts)) were taken" >&2
	exit 1
}

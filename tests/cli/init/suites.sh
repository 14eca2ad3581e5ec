# What init writes for projects with a suite or tests loads, builds and measures, without a line by hand.

# A project in $1, from the current folder: initialised and measured once; the names of its benchmarks.
measured()
{
	(
		cd "$1"
		git init -q
		save start
		perfevo init >/dev/null
		sed -i "s/^tests: \(meson.*\)/tests: {kind: \1, repeats: 1, warmup: 0}/
			s/^    format: google-benchmark/&\n    repeats: 1\n    options: [--benchmark_min_time=0.001]/" perfevo.yml
		perfevo track --last 1 --no-confirm >out 2>err </dev/null || fail "$1: exit status $?: $(cat err)"
		sqlite3 .git/perfevo/perfevo.db 'SELECT name FROM benchmarks ORDER BY name'
	)
}

mkdir -p meson/tests cmake/bench
cat >meson/meson.build <<'END'
project('demo', 'c')
t = executable('unit-bench', 'tests/unit.c')
test('one', t, args: ['1'], suite: 'fast')
test('two', find_program('tests/wrap.sh'), args: [files('tests/in.txt'), t.full_path()], depends: t)
benchmark('speed', t, args: ['100'])
END
echo 'int main(void) { return 0; }' >meson/tests/unit.c
# It leaves the folder that it is started in, and is given whole paths.
cat >meson/tests/wrap.sh <<'END'
#!/bin/sh
set -e
cd "$(dirname "$1")"
test -f in.txt
"$2"
END
chmod +x meson/tests/wrap.sh
echo 1 >meson/tests/in.txt
if command -v meson >/dev/null && command -v ninja >/dev/null; then
	# By benchmark() alone, and not once more for its name.
	same "Meson's benchmarks" speed "$(measured meson)"
	sed -i '/^benchmark/d' meson/meson.build
	rm -rf meson/.git meson/perfevo.yml
	same "Meson's tests" "one
two" "$(measured meson)"
	has_not 'a test that fails' meson/out 'wrong exit status'
else
	echo "no meson: it is not tried" >&2
fi

cat >cmake/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.20)
project(demo CXX)
option(DEMO_BENCHMARKS "benchmarks" OFF)
if(DEMO_BENCHMARKS)
	add_subdirectory(bench)
endif()
END
cat >cmake/bench/CMakeLists.txt <<'END'
find_package(benchmark REQUIRED)
add_executable(micro EXCLUDE_FROM_ALL micro.cc)
target_link_libraries(micro PRIVATE benchmark::benchmark_main)
END
cat >cmake/bench/micro.cc <<'END'
#include <benchmark/benchmark.h>
static void sum(benchmark::State &state)
{
	for (auto _ : state)
		for (int i = 0; i < state.range(0); i++)
			benchmark::DoNotOptimize(i);
}
BENCHMARK(sum)->Arg(10)->Arg(20);
END
if [ -e /usr/include/benchmark/benchmark.h ]; then
	same "Google Benchmark" "micro/sum[10]
micro/sum[20]" "$(measured cmake)"
else
	echo "no benchmark/benchmark.h: Google Benchmark is not tried" >&2
fi

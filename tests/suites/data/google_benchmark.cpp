// What Google Benchmark writes that its readers trip over.
#include <benchmark/benchmark.h>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <vector>

static void BM_Parse(benchmark::State &state)
{
	for (auto _ : state) {
		int sum = 0;
		for (int i = 0; i < state.range(0); i++)
			benchmark::DoNotOptimize(sum += i);
	}
	state.SetItemsProcessed(state.iterations() * state.range(0));
	state.SetBytesProcessed(state.iterations() * state.range(0) * 4);
	state.counters["ratio"] = std::numeric_limits<double>::quiet_NaN();
	state.counters["most"] = -std::numeric_limits<double>::infinity();
	state.counters["depth"] = 7;
}
BENCHMARK(BM_Parse)->Arg(16)->Arg(64);
BENCHMARK(BM_Parse)->Name("BM_Parse")->ArgName("size")->Arg(8)->Unit(benchmark::kMicrosecond);

template <class T, int n> static void BM_Copy(benchmark::State &state)
{
	std::vector<T> from(n), to(n);
	for (auto _ : state) {
		to = from;
		benchmark::ClobberMemory();
	}
}
BENCHMARK_TEMPLATE(BM_Copy, std::vector<int>, 4)->UseRealTime()->Unit(benchmark::kMillisecond);

static void BM_Manual(benchmark::State &state)
{
	for (auto _ : state)
		state.SetIterationTime(0.002);
}
BENCHMARK(BM_Manual)->UseManualTime()->Iterations(5)->Unit(benchmark::kSecond);

static void BM_Fails(benchmark::State &state)
{
	state.SkipWithError("cannot open \"input\"");
	for (auto _ : state)
		;
}
BENCHMARK(BM_Fails);

static void BM_Threads(benchmark::State &state)
{
	int x = 0;
	for (auto _ : state)
		benchmark::DoNotOptimize(x++);
}
BENCHMARK(BM_Threads)->Threads(2)->Args({1, -2});

static void BM_Case(benchmark::State &state, const char *)
{
	int x = 0;
	for (auto _ : state)
		benchmark::DoNotOptimize(x++);
}
BENCHMARK_CAPTURE(BM_Case, with / slash, "x");
BENCHMARK_CAPTURE(BM_Case, with / slash, "y");

static void BM_Big(benchmark::State &state)
{
	for (auto _ : state)
		for (int i = 0; i < state.range(0); i++)
			benchmark::DoNotOptimize(i);
	state.SetComplexityN(state.range(0));
}
BENCHMARK(BM_Big)->RangeMultiplier(4)->Range(4, 64)->Complexity();

int main(int argc, char **argv)
{
	if (getenv("SUITE_CRASHES"))
		benchmark::RegisterBenchmark("BM_Crash", [](benchmark::State &) { abort(); });
	benchmark::Initialize(&argc, argv);
	if (benchmark::ReportUnrecognizedArguments(argc, argv))
		return 1;
	benchmark::RunSpecifiedBenchmarks();
}

// What Catch2 writes as XML for benchmarks, in tests, sections and among assertions.
#define CATCH_CONFIG_ENABLE_BENCHMARKING
#include <catch2/catch.hpp>
#include <cstdlib>

static int work(int n)
{
	volatile int sum = 0;
	for (int i = 0; i < n; i++)
		sum = sum + i;
	return sum;
}

TEST_CASE("Fibonacci, <small> & \"quoted\"", "[bench]")
{
	CHECK(work(3) == 3);
	BENCHMARK("work 10") { return work(10); };
	BENCHMARK("work 100") { return work(100); };
	SECTION("in a section")
	{
		BENCHMARK("work 10") { return work(10); };
	}
}

TEST_CASE("two of one name")
{
	BENCHMARK("twin") { return work(1); };
	BENCHMARK("twin") { return work(2); };
}

TEST_CASE("throws")
{
	BENCHMARK("thrower") -> int { throw std::runtime_error("no input"); };
}

TEST_CASE("crashes", "[.]")
{
	BENCHMARK("aborts") { if (getenv("SUITE_CRASHES")) abort(); return 1; };
}

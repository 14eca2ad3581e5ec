// What nanobench prints by itself: tables, with text between them.
#define ANKERL_NANOBENCH_IMPLEMENT
#include "nanobench.h"
#include <iostream>

using ankerl::nanobench::doNotOptimizeAway;

int main()
{
	double x = 1.0;
	std::cout << "program starts\n";
	ankerl::nanobench::Bench plain;
	plain.epochs(5).minEpochTime(std::chrono::microseconds(50)).warmup(3);
	plain.run("add", [&] { doNotOptimizeAway(x += 1.5); });
	std::cout << "text between two rows\n";
	plain.run("a|b `quoted`", [&] { doNotOptimizeAway(x += 2.5); });
	plain.run("nothing", [] {});
	std::cout << "{\"not\": \"a result\"}\n";

	ankerl::nanobench::Bench bytes;
	bytes.title("hash | bytes").epochs(5).minEpochTime(std::chrono::microseconds(50));
	bytes.relative(true).unit("byte").batch(1000).timeUnit(std::chrono::milliseconds(1), "ms");
	for (int n : {1, 4}) {
		bytes.run("sum " + std::to_string(n), [&] {
			for (int i = 0; i < 1000 * n; i++)
				doNotOptimizeAway(x = x * 1.0001);
		});
	}

	ankerl::nanobench::Bench sort;
	sort.title("sort").epochs(5).minEpochTime(std::chrono::microseconds(20));
	for (int n : {1000, 2000}) {
		sort.complexityN(n).run("loop", [&] {
			for (int i = 0; i < n; i++)
				doNotOptimizeAway(x += i);
		});
	}
	ankerl::nanobench::Bench bad;
	bad.title("sort").epochs(5).epochIterations(1).minEpochTime(std::chrono::nanoseconds(1));
	int turn = 0;
	bad.run("unsteady", [&] {
		for (int i = 0; i < 100000 * (turn % 3 + 1); i++)
			doNotOptimizeAway(x += i);
		turn++;
	});
	ankerl::nanobench::Bench slow;
	slow.title("slow").epochs(1).epochIterations(1).timeUnit(std::chrono::seconds(1), "s");
	slow.context("kind", "empty").contextColumn("kind");
	slow.run("wait", [&] {
		for (int i = 0; i < 30000000; i++)
			doNotOptimizeAway(x += i);
	});
	std::cout << "program ends" << std::endl;
}

// What nanobench writes by templates::json().
#define ANKERL_NANOBENCH_IMPLEMENT
#include "nanobench.h"
#include <fstream>

int main()
{
	double x = 1.0;
	ankerl::nanobench::Bench bench;
	bench.title("maths").epochs(5).minEpochTime(std::chrono::microseconds(50)).output(nullptr);
	bench.run("add", [&] { ankerl::nanobench::doNotOptimizeAway(x += 1.5); });
	bench.batch(4).unit("sqrt").run("sqrt, 4 at once", [&] {
		for (int i = 0; i < 4; i++)
			ankerl::nanobench::doNotOptimizeAway(x = x * 1.0001);
	});
	bench.batch(1).run("add", [&] { ankerl::nanobench::doNotOptimizeAway(x += 2.5); });
	std::ofstream out("o.json");
	bench.render(ankerl::nanobench::templates::json(), out);
}

"""What pytest-benchmark writes: groups, parameters, ids with brackets."""
import pytest


def work(n):
    return sum(range(n))


@pytest.mark.parametrize("n", [10, 200])
def test_sum(benchmark, n):
    benchmark(work, n)


@pytest.mark.parametrize("text,size", [("a[b],c", 3), ("é\x1b", 4)])
def test_text(benchmark, text, size):
    benchmark.extra_info["lines"] = 7
    benchmark.pedantic(lambda: text * size, rounds=4, iterations=2)


class TestGroup:
    def test_method(self, benchmark):
        benchmark(work, 1)


def test_error(benchmark):
    benchmark(lambda: 1 / 0)

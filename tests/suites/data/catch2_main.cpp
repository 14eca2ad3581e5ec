// What every program of Catch2 2 has: compiled once, as it takes a compiler a quarter of a minute.
#define CATCH_CONFIG_MAIN
#define CATCH_CONFIG_ENABLE_BENCHMARKING
#include <catch2/catch.hpp>

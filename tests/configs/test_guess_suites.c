/* What init writes for projects with programs of many benchmarks, and with unit tests. */
#include "guessed.h"

#include <string.h>

TestSuite(guess_suites, .init = init, .fini = release, .timeout = 600);

static const char *step(size_t i)
{
	cr_assert(lt(sz, i, config.recipe.steps.n), "no step %zu:\n%s", i, guess.yaml);
	return config.recipe.steps.at[i].text;
}

/* "name (format): command" of the suites, one a line. */
static const char *suites(void)
{
	const char *all = "";

	for (size_t i = 0; i < config.n_suites; i++)
		all = pe_arena_printf(&scratch.arena, "%s%s (%s): %s\n", all, config.suites[i].name,
				      config.suites[i].format, config.suites[i].command.text);
	return all;
}

static void expect_unknown(const char *begin)
{
	for (size_t i = 0; i < guess.unknown.n; i++)
		if (strncmp(guess.unknown.at[i], begin, strlen(begin)) == 0)
			return;
	cr_expect(false, "nothing is said that begins with '%s': %s", begin,
		  guess.unknown.n > 0 ? guess.unknown.at[0] : "nothing at all");
}

Test(guess_suites, of_cmake_are_told_by_what_is_linked_or_included)
{
	scratch_write(&scratch, "CMakeLists.txt",
		      "project(p CXX)\noption(P_BUILD_BENCHMARKS \"b\" OFF)\n"
		      "add_executable(app main.cc)\n"
		      "add_subdirectory(bench)\nadd_subdirectory(tests)\n");
	scratch_write(
		&scratch, "bench/CMakeLists.txt",
		"find_package(benchmark)\n"
		"add_executable(${PROJECT_NAME}_micro a.cc)\n"
		"target_link_libraries(${PROJECT_NAME}_micro PRIVATE p benchmark::benchmark_main)\n"
		"add_executable(speed EXCLUDE_FROM_ALL ${CMAKE_CURRENT_SOURCE_DIR}/gone.cc b.cc)\n"
		"target_link_libraries(speed PRIVATE ${LIBS})\n"
		"add_executable(nano n.cc)\nadd_executable(table t.cc)\n"
		"add_executable(bench_plain plain.cc)\n");
	scratch_write(&scratch, "bench/a.cc", "int x;\n");
	scratch_write(&scratch, "bench/b.cc", "#include <benchmark/benchmark.h>\n");
	scratch_write(&scratch, "bench/n.cc",
		      "#include <nanobench.h>\nf(ankerl::nanobench::templates::json());\n");
	scratch_write(&scratch, "bench/t.cc", "#include \"nanobench.h\"\n");
	scratch_write(&scratch, "bench/plain.cc", "int main() {}\n");
	scratch_write(
		&scratch, "tests/CMakeLists.txt",
		"add_executable(unit u.cc)\ntarget_link_libraries(unit Catch2::Catch2WithMain)\n"
		"add_executable(marks m.cc)\ntarget_link_libraries(marks Catch2::Catch2WithMain)\n");
	scratch_write(&scratch, "tests/u.cc", "#include <catch2/catch.hpp>\nTEST_CASE(\"x\") {}\n");
	scratch_write(&scratch, "tests/m.cc",
		      "#include <catch2/catch.hpp>\n"
		      "TEST_CASE(\"x\", \"[!benchmark]\") { BENCHMARK(\"y\") { return 1; }; }\n");
	look("CMake");
	cr_expect_str_eq(suites(), "p_micro (google-benchmark): build/bench/p_micro\n"
				   "speed (google-benchmark): build/bench/speed\n"
				   "nano (nanobench): build/bench/nano\n"
				   "table (nanobench): build/bench/table\n"
				   "marks (catch2): build/tests/marks '[!benchmark]'\n");
	cr_expect_str_eq(step(0), "cmake -S . -B build -G 'Unix Makefiles' "
				  "-DCMAKE_BUILD_TYPE=Release -DP_BUILD_BENCHMARKS=ON");
	cr_expect_str_eq(step(1), "cmake --build build");
	cr_expect_str_eq(step(2), "cmake --build build --target speed");
	cr_expect(eq(sz, config.n_benchmarks, 1));
	cr_expect_str_eq(config.benchmarks[0].name, "bench_plain");
	cr_expect(eq(int, config.tests.kind, PE_TESTS_CATCH2));
	cr_expect_str_eq(config.tests.programs.at[0].text, "build/tests/unit");
}

Test(guess_suites, that_no_call_names_are_told)
{
	scratch_write(
		&scratch, "CMakeLists.txt",
		"project(p CXX)\nforeach(b parse)\nadd_executable(b_${b} bench/${b}.cc)\nendforeach()\n");
	scratch_write(&scratch, "bench/parse.cc", "#include <benchmark/benchmark.h>\n");
	look("CMake");
	cr_expect(eq(sz, config.n_suites, 0));
	expect_unknown(
		"which program the benchmarks of bench/parse.cc become: name it, suites: {micro: "
		"{command: PROGRAM, format: google-benchmark}}");
}

/* add_executable(nb "") and a function of the project's own for its sources: one program, and nothing else to take. */
Test(guess_suites, become_the_one_program_without_sources)
{
	scratch_write(&scratch, "CMakeLists.txt",
		      "project(p CXX)\nadd_executable(nb \"\")\nadd_executable(tool tool.cpp)\n"
		      "add_subdirectory(src)\n");
	scratch_write(&scratch, "src/CMakeLists.txt",
		      "target_sources_local(nb PRIVATE bench.cpp)\n");
	scratch_write(&scratch, "src/bench.cpp", "#include <nanobench.h>\n");
	look("CMake");
	cr_expect_str_eq(suites(), "nb (nanobench): build/nb\n");
	cr_expect(eq(sz, guess.unknown.n, 0));
	cr_expect(eq(sz, config.n_benchmarks, 0));
	/* Of two programs nobody knows which one. */
	scratch_write(&scratch, "CMakeLists.txt",
		      "project(p CXX)\nadd_executable(nb \"\")\nadd_executable(ut ${SOURCES})\n");
	look("CMake");
	cr_expect(eq(sz, config.n_suites, 0));
	expect_unknown("which program the benchmarks of src/bench.cpp become");
}

Test(guess_suites, are_told_by_sources_that_a_variable_names)
{
	scratch_write(&scratch, "CMakeLists.txt", "project(p CXX)\nadd_subdirectory(perf)\n");
	scratch_write(&scratch, "perf/CMakeLists.txt",
		      "add_executable(a ${CMAKE_CURRENT_SOURCE_DIR}/a.cc)\n"
		      "add_executable(b \"\")\n"
		      "target_sources(b PRIVATE ${CMAKE_CURRENT_LIST_DIR}/a.cc)\n"
		      "add_executable(c ${PROJECT_SOURCE_DIR}/perf/a.cc)\n");
	scratch_write(&scratch, "perf/a.cc", "#include <benchmark/benchmark.h>\n");
	look("CMake");
	cr_expect_str_eq(suites(), "a (google-benchmark): build/perf/a\n"
				   "b (google-benchmark): build/perf/b\n"
				   "c (google-benchmark): build/perf/c\n");
}

Test(guess_suites, are_switched_on_by_options_that_mean_them)
{
	scratch_write(
		&scratch, "CMakeLists.txt",
		"project(p CXX)\noption(p.benchmark \"b\" OFF)\n"
		"option(BENCHMARK_BUILD_32_BITS \"b\" OFF)\noption(P_WITHOUT_BENCHES \"b\" OFF)\n"
		"option(P_NO_TESTS \"t\" OFF)\noption(P_TEST_WITH_VALGRIND \"t\" OFF)\n"
		"option(NODE_BENCH \"b\" OFF)\noption(P_BUILD_BENCH_TOOLS \"b\" OFF)\n"
		"enable_testing()\nadd_test(NAME t COMMAND t)\n"
		"add_executable(speed a.cc)\ntarget_link_libraries(speed benchmark::benchmark)\n");
	look("CMake");
	cr_expect_str_eq(step(0),
			 "cmake -S . -B build -G 'Unix Makefiles' -DCMAKE_BUILD_TYPE=Release "
			 "-Dp.benchmark=ON -DNODE_BENCH=ON -DP_BUILD_BENCH_TOOLS=ON");
	cr_expect(eq(int, config.tests.kind, PE_TESTS_CTEST));
	cr_expect(eq(sz, guess.unknown.n, 0));
	scratch_write(&scratch, "CMakeLists.txt",
		      "project(p CXX)\noption(P_BUILD_TESTING \"t\" OFF)\nenable_testing()\n"
		      "add_test(NAME t COMMAND t)\n");
	look("CMake");
	expect_unknown(
		"the tests are off by default: add -DP_BUILD_TESTING=ON to the configure step");
}

Test(guess_suites, are_taken_from_the_build_system_that_has_them)
{
	scratch_write(&scratch, "CMakeLists.txt", "project(p CXX)\nadd_library(p INTERFACE)\n");
	scratch_write(&scratch, "p.c", "int main(void) { return 0; }\n");
	look("CMake");
	scratch_write(&scratch, "meson.build",
		      "project('p', 'cpp')\ntest('t', executable('t', 't.cc'))\n");
	look("Meson");
	cr_expect(eq(int, config.tests.kind, PE_TESTS_MESON));
	cr_expect(eq(sz, guess.unknown.n, 0));
	/* A Makefile that makes no program is no build system. */
	scratch_shell(&scratch, "PATH=/bin:/usr/bin; rm CMakeLists.txt meson.build p.c");
	scratch_write(&scratch, "Makefile", "clean:\n\trm -rf dist\n");
	look("Make");
	scratch_write(&scratch, "pyproject.toml", "[project]\nname = 'x'\n");
	look("Python");
	scratch_write(&scratch, "test_x.py", "def test_x(benchmark):\n    benchmark(int)\n");
	look("Python");
	cr_expect(eq(sz, config.n_suites, 1));
}

Test(guess_suites, of_meson_stand_beside_its_tests)
{
	scratch_write(&scratch, "meson.build",
		      "project('p', 'cpp')\n# benchmark('no', x)\nsubdir('bench')\n"
		      "e = executable('unit', 'u.cc')\ntest('unit', e)\n");
	scratch_write(&scratch, "meson_options.txt",
		      "option('benchmarks', type: 'boolean', value: false)\n"
		      "option('bench_big', type : 'feature', value : 'auto')\n"
		      "option('bench_on', type: 'boolean', value: true)\n");
	scratch_write(&scratch, "bench/meson.build",
		      "executable('micro', 'a.cc', files('b.cc'), dependencies: dep)\n");
	scratch_write(&scratch, "bench/b.cc", "#include <benchmark/benchmark.h>\n");
	look("Meson");
	cr_expect_str_eq(suites(), "micro (google-benchmark): build/bench/micro\n");
	cr_expect_str_eq(step(0), "meson setup build --buildtype=release -Dbenchmarks=true "
				  "-Dbench_big=enabled");
	cr_expect(eq(int, config.tests.kind, PE_TESTS_MESON));
	scratch_write(&scratch, "bench/meson.build",
		      "benchmark('speed', executable('s', 's.c'))\n");
	look("Meson");
	cr_expect(eq(int, config.tests.kind, PE_TESTS_MESON_BENCHMARKS));
	cr_expect(eq(sz, config.n_suites, 0));
}

Test(guess_suites, and_programs_of_meson_are_measured_once)
{
	scratch_write(&scratch, "meson.build",
		      "project('p', 'cpp')\nsubdir('bench')\n"
		      "b = executable('bench-a', 'a.c')\nbenchmark('a', b, args: ['(1'])\n"
		      "b = executable('bench-b', 'b.c')\ntest('b', b)\n"
		      "benchmark('c', find_program('wrap.sh'), args: [slow.full_path()])\n"
		      "benchmark('d', executable('bench-d', 'd.c'))\n");
	scratch_write(&scratch, "bench/meson.build",
		      "slow = executable('bench-slow', 'slow.c')\n"
		      "benchmark('micro.all', executable('micro', 'm.cc'))\n");
	scratch_write(&scratch, "bench/m.cc", "#include <benchmark/benchmark.h>\n");
	look("Meson");
	cr_expect(eq(int, config.tests.kind, PE_TESTS_MESON_BENCHMARKS));
	/* Of the others the one that no benchmark() runs. */
	cr_assert(eq(sz, config.n_benchmarks, 1));
	cr_expect_str_eq(config.benchmarks[0].command.text, "build/bench-b");
	cr_expect_str_eq(suites(), "micro (google-benchmark): build/bench/micro\n");
	cr_expect(ne(ptr, strstr(guess.yaml, "exclude: '^(micro[.]all)$'"), NULL));
	/* All of them are a suite's: the unit tests are what is left. */
	scratch_write(&scratch, "meson.build",
		      "project('p', 'cpp')\nsubdir('bench')\n"
		      "b = executable('bench-b', 'b.c')\ntest('b', b)\n");
	look("Meson");
	cr_expect(eq(int, config.tests.kind, PE_TESTS_MESON));
	cr_assert(eq(sz, config.n_benchmarks, 1));
	cr_expect_str_eq(config.benchmarks[0].command.text, "build/bench/bench-slow");
	cr_expect(eq(sz, config.n_suites, 1));
}

Test(guess_suites, of_go_and_rust)
{
	scratch_write(&scratch, "go.mod", "module m\n");
	scratch_write(&scratch, "a/a_test.go", "package a\n\nfunc BenchmarkX(b *testing.B) {}\n");
	look("Go");
	cr_expect_str_eq(step(1), "go test -c -o a/perfevo.test ./a");
	cr_expect_str_eq(suites(), "go (go): cd a && ./perfevo.test -test.run='^$' -test.bench=. "
				   "-test.benchmem -test.benchtime=0.2s\n");
	scratch_write(&scratch, "b_test.go", "package m\n\nfunc BenchmarkY(b *testing.B) {}\n");
	look("Go");
	cr_expect_str_eq(suites(),
			 "go (go): go test -run='^$' -bench=. -benchmem -benchtime=0.2s ./...\n");
	scratch_shell(&scratch, "PATH=/bin:/usr/bin; rm -r a");
	look("Go");
	cr_expect_str_eq(step(1), "go test -c -o perfevo.test .");
	scratch_shell(&scratch, "PATH=/bin:/usr/bin; rm b_test.go");
	scratch_shell(&scratch, "PATH=/bin:/usr/bin; rm go.mod");
	scratch_write(&scratch, "Cargo.toml",
		      "[package]\nname = \"c\"\n[dev-dependencies]\ncriterion = \"0.5\"\n"
		      "[[bench]]\nname = \"b\"\nharness = false\n");
	look("Cargo");
	cr_assert(eq(sz, config.n_suites, 1));
	cr_expect_str_eq(config.suites[0].format, "criterion-rs");
	cr_expect_str_eq(config.suites[0].command.text, "cargo bench");
	cr_expect_str_eq(config.suites[0].output, "target/criterion");
	cr_expect_str_eq(step(1), "cargo bench --no-run");
	cr_expect(eq(sz, guess.unknown.n, 0));
}

Test(guess_suites, of_rusts_own_library)
{
	scratch_write(&scratch, "Cargo.toml", "[package]\nname = \"c\"\n");
	scratch_write(&scratch, "benches/b.rs",
		      "#![feature(test)]\nextern crate test;\n#[bench]\nfn b() {}\n");
	look("Cargo");
	cr_expect_str_eq(suites(), "bench (criterion-rs): cargo bench\n");
	cr_expect_str_eq(step(1), "cargo bench --no-run");
	expect_unknown("whether cargo is a nightly one");
}

Test(guess_suites, of_python)
{
	scratch_write(&scratch, "bench/test_x.py", "def test_x(self, benchmark):\n    pass\n");
	scratch_write(&scratch, "bench/other.py", "import pyperf\nrunner = pyperf.Runner()\n");
	scratch_write(&scratch, "tests/test_y.py", "def test_y(my_benchmark):\n    benchmark(1)\n");
	look("Python");
	cr_expect_str_eq(suites(), "pytest (pytest-benchmark): python3 -m pytest -q -p "
				   "no:cacheprovider --benchmark-only bench\n"
				   "other (pyperf): python3 bench/other.py\n");
	scratch_write(&scratch, "pyproject.toml", "[project]\nname = 'x'\n");
	look("Python");
	cr_assert(eq(sz, config.recipe.prepare.n, 2));
	cr_expect_str_eq(config.recipe.prepare.at[1].text,
			 ".venv/bin/pip install -q -e . pytest pytest-benchmark");
	cr_expect_str_eq(config.suites[1].command.text, ".venv/bin/python bench/other.py");
}

Test(guess_suites, of_java_and_dotnet)
{
	scratch_write(&scratch, "pom.xml", "<project><modules/></project>\n");
	scratch_write(&scratch, "perf/pom.xml", "<artifactId>jmh-core</artifactId>\n");
	look("Maven");
	cr_expect_str_eq(suites(), "jmh (jmh): java -jar perf/target/benchmarks.jar\n");
	scratch_shell(&scratch, "PATH=/bin:/usr/bin; rm -r pom.xml perf");
	scratch_write(&scratch, "build.gradle.kts", "plugins { id(\"me.champeau.jmh\") }\n");
	look("Gradle");
	cr_expect_str_eq(suites(), "jmh (jmh): java -jar build/libs/*-jmh.jar\n");
	scratch_shell(&scratch, "PATH=/bin:/usr/bin; rm build.gradle.kts");
	scratch_write(&scratch, "b/B.csproj", "<PackageReference Include=\"BenchmarkDotNet\" />\n");
	look(".NET");
	cr_assert(eq(sz, config.n_suites, 1));
	cr_expect_str_eq(config.suites[0].format, "benchmarkdotnet");
	cr_expect(ne(ptr, strstr(config.suites[0].command.text, "--project b/B.csproj "), NULL));
}

Test(guess_suites, without_a_reader_are_told)
{
	scratch_write(&scratch, "package.json",
		      "{\"name\": \"n\", \"scripts\": {\"bench\": \"node b.js\"}, "
		      "\"devDependencies\": {\"tinybench\": \"^2\"}}\n");
	look("npm");
	cr_expect(eq(sz, config.n_suites, 0));
	expect_unknown("single benchmarks of 'tinybench', whose results perfevo does not read");
}

/* Names of a stranger's project never leave their place in the config. */
Test(guess_suites, with_odd_names_are_left_out)
{
	scratch_write(&scratch, "CMakeLists.txt",
		      "project(p CXX)\n"
		      "add_executable(\"x; rm -rf ~\" a.cc)\nadd_executable(\"y: {z}\" a.cc)\n"
		      "add_executable(fine a.cc)\nadd_executable(\"$(id)\" a.cc)\n");
	scratch_write(&scratch, "a.cc", "#include <benchmark/benchmark.h>\n");
	look("CMake");
	cr_expect_str_eq(suites(), "fine (google-benchmark): build/fine\n");
}

#include "guessed.h"

#include <string.h>

TestSuite(guess, .init = init, .fini = release, .timeout = 600);

/* What the build prepares, and its steps, one a line. */
static const char *steps(void)
{
	const char *all = "";

	for (size_t i = 0; i < config.recipe.prepare.n; i++)
		all = pe_arena_printf(&scratch.arena, "%s%s\n", all,
				      config.recipe.prepare.at[i].text);
	for (size_t i = 0; i < config.recipe.steps.n; i++)
		all = pe_arena_printf(&scratch.arena, "%s%s\n", all,
				      config.recipe.steps.at[i].text);
	return all;
}

/* "name: command" of the benchmarks, one a line. */
static const char *benchmarks(void)
{
	const char *all = "";

	for (size_t i = 0; i < config.n_benchmarks; i++)
		all = pe_arena_printf(&scratch.arena, "%s%s: %s\n", all, config.benchmarks[i].name,
				      config.benchmarks[i].command.text);
	return all;
}

static bool says(const char *part)
{
	for (size_t i = 0; i < guess.unknown.n; i++)
		if (strstr(guess.unknown.at[i], part) != NULL)
			return true;
	return false;
}

Test(guess, cmake_with_tests_and_benchmarks)
{
	scratch_write(
		&scratch, "CMakeLists.txt",
		"# add_executable(commented_bench x.c)\n"
		"project(thing C)\noption(THING_BENCH \"build them\" OFF)\nenable_testing()\n"
		"add_executable(${PROJECT_NAME} main.c)\nadd_test(NAME t COMMAND thing)\n"
		"if(THING_BENCH)\n\tadd_subdirectory(bench)\nendif()\nadd_subdirectory(tests)\n");
	scratch_write(&scratch, "bench/CMakeLists.txt",
		      "ADD_EXECUTABLE( parse_bench # first\n  a.c)\nset(N perf)\n"
		      "add_executable(thing-${N} b.c)\nadd_executable(${UNKNOWN} c.c)\n"
		      "#[[ add_executable(hidden_bench\n d.c) ]]\n");
	scratch_write(&scratch, "tests/CMakeLists.txt",
		      "add_executable(test_bench_helper_fuzz a.c)\n");
	scratch_write(&scratch, "contrib/CMakeLists.txt", "add_executable(other_bench a.c)\n");
	look("CMake");
	cr_expect_str_eq(steps(),
			 "cmake -S . -B build -G 'Unix Makefiles' -DCMAKE_BUILD_TYPE=Release "
			 "-DTHING_BENCH=ON\ncmake --build build\n");
	cr_expect_str_eq(benchmarks(), "parse_bench: build/bench/parse_bench\n"
				       "thing-perf: build/bench/thing-perf\n");
	cr_expect(eq(int, config.tests.kind, PE_TESTS_CTEST));
	cr_expect(eq(sz, guess.unknown.n, 0));
	cr_expect(ne(ptr, strstr(guess.yaml, "# overlay: [bench]"), NULL));
}

Test(guess, cmake_with_nothing_but_a_program)
{
	scratch_write(
		&scratch, "CMakeLists.txt",
		"project(app C)\nset(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)\n"
		"add_executable(app main.c)\nadd_executable(test_app t.c)\n");
	look("CMake");
	cr_expect_str_eq(benchmarks(), "app: build/bin/app ...\n");
	cr_expect(eq(int, config.tests.kind, PE_TESTS_NONE));
	cr_expect(says("benchmark 'app': replace '...' with the arguments of 'build/bin/app'"));
}

Test(guess, cmake_takes_ninja_where_it_is)
{
	scratch_write(&scratch, "bin/ninja", "");
	scratch_write(&scratch, "CMakeLists.txt", "project(a C)\n");
	scratch_shell(&scratch, "/bin/chmod +x bin/ninja");
	setenv("PATH", scratch_path(&scratch, "bin"), 1);
	look("CMake");
	cr_expect(ne(ptr, strstr(steps(), "-G Ninja "), NULL));
	cr_expect(says("replace '...' with the command that should stay fast"));
}

Test(guess, meson)
{
	scratch_write(&scratch, "meson.build",
		      "project('m', 'c')\nsubdir('bench')\nexecutable('tool', 'main.c')\n");
	scratch_write(&scratch, "bench/meson.build",
		      "exe = executable(\n  'bench-io',\n  'io.c')\nbenchmark('io', exe)\n");
	look("Meson");
	cr_expect_str_eq(steps(),
			 "meson setup build --buildtype=release\nmeson compile -C build\n");
	cr_expect(eq(int, config.tests.kind, PE_TESTS_MESON_BENCHMARKS));
	cr_expect_str_eq(benchmarks(), "", "benchmark() runs it");
	scratch_write(&scratch, "bench/meson.build", "exe = executable('bench-io', 'io.c')\n");
	look("Meson");
	cr_expect(eq(int, config.tests.kind, PE_TESTS_NONE));
	cr_expect_str_eq(benchmarks(), "bench-io: build/bench/bench-io\n");
}

Test(guess, autotools_with_and_without_configure)
{
	scratch_write(&scratch, "configure.ac", "AC_INIT([p], [1])\n");
	scratch_write(&scratch, "src/Makefile.am",
		      "bin_PROGRAMS = p \\\n\tq\ncheck_PROGRAMS = t_bench\nEXTRA_PROGRAMS = e\n"
		      "p_SOURCES = p.c\n");
	look("Autotools");
	cr_expect_str_eq(steps(), "test -x configure || autoreconf -fi\n./configure\nmake\n");
	cr_expect_str_eq(benchmarks(), "p: src/p ...\n");
	scratch_write(&scratch, "autogen.sh", "");
	look("Autotools");
	cr_expect_str_eq(steps(), "test -x configure || NOCONFIGURE=1 sh autogen.sh\n./configure\n"
				  "make\n");
	scratch_write(&scratch, "configure.ac", "AC_INIT([p], [1])\nLT_INIT([pic])\n");
	look("Autotools");
	cr_expect(ne(ptr, strstr(steps(), "./configure --disable-shared\n"), NULL));
	scratch_write(&scratch, "configure", "");
	scratch_shell(&scratch, "/bin/rm configure.ac autogen.sh");
	look("Autotools");
	cr_expect_str_eq(steps(), "./configure\nmake\n");
}

Test(guess, makefile_by_its_links)
{
	scratch_write(&scratch, "Makefile",
		      "CC = cc\nNAME := tool\nT= $(NAME)$(EXEEXT)\nOBJ = a.o \\\n b.o\n"
		      "all: $(T)\n$(T): $(OBJ)\n\t$(CC) -o $@ $(OBJ)\n"
		      "a.o: a.c\n\t$(CC) -c -o $@ a.c\n"
		      "lib.so: a.o\n\t$(CC) -shared -o $@ a.o\n"
		      "bench_sort: b.o\n\t$(CC) -o $@ b.o\n"
		      "$(UNKNOWN)/x: b.o\n\t$(CC) -o $@ b.o\n");
	look("Make");
	cr_expect_str_eq(steps(), "make\nmake bench_sort\n");
	cr_expect_str_eq(benchmarks(), "bench_sort: ./bench_sort\n");
}

Test(guess, makefile_with_a_bench_target)
{
	scratch_write(&scratch, "Makefile",
		      "all: prog\nprog: prog.o\n.PHONY: bench\nbench: prog\n\t./prog --bench\n");
	look("Make");
	cr_expect_str_eq(benchmarks(), "bench: make -s bench\n");
	scratch_write(&scratch, "Makefile", "all: prog\nprog: prog.o\n");
	look("Make");
	cr_expect_str_eq(benchmarks(), "prog: ./prog ...\n");
	scratch_write(&scratch, "Makefile", "all:\n\t$(MAKE) -C src\n");
	scratch_write(&scratch, "src/Makefile", "all: deep\ndeep: deep.o\n\tcc -o deep deep.o\n");
	look("Make");
	cr_expect_str_eq(benchmarks(), "deep: src/deep ...\n");
	scratch_shell(&scratch, "/bin/mv src programs");
	look("Make");
	cr_expect_str_eq(benchmarks(), "deep: programs/deep ...\n");
}

Test(guess, makefile_that_refers_to_itself_ends)
{
	scratch_write(&scratch, "Makefile",
		      "A = $(B)$(B)\nB = $(A)$(A)\nall: $(A)\n$(A): x\n\tcc -o $@ x\n");
	look("Make");
	cr_expect(says("replace '...' with the command that should stay fast"));
}

Test(guess, variables_that_grow_without_end_are_given_up)
{
	const char *text = "project(p C)\nset(A xx)\n";

	for (int i = 0; i < 60; i++)
		text = pe_arena_printf(&scratch.arena, "%sset(A ${A}${A})\n", text);
	scratch_write(&scratch, "CMakeLists.txt",
		      pe_arena_printf(&scratch.arena, "%sadd_executable(${A}_bench x.c)\n", text));
	look("CMake");
	cr_expect_str_eq(benchmarks(), "work: ...\n");
	scratch_shell(&scratch, "/bin/rm CMakeLists.txt");
	text = "";
	for (char name = 'A'; name < 'K'; name++) {
		text = pe_arena_printf(&scratch.arena, "%s%c =", text, name);
		for (int i = 0; i < 100; i++)
			text = pe_arena_printf(&scratch.arena, "%s$(%c)", text, name + 1);
		text = pe_arena_printf(&scratch.arena, "%s\n", text);
	}
	scratch_write(&scratch, "Makefile",
		      pe_arena_printf(&scratch.arena, "%sK =\nall: $(C)p\n", text));
	look("Make");
}

Test(guess, cargo)
{
	scratch_write(&scratch, "Cargo.toml",
		      "[package]\nname = \"grep\"\nversion = \"1.0.0\"\n\n[[bin]]\nname = \"rg\"\n"
		      "path = \"x.rs\"\n[dependencies]\nname = \"no\"\n[[bench]]\nname = \"b\"\n");
	scratch_write(&scratch, "Cargo.lock", "");
	scratch_write(&scratch, "src/bin/grep_bench.rs", "");
	look("Cargo");
	cr_expect_str_eq(steps(), "cargo fetch --locked\ncargo build --release --locked\n");
	cr_expect_str_eq(benchmarks(), "grep_bench: target/release/grep_bench\n");
	cr_expect(says("[[bench]]"));
	scratch_shell(&scratch, "/bin/rm -r Cargo.lock src");
	scratch_write(&scratch, "src/main.rs", "");
	look("Cargo");
	cr_expect_str_eq(steps(), "cargo fetch\ncargo build --release\n");
	cr_expect_str_eq(benchmarks(), "rg: target/release/rg ...\n");
	scratch_shell(&scratch, "/bin/rm -r src");
	scratch_write(&scratch, "Cargo.toml", "[package]\nname = \"lib\"\n");
	scratch_write(&scratch, "src/lib.rs", "");
	scratch_write(&scratch, "fuzz/Cargo.toml", "[[bin]]\nname = \"parse\"\n");
	look("Cargo");
	cr_expect_str_eq(benchmarks(), "work: ...\n");
}

Test(guess, npm)
{
	scratch_write(&scratch, "package.json",
		      "{\"name\":\"p\",\"main\":\"index.js\",\"scripts\":{\"bench\":\"node "
		      "--expose-gc bench/all.js\",\"build\":\"tsc\"}}");
	scratch_write(&scratch, "package-lock.json", "{}");
	look("npm");
	cr_expect_str_eq(steps(), "npm ci --prefer-offline --no-audit --no-fund\nnpm run build\n");
	cr_expect_str_eq(benchmarks(), "bench: node --expose-gc bench/all.js\n");
	scratch_write(&scratch, "package.json",
		      "{\"bin\":\"cli.js\",\"scripts\":{\"benchmark\":\"tsc && node b.js\"}}");
	look("npm");
	cr_expect_str_eq(benchmarks(), "benchmark: node b.js\n");
	scratch_write(&scratch, "package.json", "{\"bin\":\"cli.js\"}");
	look("npm");
	cr_expect_str_eq(benchmarks(), "start: node cli.js ...\n");
	scratch_write(&scratch, "package.json", "{");
	look("npm");
	cr_expect(says("cannot be read as JSON"));
}

Test(guess, a_script_of_npm_is_split_into_build_and_benchmark)
{
	scratch_write(&scratch, "package.json",
		      "{\"scripts\":{\"bench\":\"npm run build && tsc -p . && node test/bench.js\","
		      "\"build\":\"rollup\"}}");
	look("npm");
	cr_expect_str_eq(
		steps(),
		"npm install --prefer-offline --no-audit --no-fund\nnpm run build\nnpx tsc -p .\n");
	cr_expect_str_eq(benchmarks(), "bench: node test/bench.js\n");
	scratch_write(&scratch, "package.json",
		      "{\"scripts\":{\"bench\":\"cd bench && node all.js\"}}");
	look("npm");
	cr_expect_str_eq(benchmarks(), "bench: npm run --silent bench\n");
	cr_expect(says("which part of the script 'bench' is the benchmark"));
	scratch_write(&scratch, "package.json", "{\"scripts\":{\"bench\":\"vitest bench\"}}");
	look("npm");
	cr_expect_str_eq(benchmarks(), "bench: npm run --silent bench\n");
	cr_expect(eq(sz, guess.unknown.n, 0));
}

Test(guess, scripts_of_a_folder_for_benchmarks)
{
	scratch_write(&scratch, "package.json", "{\"main\":\"index.js\"}");
	scratch_write(&scratch, "benchmarks/profile.js", "parse()\n");
	look("npm");
	cr_expect_str_eq(benchmarks(), "profile: node benchmarks/profile.js\n");
	scratch_write(&scratch, "benchmarks/parse.js", "parse()\n");
	scratch_write(&scratch, "benchmarks/data.js", "module.exports = 1\n");
	scratch_write(&scratch, "src/parse.js", "parse()\n");
	look("npm");
	cr_expect_str_eq(benchmarks(), "parse: node benchmarks/parse.js\n");
	cr_expect(ne(ptr, strstr(guess.yaml, "\nprofile: node\n"), NULL));
	scratch_shell(&scratch, "/bin/rm -r package.json benchmarks");
	scratch_write(&scratch, "pyproject.toml", "[project]\nname = 'p'\n");
	scratch_write(&scratch, "bench/run.py", "if __name__ == '__main__':\n\tpass\n");
	scratch_write(&scratch, "bench/cases.py", "CASES = {}\n");
	look("Python");
	cr_expect_str_eq(benchmarks(), "run: .venv/bin/python bench/run.py\n");
	cr_expect(ne(ptr, strstr(guess.yaml, "\nprofile: python\n"), NULL));
	cr_assert(eq(sz, config.benchmarks[0].env.n, 1));
	cr_expect_str_eq(config.benchmarks[0].env.at[0], "PYTHONHASHSEED=0");
	scratch_write(&scratch, "bench/run.py", "from p import parse\n\nprint(parse('x'))\n");
	look("Python");
	cr_expect_str_eq(benchmarks(), "run: .venv/bin/python bench/run.py\n");
	scratch_write(&scratch, "bench/run.py", "import x\n\ndef test_get():\n\tx.get()\n");
	look("Python");
	cr_expect_str_eq(benchmarks(),
			 "run: .venv/bin/python -m pytest -q -p no:cacheprovider bench/run.py\n");
	cr_expect(ne(ptr, strstr(steps(), " pytest "), NULL));
	scratch_shell(&scratch, "/bin/rm -r pyproject.toml bench");
	scratch_write(&scratch, "parse.py", "def parse(text):\n\treturn text.split()\n");
	scratch_write(&scratch, "bench.py",
		      "from parse import parse\n\nfor i in range(9):\n\tparse('a b')\n");
	scratch_write(&scratch, "benchmarked.py", "def times(): return []\n");
	scratch_write(&scratch, "tools/bench_all.py", "print(1)\n");
	look("Python");
	cr_expect_str_eq(benchmarks(), "bench: python3 bench.py\n");
}

Test(guess, a_makefile_of_errands_is_not_the_build_of_another_language)
{
	static const char *const files[][3] = {
		{"go.mod", "module m\n", "Go"},
		{"pyproject.toml", "[project]\nname = 'p'\n", "Python"},
		{"package.json", "{}", "npm"},
		{"Cargo.toml", "[package]\nname = \"c\"\n", "Cargo"},
	};

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		scratch_write(&scratch, "Makefile",
			      "lint:\n\tlint-all -o report\nbin/tool: x\n\tgo build -o bin/tool\n"
			      "bench:\n\trun-benches\n");
		scratch_write(&scratch, files[i][0], files[i][1]);
		look(files[i][2]);
		cr_expect(eq(ptr, strstr(steps(), "make"), NULL), "%s", steps());
		cr_expect_str_eq(benchmarks(), "bench: make -s bench\n");
		scratch_shell(&scratch, "/bin/rm -r *");
	}
	scratch_write(&scratch, "package.json", "{}");
	scratch_write(&scratch, "tool.c", "int main(void) { }\n");
	scratch_write(&scratch, "Makefile", "tool: tool.o\n\tcc -o tool tool.o\n");
	look("Make");
}

Test(guess, what_is_not_guessed_is_a_sentence_with_its_line)
{
	look(NULL);
	cr_assert(ne(ptr, (void *)config.to_do, NULL));
	cr_expect(eq(int, strncmp(config.to_do, "perfevo.yml:", 12), 0));
	cr_expect(says(strstr(config.to_do, "benchmark 'work': ")));
	cr_assert(eq(int,
		     pe_config_load(&config, "x.yml", scratch.dir,
				    "benchmarks:\n  a: go test ./...\n  b: [tool, ...]\n",
				    &scratch.arena, &err),
		     PE_OK));
	cr_expect_str_eq(
		config.to_do,
		"x.yml:3:6: still to do: benchmark 'b': replace '...' with the arguments of 'tool', or delete it if it needs none (runs of 20 ms to 2 s are best)");
}

Test(guess, c_files_alone)
{
	scratch_write(&scratch, "sort.c", "int main (void)\n{\n}\n");
	scratch_write(&scratch, "util.c", "void domain(void);\n");
	look("C files");
	cr_expect_str_eq(steps(), "mkdir -p build\n${CC:-cc} -O2 -o build/sort *.c -lm\n");
	scratch_write(&scratch, "bench.c", "int main(void) { }\n");
	look("C files");
	cr_expect_str_eq(steps(), "mkdir -p build\n${CC:-cc} -O2 -o build/bench bench.c -lm\n"
				  "${CC:-cc} -O2 -o build/sort sort.c -lm\n");
	cr_expect_str_eq(benchmarks(), "bench: build/bench\n");
}

Test(guess, nothing_still_loads_and_says_so)
{
	look(NULL);
	cr_expect(eq(sz, config.recipe.steps.n, 0));
	cr_expect_str_eq(benchmarks(), "work: ...\n");
	cr_expect(says("how this project is built"));
	cr_expect(says("replace '...' with the command that should stay fast"));
}

Test(guess, hostile_names_do_no_harm)
{
	scratch_write(&scratch, "CMakeLists.txt",
		      "project(\"a; rm -rf\" C)\nadd_executable(\"bench: [x]\" a.c)\n"
		      "add_executable(bench\xff b.c)\nadd_executable(${PROJECT_NAME} c.c)\n"
		      "add_executable(bench");
	scratch_write(&scratch, "x'y.c", "");
	look("CMake");
	cr_expect_str_eq(benchmarks(), "bench: build/bench\n");
}

Test(guess, a_guessed_config_builds_and_runs)
{
	setenv("PATH", "/usr/bin:/bin", 1);
	scratch_write(&scratch, "Makefile", "all: bench\nbench: bench.o\n\t$(CC) -o $@ bench.o\n");
	scratch_write(&scratch, "bench.c", "int main(void) { return 0; }\n");
	look("Make");
	cr_expect(eq(ptr, (void *)config.to_do, NULL));
	scratch_shell(&scratch, "make >/dev/null");
	scratch_shell(&scratch, config.benchmarks[0].command.text);
}

Test(guess, every_example_loads)
{
	static const char *const names[] = {"cmake", "make", "autotools", "meson", "cargo", "npm"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const char *path = pe_arena_printf(&scratch.arena, "%s/configs/examples/%s.yml",
						   PE_SOURCE_DIR, names[i]);

		cr_expect(eq(int,
			     pe_config_load(&config, path, scratch.dir, NULL, &scratch.arena, &err),
			     PE_OK),
			  "%s", err.message);
		cr_expect(gt(sz, config.n_benchmarks, 0));
	}
}

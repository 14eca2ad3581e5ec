# A program with GoogleTest, by the list and the command that docs/config.md has: every run names the test that it ran.

printf '#if !__has_include(<gtest/gtest.h>)\n#error\n#endif\n' | c++ -std=c++17 -fsyntax-only -xc++ - >/dev/null 2>&1 || exit 77
new_repo
rm build.sh prog.sh
cat >all.cc <<'END'
#include <gtest/gtest.h>
#include <cstdio>
#include <cstdlib>
static void ran()
{
	const testing::TestInfo *test = testing::UnitTest::GetInstance()->current_test_info();
	if (FILE *file = fopen(getenv("SAY"), "a")) {
		fprintf(file, "%s.%s\n", test->test_suite_name(), test->name());
		fclose(file);
	}
}
TEST(Plain, One) { ran(); }
TEST(Plain, OneMore) { ran(); }
TEST(Plain, DISABLED_Off) { ran(); }
struct Fix : testing::TestWithParam<const char *> {};
TEST_P(Fix, Reads) { ran(); }
INSTANTIATE_TEST_SUITE_P(Inst, Fix, testing::Values("a", "b # x"));
template <class T> struct Ty : testing::Test {};
using Types = testing::Types<int, char>;
TYPED_TEST_SUITE(Ty, Types);
TYPED_TEST(Ty, Works) { ran(); }
END
save c1
cat >perfevo.yml <<END
build: [[c++, -std=c++17, -o, all_tests, all.cc, -lgtest, -lgtest_main, -lpthread]]
tests:
$(sed -n '/^  list: ".*gtest_list_tests/,/^  run: /p' "$SOURCE_DIR/docs/config.md")
  sources: '*.cc'
  warmup: 0
  repeats: 1
  allocations: false
  env: {SAY: $case_dir/said}
END
perfevo track --last 1 --no-confirm >"$case_dir/out" 2>"$case_dir/err" </dev/null || fail "exit status $?: $(cat "$case_dir/err")"
db "SELECT name FROM benchmarks" | sort >"$case_dir/names"
sort "$case_dir/said" | diff "$case_dir/names" - >"$case_dir/diff" || fail "other tests ran: $(cat "$case_dir/diff")"
same "how many" 6 "$(wc -l <"$case_dir/names")"

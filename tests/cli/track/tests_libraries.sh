# tests: {kind: ...} runs each test of a library's program alone: every run names the test that it ran.

LIBS=
new_repo
rm build.sh prog.sh
# tried KIND NUMBER: the tests of ./all_tests, which writes the name of each to $SAY
tried()
{
	save "$1"
	rm -f "$case_dir/said"
	cat >perfevo.yml <<-END
	build: test ! -e all.cc || c++ -std=c++17 -o all_tests all.cc $LIBS
	tests:
	  kind: $1
	  command: ./all_tests
	  sources: all*
	  warmup: 0
	  repeats: 1
	  allocations: false
	  env: {SAY: $case_dir/said}
	END
	perfevo track --last 1 --no-confirm --store "$case_dir/$1.db" >"$case_dir/out" 2>"$case_dir/err" </dev/null || fail "$1: exit status $?: $(cat "$case_dir/err")"
	sqlite3 "$case_dir/$1.db" "SELECT name FROM benchmarks" | sed 's/\\\(.\)/\1/g' | sort >"$case_dir/names"
	sort "$case_dir/said" | diff "$case_dir/names" - >"$case_dir/diff" || fail "$1: other tests ran: $(cat "$case_dir/diff")"
	same "how many of $1" "$2" "$(wc -l <"$case_dir/names")"
}

# Stand-ins that list as the libraries do, and take what their filters take.
cat >all_tests <<'END'
#!/bin/sh
case $1 in
-h) echo '  --list-test-names-only' ;;
--list-test-names-only) printf 'plain\na, b\n[c]\n'; exit 3 ;;
*) printf '%s\n' "$1" | sed 's/\\\(.\)/\1/g' >>"$SAY" ;;
esac
END
chmod +x all_tests
tried catch2 3
cat >all_tests <<'END'
#!/bin/sh
case $1 in
--list_content) printf 'outer*\n    inner*\n        one*\n        off\n    two*\nlast*: says\n' >&2 ;;
*) echo "${1#--run_test=}" >>"$SAY" ;;
esac
END
tried boost 3

# A program that cannot list is an error, not a project without tests.
printf '#!/bin/sh\necho broken >&2\nexit 3\n' >all_tests
save broken
for kind in gtest doctest catch2 boost; do
	sed -i "s/kind: .*/kind: $kind/" perfevo.yml
	if perfevo track --last 1 --no-confirm --store "$case_dir/none.db" >"$case_dir/out" 2>&1 </dev/null; then fail "$kind: passed"; fi
	grep -q broken "$case_dir/out" || fail "$kind: $(cat "$case_dir/out")"
done

rm all_tests
has()
{
	printf '#if !__has_include(<%s>)\n#error\n#endif\n' "$1" | c++ -std=c++17 -fsyntax-only -xc++ - >/dev/null 2>&1
}
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
LIBS='-lgtest -lgtest_main -lpthread'
if has gtest/gtest.h; then tried gtest 6; fi
cat >all.cc <<'END'
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
#include <cstdio>
#include <cstdlib>
#define NAMED(name) \
	TEST_CASE(name) { FILE *file = fopen(getenv("SAY"), "a"); fprintf(file, "%s\n", name); fclose(file); }
NAMED("plain") NAMED("a,b") NAMED("[tag] - : /")
TEST_CASE("off" * doctest::skip()) {}
END
LIBS=
if has doctest/doctest.h; then tried doctest 3; fi

# tests: {kind: ...} runs each test of a real program alone: every run names the test that it ran in a file.

# Of the two compilers the one that reads Catch2's header in half the time.
cxx=$(command -v clang++ || echo c++)
has_library()
{
	printf '#if !__has_include(<%s>)\n#error\n#endif\n' "$1" | "$cxx" -std=c++17 -fsyntax-only -xc++ - >/dev/null 2>&1
}

new_repo
rm build.sh prog.sh
cat >say.h <<'END'
#include <cstdio>
#include <cstdlib>
static inline void say(const char *name)
{
	if (FILE *file = fopen(getenv("SAY"), "a")) {
		fprintf(file, "%s\n", name);
		fclose(file);
	}
}
END
cat >gtest.cc <<'END'
#include <gtest/gtest.h>
#include "say.h"
static void ran()
{
	const testing::TestInfo *test = testing::UnitTest::GetInstance()->current_test_info();
	say((std::string(test->test_suite_name()) + "." + test->name()).c_str());
}
TEST(Plain, One) { ran(); }
TEST(Plain, OneMore) { ran(); }
TEST(Plain, DISABLED_Off) { ran(); }
struct Fix : testing::TestWithParam<const char *> {};
TEST_P(Fix, Reads) { ran(); }
INSTANTIATE_TEST_SUITE_P(Inst, Fix, testing::Values("a", "b\nc # x"));
template <class T> struct Ty : testing::Test {};
using Types = testing::Types<int, std::pair<int, char>>;
TYPED_TEST_SUITE(Ty, Types);
TYPED_TEST(Ty, Works) { ran(); }
struct Own : testing::Test { void TestBody() override { ran(); } };
int main(int n, char **words)
{
	for (const char *name : {"x-y", "with space", "\xc3\xbcn", "a[b]", "a,b", "s:t", "q?"})
		testing::RegisterTest("Odd", name, nullptr, nullptr, __FILE__, __LINE__, [] { return new Own; });
	testing::InitGoogleTest(&n, words);
	return RUN_ALL_TESTS();
}
END
cat >doctest.cc <<'END'
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
#include "say.h"
#define NAMED(name) TEST_CASE(name) { say(name); }
NAMED("plain") NAMED("Plain") NAMED("a,b") NAMED("c\\,d") NAMED("e\\\\f") NAMED("[tag] - : /") NAMED("\xc3\xbcn")
NAMED("q\"<&>'") NAMED("--dash") NAMED("star*") NAMED("~x")
TEST_SUITE("one") { TEST_CASE("same") { say("one/same"); } }
TEST_SUITE("two,") { TEST_CASE("same") { say("two,/same"); } }
TEST_CASE("same") { say("same"); }
TEST_CASE("off" * doctest::skip()) { say("off"); }
TEST_CASE_TEMPLATE("tmpl", T, int, char) { say(sizeof(T) == sizeof(int) ? "tmpl<int>" : "tmpl<char>"); }
END
cat >catch2.cc <<'END'
#define CATCH_CONFIG_ENABLE_BENCHMARKING // as its main program, which is compiled already
#define CATCH_CONFIG_FAST_COMPILE
#include <catch2/catch.hpp>
#include "say.h"
#define NAMED(name) TEST_CASE(name) { say(name); }
NAMED("plain") NAMED("a,b") NAMED("c\\,d") NAMED("e\\\\f") NAMED("x [tag] - : /") NAMED("\xc3\xbcn") NAMED("q\"<&>'")
NAMED("star*") NAMED("~tilde") NAMED("~ blank") NAMED("exclude:me") NAMED("#hash") NAMED("[lead") NAMED("\"quoted\"")
NAMED("trail\\") NAMED(", x") NAMED("-dash")
TEST_CASE("off", "[.]") { say("off"); }
END
cat >boost.cc <<'END'
#define BOOST_TEST_DYN_LINK
#define BOOST_TEST_MODULE all of them
#include <boost/test/unit_test.hpp>
#include <boost/test/data/test_case.hpp>
#include "say.h"
static void ran()
{
	using namespace boost::unit_test;
	say(framework::current_test_case().full_name().c_str());
}
BOOST_AUTO_TEST_CASE(plain) { ran(); BOOST_TEST(true); }
BOOST_AUTO_TEST_SUITE(outer)
BOOST_AUTO_TEST_SUITE(inner)
BOOST_AUTO_TEST_CASE(plain) { ran(); BOOST_TEST(true); }
BOOST_AUTO_TEST_SUITE_END()
BOOST_AUTO_TEST_CASE(off, *boost::unit_test::disabled()) { ran(); BOOST_TEST(true); }
BOOST_AUTO_TEST_CASE(needs, *boost::unit_test::depends_on("plain")) { ran(); BOOST_TEST(true); }
BOOST_AUTO_TEST_SUITE_END()
BOOST_DATA_TEST_CASE(data, boost::unit_test::data::xrange(11), i) { ran(); BOOST_TEST(i >= 0); }
typedef std::tuple<int, std::pair<int, char>> types;
BOOST_AUTO_TEST_CASE_TEMPLATE(tmpl, T, types) { ran(); BOOST_TEST(sizeof(T) > 0); }
END
main=$BUILD_DIR/tests/suites/catch2_main.o
[ ! -e "$main" ] || cp "$main" .
save c1
tried=0
try()
{
	kind=$1 header=$2
	shift 2
	has_library "$header" || {
		echo "no $header: $kind is not tried" >&2
		return 0
	}
	tried=$((tried + 1))
	cat >perfevo.yml <<END
build: [[$cxx, -std=c++17, -o, all, $kind.cc$*]]
tests: {kind: $kind, command: ./all, warmup: 0, repeats: 1, allocations: false, env: {SAY: $case_dir/$kind.said}}
END
	rm -f "$store"*
	perfevo track --last 1 --no-confirm >"$case_dir/out" 2>"$case_dir/err" </dev/null ||
		fail "$kind: exit status $?: $(cat "$case_dir/err")"
	db "SELECT name FROM benchmarks" | sort >"$case_dir/names"
	sort "$case_dir/$kind.said" | sed 's/^all of them\///' >"$case_dir/ran"
	diff "$case_dir/names" "$case_dir/ran" >"$case_dir/diff" || fail "$kind: other tests ran: $(cat "$case_dir/diff")"
	same "$kind: how many" "$expected" "$(wc -l <"$case_dir/names")"
	has_not "$kind: tests whose file was not found" "$case_dir/out" "not known"
}
expected=13 try gtest gtest/gtest.h ", -lgtest, -lpthread"
expected=16 try doctest doctest/doctest.h
expected=17 try catch2 catch2/catch.hpp ', catch2_main.o'
expected=15 try boost boost/test/unit_test.hpp ', -lboost_unit_test_framework'
[ "$tried" -gt 0 ] || exit 77

/* Frames that are a method of the source: found by name, told apart by lines, then by the types of parameters. */
#include "app/changes/frame_finder.h"

#include "app/changes/bare_names.h"

#include "tests/support/test.h"

enum { OLD, NEW };

static struct pe_frames frames;
static struct pe_arena arena = PE_ARENA_INIT;
static struct pe_frame_finder finder;

TestSuiteWith(frame_finder, (void)0,
	      (pe_frame_finder_close(&finder), pe_frames_release(&frames),
	       pe_arena_release(&arena)),
	      .timeout = 600);

static uint32_t add(const char *component, const char *name, const char *signature, uint32_t line)
{
	const struct pe_frame frame = {
		.name = name, .signature = signature, .component = component, .line = line};

	return pe_frames_add(&frames, &frame);
}

static struct pe_found_frames find(const char *component, const char *name, const char *signature,
				   uint32_t first, uint32_t last, int side)
{
	const struct pe_method method = {.component = component,
					 .name = name,
					 .signature = signature,
					 .first_line = first,
					 .last_line = last};

	return pe_frame_finder_find(&finder, &method, side);
}

static void open_all(const struct pe_paths *paths, uint32_t n_old)
{
	pe_frame_finder_open(&finder, &frames, paths, n_old, &arena);
}

static void expect_one(struct pe_found_frames found, uint32_t frame, const char *what)
{
	cr_assert(eq(sz, found.n, 1), "%s", what);
	cr_expect(eq(u32, found.at[0], frame), "%s", what);
}

Test(frame_finder, forgives_what_debug_information_spells_otherwise)
{
	uint32_t tmpl = add("a.cc", "ns::table<int, std::less<int> >::probe", "(int)", 0);
	uint32_t hidden = add("a.cc", "(anonymous namespace)::help", "()", 0);
	uint32_t tagged = add("a.cc", "name[abi:cxx11]", "()", 0);
	uint32_t lambda = add("a.cc", "run(int)::{lambda(int)#1}::operator()", "(int)", 0);
	uint32_t less = add("a.cc", "ns::key::operator<", "(ns::key const&)", 0);

	open_all(NULL, 0);
	expect_one(find("a.cc", "ns::table::probe", "(int)", 1, 2, NEW), tmpl, "template");
	expect_one(find("a.cc", "help", "()", 1, 2, NEW), hidden, "anonymous namespace");
	expect_one(find("a.cc", "name", "()", 1, 2, NEW), tagged, "ABI tag");
	expect_one(find("a.cc", "run::lambda", "(int)", 1, 2, NEW), lambda, "lambda");
	expect_one(find("a.cc", "ns::key::operator<", "(const key &)", 1, 2, NEW), less,
		   "operator");
	cr_expect(eq(sz, find("b.cc", "help", "()", 1, 2, NEW).n, 0), "of another file");
	cr_expect(eq(sz, find("a.cc", "never_called", "()", 1, 2, NEW).n, 0));
}

Test(frame_finder, tells_overloads_apart_by_lines_and_then_by_types)
{
	uint32_t of_int = add("a.cc", "push", "(int)", 10);
	uint32_t of_text = add("a.cc", "push", "(std::string const&)", 30);
	uint32_t unknown = add("a.cc", "push", "(double)", 0);

	open_all(NULL, frames.n);
	expect_one(find("a.cc", "push", "(other)", 28, 35, OLD), of_text, "by lines");
	expect_one(find("a.cc", "push", "(const string &)", 1, 2, NEW), of_text,
		   "the frames' lines are the old revision's");
	expect_one(find("a.cc", "push", "(double)", 50, 55, OLD), unknown, "by types");
	expect_one(find("a.cc", "push", "(int)", 9, 12, OLD), of_int, "both");
	cr_expect(eq(sz, find("a.cc", "push", "(long)", 90, 95, OLD).n, 0),
		  "one of several by its name alone would be a guess");
}

Test(frame_finder, takes_every_frame_of_a_template)
{
	struct pe_found_frames found;

	add("a.cc", "sort<int>", "(int*, int*)", 7);
	add("a.cc", "sort<long>", "(long*, long*)", 7);
	add("a.cc", "sort<char>", "(char*)", 40);
	open_all(NULL, frames.n);
	found = find("a.cc", "sort", "(T *, T *)", 5, 12, OLD);
	cr_assert(eq(sz, found.n, 2));
	cr_expect(eq(u32, found.at[0], 0));
	cr_expect(eq(u32, found.at[1], 1));
}

Test(frame_finder, finds_the_only_one_of_a_last_name)
{
	uint32_t method = add("a.cc", "probe", "(int)", 0);

	add("a.cc", "twin", "(int)", 0);
	add("a.cc", "other::twin", "(int)", 0);
	open_all(NULL, 0);
	expect_one(find("a.cc", "ns::table::probe", "(int)", 1, 2, NEW), method, "unqualified");
	cr_expect(eq(sz, find("a.cc", "ns::twin", "(long)", 1, 2, NEW).n, 0), "there are two");
}

/* One function of a macro's text for each type; the macro itself stands for what is on its lines. */
Test(frame_finder, takes_every_frame_of_a_macro)
{
	add("a.rs", "<u8 as Weigh>::weigh", "", 9);
	add("a.rs", "<u32 as Weigh>::weigh", "", 9);
	add("a.rs", "<u64 as Weigh>::weigh", "", 40);
	open_all(NULL, frames.n);
	cr_expect(eq(sz, find("a.rs", "weigh", "", 9, 9, OLD).n, 2));
	cr_expect(eq(sz, find("a.rs", "weigh", "", 10, 10, OLD).n, 0), "three, and none there");
	cr_expect(eq(sz, find("a.rs", "impl_weigh!", "", 5, 18, OLD).n, 2));
	cr_expect(eq(sz, find("a.rs", "unused!", "", 20, 30, OLD).n, 0));
}

/* A template header of C: the text has CAT(PREFIX, sum), the program ints_sum and shorts_sum. */
Test(frame_finder, takes_what_is_on_its_lines_where_a_macro_makes_the_name)
{
	add("a.h", "ints_sum", "(const int *, int)", 9);
	add("a.h", "shorts_sum", "(const short *, int)", 9);
	add("a.h", "ints_sum(int)::{lambda(int)#1}::operator()", "(int)", 11);
	add("a.h", "ints_other", "(int)", 30);
	open_all(NULL, frames.n);
	cr_expect(eq(sz, find("a.h", "CAT", "(const TYPE *, int)", 9, 16, OLD).n, 2));
	cr_expect(eq(sz, find("a.h", "CAT", "(const TYPE *, int)", 40, 50, OLD).n, 0));
}

Test(frame_finder, reads_only_sources_of_the_tree_that_the_config_names)
{
	const struct pe_paths paths = {.exclude = {(const char *[]){"third/"}, 1}};

	add("/usr/include/c++/12/vector", "push_back", "()", 0);
	add("/usr/include/x.h", "inlined", "()", 0);
	add("../beside/x.c", "beside", "()", 0);
	add("libc.so.6", "malloc", "", 0);
	add("third/z.c", "z", "", 0);
	add("own.c", "own", "", 0);
	open_all(&paths, 0);
	cr_assert(eq(sz, finder.entries.n, 1));
	cr_expect_str_eq(finder.entries.data[0].name, "own");
}

Test(frame_finder, bare_names_are_the_last_part)
{
	cr_expect_str_eq(pe_bare_name("ns::table::probe(int)", &arena), "probe");
	cr_expect_str_eq(pe_bare_name("(Table).probe", &arena), "probe");
	cr_expect_str_eq(pe_bare_name("probe", &arena), "probe");
}

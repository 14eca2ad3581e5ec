/* Which functions execute more or fewer, by ranges of exact counts. */
#include "analysis/compare/functions.h"

#include "tests/support/test.h"
#include "trees.h"

static struct pe_arena arena;

TestSuiteWith(functions, (void)0, pe_arena_release(&arena));

static const struct pe_function_ranges none;

/* "name component amount", a line each, with "~" where it is not exact; behind a rule what varies. */
static const char *compared(const struct pe_function_ranges *a, const struct pe_function_ranges *b,
			    const struct pe_function_ranges *varying)
{
	struct pe_function_changes out;
	const char *text = "";

	pe_functions_compare(&out, a, b, varying, &arena);
	for (size_t i = 0; i < out.n + out.n_varying; i++)
		text = pe_arena_printf(&arena, "%s%s%s %s %s%lld\n", text, i == out.n ? "--\n" : "",
				       out.at[i].name, out.at[i].component,
				       out.at[i].exact ? "" : "~", (long long)out.at[i].amount);
	return pe_arena_printf(&arena, "%s%zu same", text, out.n_same);
}

Test(functions, exact_counts_differ_by_one_or_not_at_all)
{
	struct pe_function_ranges a = RANGES({"f", "", "a.c", 1000000, 1000000},
					     {"g", "", "a.c", 7, 7}, {"gone", "", "a.c", 5, 5});
	struct pe_function_ranges b = RANGES({"f", "", "a.c", 1000001, 1000001},
					     {"g", "", "a.c", 7, 7}, {"new", "", "a.c", 9, 9});

	cr_expect_str_eq(compared(&a, &b, &none), "new a.c 9\ngone a.c -5\nf a.c 1\n1 same");
	cr_expect_str_eq(compared(&b, &a, &none), "new a.c -9\ngone a.c 5\nf a.c -1\n1 same");
	cr_expect_str_eq(compared(&a, &a, &none), "3 same");
}

Test(functions, a_single_run_knows_what_other_builds_have_shown)
{
	struct pe_function_ranges a =
		RANGES({"f", "", "", 100, 100}, {"g", "", "", 100, 100}, {"h", "", "", 100, 100});
	struct pe_function_ranges b =
		RANGES({"f", "", "", 150, 150}, {"g", "", "", 180, 180}, {"h", "", "", 100, 100});
	struct pe_function_ranges varying = RANGES({"f", "", "", 400, 460}, {"g", "", "", 0, 60},
						   {"h", "", "", 1, 2}, {"x", "", "", 1, 9});

	cr_expect_str_eq(compared(&a, &b, &varying), "g  ~80\n--\nf  ~0\nh  ~0\n0 same");
}

Test(functions, a_function_in_another_file_is_the_same)
{
	struct pe_function_ranges a = RANGES({"f", "", "a.c", 10, 10}, {"s", "", "a.c", 1, 1},
					     {"s", "", "b.c", 2, 2}, {"o", "(int)", "a.c", 4, 4});
	struct pe_function_ranges b = RANGES({"f", "", "new/a.c", 10, 10}, {"s", "", "c.c", 1, 1},
					     {"s", "", "b.c", 2, 2}, {"o", "(char)", "a.c", 4, 4});

	cr_expect_str_eq(compared(&a, &b, &none), "o a.c 4\no a.c -4\n3 same");
}

Test(functions, a_frame_has_the_instructions_of_its_function)
{
	struct pe_frames frames = PE_FRAMES_INIT;
	struct pe_function_ranges ranges = RANGES({"f", "", "a.c", 100, 110}, {"g", "", "", 7, 7},
						  {"twice", "", "", 5, 5}, {"other", "", "", 9, 9});
	uint32_t f = pe_frames_add_method(&frames, "f", "a.c");
	uint32_t g = pe_frames_add_method(&frames, "g", "b.c");
	uint32_t twice = pe_frames_add_method(&frames, "twice", "a.c");
	const uint64_t *by_frame;

	pe_frames_add_method(&frames, "twice", "b.c");
	by_frame = pe_functions_by_frame(&ranges, &frames, &arena);
	cr_expect(eq(u64, by_frame[f], 110));
	cr_expect(eq(u64, by_frame[g], 7), "no file is known of it");
	cr_expect(eq(u64, by_frame[twice], 0), "two have its name");
	cr_expect(pe_functions_by_frame(&none, &frames, &arena) == NULL);
	pe_frames_release(&frames);
}

/* Compiled into the others, it has no count of its own: it is known by theirs, or by what it is charged with. */
Test(functions, what_was_inlined_executes_the_same_where_all_do)
{
	struct pe_function_ranges before =
		RANGES({"f", "", "a.c", 100000, 100000}, {"g", "", "a.c", 7, 7});
	struct pe_function_ranges after =
		RANGES({"f", "", "a.c", 100000, 100000}, {"g", "", "a.c", 90, 90});
	struct pe_function_ranges more =
		RANGES({"f", "", "a.c", 100200, 100200}, {"g", "", "a.c", 7, 7});
	struct pe_function_ranges ragged =
		RANGES({"f", "", "a.c", 100000, 100000}, {"g", "", "a.c", 1, 900});
	const struct pe_charges charges = {
		&(struct pe_charge){"f", "", "a.c", 100000, 100000, 0, "", 0, 0, 0, 0, "", 0, 0},
		1};
	struct pe_frames frames = PE_FRAMES_INIT;
	uint32_t inlined = pe_frames_add_method(&frames, "inlined", "a.c");
	uint32_t g = pe_frames_add_method(&frames, "g", "a.c");
	struct pe_function_changes out;

	pe_functions_compare(&out, &before, &after, &none, &arena);
	pe_functions_join(&out, &frames, NULL, NULL, &arena);
	cr_expect(eq(int, (int)out.by_frame[inlined].executed, PE_EXECUTED_SAME));
	cr_expect(eq(int, (int)out.by_frame[g].executed, PE_EXECUTED_MORE));
	pe_functions_join(&out, &frames, &charges, NULL, &arena);
	cr_expect(eq(int, (int)out.by_frame[inlined].executed, PE_EXECUTED_UNKNOWN));
	pe_functions_compare(&out, &before, &more, &none, &arena);
	pe_functions_join(&out, &frames, NULL, NULL, &arena);
	cr_expect(eq(int, (int)out.by_frame[inlined].executed, PE_EXECUTED_UNKNOWN),
		  "a thousandth");
	pe_functions_compare(&out, &before, &ragged, &none, &arena);
	pe_functions_join(&out, &frames, NULL, NULL, &arena);
	cr_expect(eq(int, (int)out.by_frame[inlined].executed, PE_EXECUTED_UNKNOWN), "g varies");
	pe_frames_release(&frames);
}

/* One method under two names; what each function executes stays as it is counted. */
Test(functions, a_renamed_method_is_not_what_came_and_went)
{
	struct pe_function_ranges before =
		RANGES({"alone", "", "a.c", 5000, 5000}, {"f", "", "a.c", 10, 10});
	struct pe_function_ranges after =
		RANGES({"f", "", "a.c", 10, 10}, {"lonely", "", "a.c", 5003, 5003});
	struct pe_frames frames = PE_FRAMES_INIT;
	uint32_t alone = pe_frames_add_method(&frames, "alone", "a.c");
	uint32_t lonely = pe_frames_add_method(&frames, "lonely", "a.c");
	uint32_t renamed[] = {PE_FRAME_NONE, PE_FRAME_NONE};
	struct pe_function_changes out;

	renamed[alone] = lonely;
	pe_functions_compare(&out, &before, &after, &none, &arena);
	pe_functions_join(&out, &frames, NULL, renamed, &arena);
	cr_expect(eq(i64, out.by_frame[lonely].amount, 3));
	cr_expect(eq(u64, out.by_frame[lonely].old_instructions, 5000));
	cr_expect(eq(int, (int)out.by_frame[lonely].executed, PE_EXECUTED_MORE));
	cr_expect(eq(i64, out.by_frame[alone].amount, 0));
	pe_frames_release(&frames);
}

/* Its charge is so little that it may be chance; what the function executes more is of the method that was inlined into it. */
Test(functions, what_was_inlined_is_not_counted_for_its_host_as_well)
{
	struct pe_function_ranges before =
		RANGES({"host", "", "a.c", 9000, 9000}, {"varies", "", "a.c", 1, 50});
	struct pe_function_ranges after =
		RANGES({"host", "", "a.c", 9504, 9504}, {"varies", "", "a.c", 1, 50});
	const struct pe_charges charges = {
		(struct pe_charge[]){
			{"host", "", "a.c", 20, 24, 49, "", 0, 0, 0, 0, "", 0, 0},
			{"inlined", "", "a.c", 8980, 9480, 49, "", 0, 0, 0, 0, "", 0, 0}},
		2};
	const struct pe_charges alike = {
		&(struct pe_charge){"host", "", "a.c", 9000, 9020, 49, "", 0, 0, 0, 0, "", 0, 0},
		1};
	const struct pe_charges steady = {
		&(struct pe_charge){"host", "", "a.c", 20, 24, 3, "", 0, 0, 0, 0, "", 0, 0}, 1};
	struct pe_function_ranges hardly =
		RANGES({"host", "", "a.c", 9021, 9021}, {"varies", "", "a.c", 1, 50});
	struct pe_frames frames = PE_FRAMES_INIT;
	uint32_t host = pe_frames_add_method(&frames, "host", "a.c");
	uint32_t inlined = pe_frames_add_method(&frames, "inlined", "a.c");
	struct pe_function_changes out;

	pe_functions_compare(&out, &before, &after, &none, &arena);
	pe_functions_join(&out, &frames, &charges, NULL, &arena);
	cr_expect(eq(i64, out.by_frame[host].amount, 0));
	cr_expect(eq(int, (int)out.by_frame[host].executed, PE_EXECUTED_UNKNOWN));
	cr_expect(eq(i64, out.by_frame[inlined].amount, 500));
	pe_functions_join(&out, &frames, &steady, NULL, &arena);
	cr_expect(eq(i64, out.by_frame[host].amount, 4), "only another function varies by more");
	/* A charge that says what the function does, but for chance, leaves what is counted exactly. */
	pe_functions_compare(&out, &before, &hardly, &none, &arena);
	pe_functions_join(&out, &frames, &alike, NULL, &arena);
	cr_expect(eq(i64, out.by_frame[host].amount, 21));
	pe_frames_release(&frames);
}

/* Times of sampled trees become those of the rounds that both sides ran in. */
#include "app/explain/compare.h"

#include "tests/support/test.h"

static struct pe_arena arena;
static struct pe_frames frames;

static void release(void)
{
	pe_frames_release(&frames);
	pe_arena_release(&arena);
}

TestSuite(compare_scale, .fini = release, .timeout = 600);

/* main with f (600 ns) and g (400 ns), and so much waiting: of f, or of nobody that is known. */
static struct pe_cct *tree_of(uint64_t waiting_ns, bool known)
{
	const struct pe_frame waiting = {.name = "waiting", .kind = PE_FRAME_WAITING};
	struct pe_cct_builder *builder = pe_cct_builder_new(&frames, PE_CCT_TIME | PE_CCT_SAMPLES);
	const struct pe_cct_facts facts = {.source = "samples", .samples = 1000};
	uint32_t node, idle, f;

	f = node = pe_cct_builder_child(builder, 0, pe_frames_add_method(&frames, "f", "a.c"), 0);
	pe_cct_builder_at(builder, node)->self_ns = 600;
	pe_cct_builder_at(builder, node)->samples = 600;
	node = pe_cct_builder_child(builder, 0, pe_frames_add_method(&frames, "g", "a.c"), 0);
	pe_cct_builder_at(builder, node)->self_ns = 400;
	pe_cct_builder_at(builder, node)->samples = 400;
	if (waiting_ns > 0) {
		idle = pe_cct_builder_child(builder, known ? f : 0,
					    pe_frames_add(&frames, &waiting), 0);
		pe_cct_builder_at(builder, idle)->self_ns = waiting_ns;
	}
	return pe_cct_builder_finish(builder, &facts, &arena);
}

static struct pe_compare_value value(double old_value, double new_value, double margin)
{
	double relative = new_value / old_value - 1;

	return (struct pe_compare_value){
		.old_value = old_value,
		.new_value = new_value,
		.old_n = 10,
		.new_n = 10,
		.relative = relative,
		.low = relative - margin,
		.high = relative + margin,
	};
}

/*
 * What both sides wait in the trees, of f where an f stands before it; then old, new and margin of the wall time, of the
 * processor time, and of context switches. Expected are totals of both sides, and what they wait.
 */
static struct sides {
	const char *what, *given, *expected;
} cases[] = {
	{"processor time, to the nanosecond", "0 0 5000 7000 .01 5000 7001 .02", "5000 7001 0 0"},
	{"counts alone leave the trees", "0 0 5000 7000 .01 5000 7000 .01", "1000 1000 0 0"},
	{"unknown runs leave the trees", "0 0 5000 7000 .01", "1000 1000 0 0"},
	/* Both wait 1000 ns, the lesser of what the medians say. */
	{"both grew", "500 700 6000 7200 .1 5000 6000 .1", "6000 7000 1000 1000"},
	{"3000 ns more of waiting", "500 700 6000 9000 .01 5000 5000 .01", "6000 9000 1000 4000"},
	/* Others compute beside: a side that computes a tenth waits a tenth as long. */
	{"for a processor", "500 500 314000 34000 .02 68000 8700 .03", "68000 8700 0 0"},
	/* cmark b69051f1 beside sixteen others: start-up alone is left, and hardly made to leave the processor. */
	{"leaves the processor", "500 500 119e6 4.7e6 .001 23.3e6 1.76e6 .001 14 1 .1",
	 "23300000 1760000 0 0"},
	{"sleeps", "500 500 119e6 4.7e6 .001 23.3e6 1.76e6 .001 3 1 .1",
	 "119000000 4700000 95700000 2940000"},
	{"less than a twentieth", "500 500 5200 5200 .01 5000 5000 .01", "5000 5000 0 0"},
	/* What both wait is little of the long side: then it is none of the short one either. */
	{"little of the long side", "0 500 119000 2500 .01 17500 400 .01", "17500 400 0 0"},
	/* 4000 without the old side's 1000. */
	{"no node of one side", "0 700 6000 9000 .01 5000 5000 .01", "5000 8000 0 3000"},
	/* A shell that waits for its child on a busy machine waits as long as the child has no processor. */
	/* No wall time is decided: waits for a processor, which fall on other places in each run, are left out. */
	{"of f, and not sure", "f 2000 1000 6000 4900 .2 3000 2400 .1", "3000 2400 0 0"},
	/* A pool whose threads sleep: processor time is little, and not known well, and the sleep is longer all the same. */
	{"of f, which mostly waits", "f 500 600 364000 397000 .02 55000 56000 .15",
	 "364000 397000 309000 341000"},
	{"of f, and sure", "f 2000 4000 6000 9000 .01 3000 3000 .01", "6000 9000 3000 6000"},
	{"a parallel program's path", "f 500 500 3000 6000 .01 5000 9000 .01",
	 "3000 6000 1000 2000"},
};

static struct pe_cct *trees[2];

static struct pe_compare_value value_of(const double of[3])
{
	return of[0] > 0 ? value(of[0], of[1], of[2]) : (struct pe_compare_value){0};
}

static struct pe_compare_pair scale(const struct sides *of)
{
	const struct pe_collected sides[2] = {{.trees = &trees[0], .n_trees = 1},
					      {.trees = &trees[1], .n_trees = 1}};
	const bool known = of->given[0] == 'f';
	double at[11] = {0};
	struct pe_compare_pair pair;

	sscanf(of->given + known, "%lf %lf %lf %lf %lf %lf %lf %lf %lf %lf %lf", &at[0], &at[1],
	       &at[2], &at[3], &at[4], &at[5], &at[6], &at[7], &at[8], &at[9], &at[10]);
	pair = (struct pe_compare_pair){.wall = value_of(at + 2),
					.cpu = value_of(at + 5),
					.switches = value_of(at + 8),
					.scale_error = 9};
	for (size_t i = 0; i < 2; i++)
		trees[i] = tree_of((uint64_t)at[i], known);
	if (strstr(of->what, "counts") != NULL)
		trees[1]->facts.samples = 0;
	pe_comparing_scale(&pair, sides);
	return pair;
}

TestOver(struct sides *of, cases, compare_scale, totals_and_waiting)
{
	pe_auto_text found = PE_TEXT_INIT;

	scale(of);
	for (size_t i = 0; i < 4; i++)
		pe_text_addf(&found, "%s%llu", i > 0 ? " " : "",
			     (unsigned long long)(i < 2 ? trees[i]->total_ns[0]
							: trees[i - 2]->waiting_ns));
	cr_expect_str_eq(pe_text_str(&found), of->expected, "%s", of->what);
}

Test(compare_scale, shares_stay_and_the_error_is_that_of_both)
{
	cr_expect(epsilon_eq(dbl, scale(&cases[0]).scale_error, 0.02 / 1.96 / 1.4002, 1e-9));
	cr_expect_text("3000 7001", trees[0]->total_ns[1], trees[1]->facts.duration_ns);
	cr_expect(epsilon_eq(dbl, scale(&cases[2]).scale_error, 0, 0), "of unknown runs");
}

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

static struct pe_cct *tree(uint64_t waiting_ns)
{
	return tree_of(waiting_ns, false);
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

struct sides {
	struct pe_cct *at[2];
	struct pe_compare_pair pair;
};

static void scale(struct sides *sides)
{
	const struct pe_comparing_sides trees = {{{&sides->at[0], 1}, {&sides->at[1], 1}}};

	pe_comparing_scale(&sides->pair, &trees);
}

Test(compare_scale, total_is_the_processor_time_of_the_runs)
{
	struct sides sides = {{tree(0), tree(0)},
			      {.wall = value(5000, 7000, 0.01), .cpu = value(5000, 7001, 0.02)}};

	scale(&sides);
	cr_expect(eq(u64, sides.at[0]->total_ns[0], 5000));
	cr_expect(eq(u64, sides.at[1]->total_ns[0], 7001), "to the nanosecond");
	cr_expect(eq(u64, sides.at[0]->total_ns[1], 3000), "shares stay");
	cr_expect(eq(u64, sides.at[1]->facts.duration_ns, 7001));
	cr_expect(epsilon_eq(dbl, sides.pair.scale_error, 0.02 / 1.96 / 1.4002, 1e-9));
}

Test(compare_scale, unknown_runs_or_counts_alone_leave_the_trees)
{
	struct sides sides = {{tree(0), tree(0)}, {.wall = value(5000, 7000, 0.01)}};

	sides.pair.scale_error = 9;
	scale(&sides);
	cr_expect(eq(u64, sides.at[0]->total_ns[0], 1000));
	cr_expect(epsilon_eq(dbl, sides.pair.scale_error, 0, 0));
	sides.pair.cpu = value(5000, 7000, 0.01);
	sides.at[1]->facts.samples = 0;
	scale(&sides);
	cr_expect(eq(u64, sides.at[0]->total_ns[0], 1000));
}

Test(compare_scale, waiting_is_the_same_unless_the_runs_are_sure_of_more)
{
	/* Wall time grew as processor time did: both wait 1000 ns, the lesser of what the medians say. */
	struct sides alike = {{tree(500), tree(700)},
			      {.wall = value(6000, 7200, 0.1), .cpu = value(5000, 6000, 0.1)}};
	/* Processor time did not change, and the new side waits 3000 ns more. */
	struct sides longer = {{tree(500), tree(700)},
			       {.wall = value(6000, 9000, 0.01), .cpu = value(5000, 5000, 0.01)}};

	scale(&alike);
	cr_expect_text("1000 1000 6000", pe_cct_waiting_ns(alike.at[0]),
		       pe_cct_waiting_ns(alike.at[1]), alike.at[0]->total_ns[0]);
	scale(&longer);
	cr_expect(eq(u64, pe_cct_waiting_ns(longer.at[0]), 1000));
	cr_expect(eq(u64, pe_cct_waiting_ns(longer.at[1]), 4000));
}

/* Others compute beside: a side that computes a tenth waits a tenth as long. */
Test(compare_scale, waiting_that_goes_with_computing_is_for_a_processor_and_left_out)
{
	struct sides sides = {
		{tree(500), tree(500)},
		{.wall = value(314000, 34000, 0.02), .cpu = value(68000, 8700, 0.03)}};

	scale(&sides);
	cr_expect(eq(u64, sides.at[0]->total_ns[0], 68000));
	cr_expect(eq(u64, sides.at[1]->total_ns[0], 8700));
}

/* cmark b69051f1 beside sixteen others: start-up alone is left, and hardly ever made to leave the processor. */
Test(compare_scale, waiting_of_who_has_to_leave_the_processor_is_for_a_processor)
{
	struct sides sides = {{tree(500), tree(500)},
			      {.wall = value(119e6, 4.7e6, 0.001),
			       .cpu = value(23.3e6, 1.76e6, 0.001),
			       .switches = value(14, 1, 0.1)}};
	struct sides asleep = {{tree(500), tree(500)},
			       {.wall = value(119e6, 4.7e6, 0.001),
				.cpu = value(23.3e6, 1.76e6, 0.001),
				.switches = value(3, 1, 0.1)}};

	scale(&sides);
	cr_expect(eq(u64, sides.at[0]->total_ns[0], 23300000));
	cr_expect(eq(u64, sides.at[1]->total_ns[0], 1760000));
	scale(&asleep);
	cr_expect(eq(u64, asleep.at[0]->total_ns[0], 119000000));
}

Test(compare_scale, less_than_a_twentieth_is_no_waiting)
{
	struct sides sides = {{tree(500), tree(500)},
			      {.wall = value(5200, 5200, 0.01), .cpu = value(5000, 5000, 0.01)}};
	/* What both wait is little of the long side: then it is none of the short one either. */
	struct sides shorter = {
		{tree(0), tree(500)},
		{.wall = value(119000, 2500, 0.01), .cpu = value(17500, 400, 0.01)}};

	scale(&sides);
	cr_expect(eq(u64, pe_cct_waiting_ns(sides.at[0]), 0));
	cr_expect(eq(u64, sides.at[0]->total_ns[0], 5000));
	scale(&shorter);
	cr_expect(eq(u64, shorter.at[1]->total_ns[0], 400));
}

Test(compare_scale, waiting_that_one_side_has_no_node_for_counts_beyond_the_common)
{
	struct sides sides = {{tree(0), tree(700)},
			      {.wall = value(6000, 9000, 0.01), .cpu = value(5000, 5000, 0.01)}};

	scale(&sides);
	cr_expect(eq(u64, sides.at[0]->total_ns[0], 5000));
	cr_expect(eq(u64, pe_cct_waiting_ns(sides.at[1]), 3000),
		  "4000 without the old side's 1000");
}

/* A shell that waits for its child on a busy machine waits as long as the child has no processor. */
Test(compare_scale, what_f_waits_beyond_what_was_computed_differs_only_where_the_runs_are_sure)
{
	struct sides unsure = {{tree_of(2000, true), tree_of(1000, true)},
			       {.wall = value(6000, 4900, 0.2), .cpu = value(3000, 2400, 0.1)}};
	struct sides sure = {{tree_of(2000, true), tree_of(4000, true)},
			     {.wall = value(6000, 9000, 0.01), .cpu = value(3000, 3000, 0.01)}};

	/* No wall time is decided: waits for a processor, which fall on other places in each run, are left out. */
	scale(&unsure);
	cr_expect_text("3000 2400", unsure.at[0]->total_ns[0], unsure.at[1]->total_ns[0]);
	scale(&sure);
	cr_expect(eq(u64, sure.at[0]->total_ns[0], 6000));
	cr_expect(eq(u64, sure.at[1]->total_ns[0], 9000));
}

Test(compare_scale, the_path_of_a_parallel_program_is_its_wall_time)
{
	struct sides sides = {{tree_of(500, true), tree_of(500, true)},
			      {.wall = value(3000, 6000, 0.01), .cpu = value(5000, 9000, 0.01)}};

	scale(&sides);
	cr_expect_text("3000 1000 6000", sides.at[0]->total_ns[0], pe_cct_waiting_ns(sides.at[0]),
		       sides.at[1]->total_ns[0]);
}

/* The merge: times come onto the paths that were counted, all of them, and what found no path is said. */
#include "analysis/profile/merge.h"

#include "analysis/profile/merge_names.h"
#include "analysis/profile/samples.h"
#include "tests/support/random.h"
#include "tests/support/test.h"

static struct pe_frames frames;
static struct pe_arena arena;

TestSuiteWith(merge, (void)0, (pe_frames_release(&frames), pe_arena_release(&arena)),
	      .timeout = 600);

enum { COUNTED = PE_CCT_CALLS | PE_CCT_SITES, SAMPLED = PE_CCT_SAMPLES | PE_CCT_SITES };

static uint32_t method(const char *name)
{
	return pe_frames_add_method(&frames, name, "a.c");
}

static uint32_t program(const char *name)
{
	struct pe_frame frame = {.name = name, .kind = PE_FRAME_PROCESS};

	return pe_frames_add(&frames, &frame);
}

/* "main f:3 g:4": a path below a program, each name with the line that it is called from. */
static uint32_t follow(struct pe_cct_builder *builder, const char *path, bool fold)
{
	uint32_t node = pe_cct_builder_child(builder, 0, program("prog"), 0);
	char copy[256], *rest = copy;

	snprintf(copy, sizeof(copy), "%s", path);
	for (char *word; (word = strtok_r(rest, " ", &rest)) != NULL;) {
		char *colon = strchr(word, ':');
		uint32_t site = colon != NULL ? (uint32_t)strtoul(colon + 1, NULL, 10) : 0;

		if (colon != NULL)
			*colon = '\0';
		node = fold ? pe_cct_builder_fold(builder, node, method(word), site)
			    : pe_cct_builder_child(builder, node, method(word), site);
	}
	return node;
}

struct row {
	const char *path;
	uint64_t n;
};

static struct pe_cct *finish(struct pe_cct_builder *builder)
{
	struct pe_cct_facts facts = {.source = "test", .interval_ns = 1000};

	return pe_cct_builder_finish(builder, &facts, &arena);
}

/* A tree by paths, ended by a row without one. */
static struct pe_cct *counting(const struct row *rows)
{
	struct pe_cct_builder *builder = pe_cct_builder_new(&frames, COUNTED);

	for (; rows->path != NULL; rows++)
		pe_cct_builder_at(builder, follow(builder, rows->path, true))->calls += rows->n;
	return finish(builder);
}

static struct pe_cct *sampled(const struct row *rows)
{
	struct pe_cct_builder *builder = pe_cct_builder_new(&frames, SAMPLED);

	for (; rows->path != NULL; rows++)
		pe_cct_builder_at(builder, follow(builder, rows->path, false))->samples += rows->n;
	return finish(builder);
}

/* The node at a path of names and sites, which must be there. */
static uint32_t at(const struct pe_cct *cct, const char *path)
{
	uint32_t node = pe_cct_first(cct, 0);
	char copy[256], *rest = copy;

	snprintf(copy, sizeof(copy), "%s", path);
	for (char *word; (word = strtok_r(rest, " ", &rest)) != NULL;) {
		char *colon = strchr(word, ':');
		uint32_t site = colon != NULL ? (uint32_t)strtoul(colon + 1, NULL, 10) : 0;

		if (colon != NULL)
			*colon = '\0';
		node = pe_cct_first(cct, node);
		while (node != PE_CCT_NONE && (strcmp(pe_cct_frame(cct, node)->name, word) != 0 ||
					       cct->nodes[node].site != site))
			node = pe_cct_next(cct, node);
		cr_assert(ne(u32, node, PE_CCT_NONE), "no node at %s", path);
	}
	return node;
}

static struct pe_cct *merge(const struct pe_cct *counts, const struct pe_cct *samples,
			    uint64_t duration_ns, struct pe_merge_stats *stats)
{
	struct pe_merge_opts opts = {.duration_ns = duration_ns};
	struct pe_cct *merged = pe_merge_samples(counts, samples, &opts, stats, &arena);
	struct pe_err err = PE_ERR_INIT;

	cr_assert_ok(pe_cct_check(merged, &err), err.message);
	return merged;
}

Test(merge, apportions_by_largest_remainders)
{
	/* Hamilton's method on 10 seats: 47:16:15.8:12:6.1:3.1 of 100 gives 5:2:1:1:1:0. */
	const uint64_t votes[] = {47000, 16000, 15800, 12000, 6100, 3100};
	const uint64_t seats[] = {5, 2, 1, 1, 1, 0};
	const uint64_t none[] = {0, 0}, large[] = {UINT64_MAX / 2, UINT64_MAX / 2};
	uint64_t out[6];

	pe_merge_apportion(out, votes, 6, 10);
	for (int i = 0; i < 6; i++)
		cr_expect(eq(u64, out[i], seats[i]), "party %d", i);
	pe_merge_apportion(out, none, 2, 7);
	cr_expect_text("7 0", out[0], out[1]);
	pe_merge_apportion(out, large, 2, UINT64_MAX);
	cr_expect(eq(u64, out[0], UINT64_MAX / 2 + 1));
	cr_expect(eq(u64, out[1], UINT64_MAX / 2));
}

Test(merge, passes_over_what_was_not_instrumented)
{
	const struct row counts[] = {{"main", 1}, {"main f:3", 5}, {"main f:3 cmp", 40}, {0}};
	const struct row samples[] = {{"_start libc_main main f:3", 2},
				      {"_start libc_main main f:3 qsort:9 msort:77 cmp:88", 3},
				      {"_start libc_main main f:3 memcpy:9", 4},
				      {"_start dl_init", 1},
				      {0}};
	struct pe_merge_stats stats;
	struct pe_cct *cct = merge(counting(counts), sampled(samples), 1000, &stats);

	cr_expect_text("5 6 600 300 40 1000 10 0", cct->n, cct->samples[at(cct, "main f:3")],
		       cct->self_ns[at(cct, "main f:3")], cct->self_ns[at(cct, "main f:3 cmp")],
		       cct->calls[at(cct, "main f:3 cmp")], cct->total_ns[0], stats.samples,
		       stats.lost);
	cr_expect(eq(u64, stats.by_name, 0),
		  "a line of a frame passed over disagrees with nothing");
	cr_expect_text("1 10 1000", stats.outside, cct->facts.samples, cct->facts.duration_ns);
	cr_expect_str_eq(cct->facts.source, "counting+samples");
}

Test(merge, goes_by_call_site_and_else_by_the_nearest_line)
{
	const struct row counts[] = {
		{"main", 1}, {"main f:10", 1}, {"main f:20", 1}, {"main f:90", 1}, {0}};
	const struct row samples[] = {{"main f:20", 1}, {"main f:23", 2}, {"main f:80", 4}, {0}};
	struct pe_merge_stats stats;
	struct pe_cct *cct = merge(counting(counts), sampled(samples), 7, &stats);

	cr_expect_text("0 3 4 6 0", cct->self_ns[at(cct, "main f:10")],
		       cct->self_ns[at(cct, "main f:20")], cct->self_ns[at(cct, "main f:90")],
		       stats.by_name, stats.lost);
}

Test(merge, folds_recursion_as_the_counts_are_folded)
{
	const struct row counts[] = {{"main walk:2 walk:5 walk:5 leaf:6", 1}, {0}};
	const struct row samples[] = {{"main walk:2 walk:5 walk:5 walk:5 walk:5", 3},
				      {"main walk:2 walk:5 walk:5 walk:5 leaf:6", 2},
				      {"main walk:2", 1},
				      {0}};
	struct pe_merge_stats stats;
	struct pe_cct *cct = merge(counting(counts), sampled(samples), 6, &stats);

	cr_expect_text("1 3 2 0 0", cct->self_ns[at(cct, "main walk:2")],
		       cct->self_ns[at(cct, "main walk:2 walk:5")],
		       cct->self_ns[at(cct, "main walk:2 walk:5 leaf:6")], stats.lost,
		       stats.by_name);
}

Test(merge, takes_the_parts_of_a_split_function_for_one)
{
	const struct row counts[] = {{"main a:1 b:2", 1}, {0}};
	const struct row samples[] = {{"main a:1 a:7", 3}, {"main a:1 a:7 b:2", 2}, {0}};
	struct pe_merge_stats stats;
	struct pe_cct *cct = merge(counting(counts), sampled(samples), 5, &stats);

	cr_expect_text("3 2 0", cct->self_ns[at(cct, "main a:1")],
		       cct->self_ns[at(cct, "main a:1 b:2")],
		       stats.lost + stats.bridged + stats.by_name);
}

Test(merge, crosses_a_frame_that_the_native_build_lost)
{
	const struct row counts[] = {{"main a:1 b:2 c:3", 1}, {"main d:1 b:2 c:3", 1}, {0}};
	const struct row samples[] = {{"main a:1 c:3", 5}, {0}};
	struct pe_merge_stats stats;
	struct pe_cct *cct = merge(counting(counts), sampled(samples), 5, &stats);

	cr_expect_text("5 5 0", cct->self_ns[at(cct, "main a:1 b:2 c:3")], stats.bridged,
		       stats.lost);
}

Test(merge, crosses_no_frame_where_there_are_two_ways)
{
	const struct row counts[] = {{"main a:1 b:2 c:3", 1}, {"main a:1 e:2 c:3", 1}, {0}};
	const struct row samples[] = {{"main a:1 c:3", 5}, {0}};
	struct pe_merge_stats stats;

	merge(counting(counts), sampled(samples), 5, &stats);
	cr_expect(eq(u64, stats.lost, 5));
}

Test(merge, comes_back_behind_a_frame_that_only_samples_have)
{
	/* f was inlined before instrumentation here, and called elsewhere. */
	const struct row counts[] = {{"main a:1 g:8", 1}, {"main f:2", 1}, {0}};
	const struct row samples[] = {{"main a:1 f:4 g:8", 2}, {"main a:1 f:4", 3}, {0}};
	struct pe_merge_stats stats;
	struct pe_cct *cct = merge(counting(counts), sampled(samples), 5, &stats);
	uint32_t f = at(cct, "main a:1 f:4");

	cr_expect_text("2 2 3", cct->self_ns[at(cct, "main a:1 g:8")], stats.bridged,
		       cct->self_ns[f]);
	cr_expect(eq(int, cct->flags[f], PE_CCT_UNCOUNTED));
	cr_expect(eq(u64, stats.lost, 3));
}

Test(merge, says_what_found_no_path_and_keeps_its_time)
{
	const struct row counts[] = {{"main a:1", 1}, {"main b:2 c:3", 1}, {0}};
	const struct row samples[] = {{"main a:1 c:9 c:9 c:9", 1}, {"main a:1", 1}, {0}};
	struct pe_merge_stats stats;
	struct pe_cct *cct = merge(counting(counts), sampled(samples), 1001, &stats);
	uint32_t c = at(cct, "main a:1 c:9");

	cr_expect_text("1 1", cct->facts.samples_lost, stats.lost);
	cr_expect(eq(int, cct->flags[c], PE_CCT_UNCOUNTED | PE_CCT_FOLDED));
	cr_expect_text("1 1001 1001 0", cct->samples[c], cct->total_ns[0],
		       cct->self_ns[at(cct, "main a:1")] + cct->self_ns[c],
		       cct->self_ns[at(cct, "main b:2 c:3")]);
}

/* Stacks without their beginning, as pe_samples_read() puts them. */
static struct pe_cct *cut_stack(const char *first, const char *second)
{
	struct pe_cct_builder *builder = pe_cct_builder_new(&frames, SAMPLED);
	struct pe_frame cut = {.name = PE_SAMPLES_CUT_NAME, .kind = PE_FRAME_UNKNOWN};
	uint32_t node = follow(builder, "", false);

	node = pe_cct_builder_child(builder, node, pe_frames_add(&frames, &cut), 0);
	pe_cct_builder_flag(builder, node, PE_CCT_CUT);
	node = pe_cct_builder_child(builder, node, method(first), 0);
	node = pe_cct_builder_child(builder, node, method(second), 3);
	pe_cct_builder_at(builder, node)->samples = 4;
	return finish(builder);
}

Test(merge, moors_a_cut_stack_at_a_method_that_is_in_one_place)
{
	const struct row counts[] = {{"main a:1 b:2 c:3", 1}, {"main d:5 c:3", 1}, {0}};
	struct pe_merge_stats stats;
	struct pe_cct *cct = merge(counting(counts), cut_stack("b", "c"), 4, &stats);

	cr_expect_text("4 4 0", cct->self_ns[at(cct, "main a:1 b:2 c:3")], stats.cut, stats.lost);
}

Test(merge, loses_a_cut_stack_that_could_be_anywhere)
{
	const struct row counts[] = {{"main a:1 c:3", 1}, {"main d:5 c:3", 1}, {0}};
	struct pe_merge_stats stats;
	struct pe_cct *cct = merge(counting(counts), cut_stack("memcpy", "c"), 4, &stats);
	uint32_t cut = at(cct, "main") + 5; /* behind main and what is below it */

	cr_assert(eq(u32, cct->n, 9));
	cr_expect(eq(u64, stats.lost, 4));
	cr_expect_str_eq(pe_cct_frame(cct, cut)->name, PE_SAMPLES_CUT_NAME);
	cr_expect(eq(int, cct->flags[cut], PE_CCT_UNCOUNTED | PE_CCT_CUT));
	cr_expect_text("4 c", cct->total_ns[cut], pe_cct_frame(cct, pe_cct_first(cct, cut))->name);
}

Test(merge, knows_copies_and_variants_by_their_names)
{
	static const char *const same[][2] = {
		{"f.isra.0", "f"},
		{"f.constprop.0.isra.1", "f"},
		{"f.part.3.cold", "f"},
		{"f(int) [clone .cold]", "f(int)"},
		{"_ZN2ns1AC2Ev", "_ZN2ns1AC1Ev"},
		{"_ZN2ns1AC4Ev", "_ZN2ns1AC1Ev"},
		{"_ZN1AD0Ev", "_ZN1AD2Ev"},
		{"_ZN2C1D2Ev.cold", "_ZN2C1D1Ev"},
	};

	for (size_t i = 0; i < sizeof(same) / sizeof(*same); i++)
		cr_expect_str_eq(pe_merge_plain_name(same[i][0], &arena),
				 pe_merge_plain_name(same[i][1], &arena), "%s", same[i][0]);
	cr_expect_str_neq(pe_merge_plain_name("_ZN2C1C1Ev", &arena),
			  pe_merge_plain_name("_ZN2C2C1Ev", &arena), "an identifier is no variant");
	cr_expect_str_eq(pe_merge_plain_name("a.b", &arena), "a.b");
	cr_expect_str_eq(pe_merge_plain_name("_ZN99999C2", &arena), "_ZN99999C2");
}

Test(merge, takes_a_name_for_a_method_where_a_build_knows_less)
{
	struct pe_frame counted = {.name = "f", .component = "src/f.c", .module = "prog"};
	struct pe_frame stripped = {.name = "f", .component = "prog", .module = "prog"};
	struct pe_frame foreign = {.name = "f", .component = "libc.so.6", .module = "libc.so.6"};
	uint32_t numbers[] = {pe_frames_add(&frames, &stripped), pe_frames_add(&frames, &foreign)};
	const uint64_t on_f[] = {3, 0};
	struct pe_cct_builder *counts = pe_cct_builder_new(&frames, COUNTED);

	pe_cct_builder_child(counts, 0, pe_frames_add(&frames, &counted), 0);
	for (int i = 0; i < 2; i++) {
		struct pe_cct_builder *builder = pe_cct_builder_new(&frames, SAMPLED);
		static struct pe_cct *counted_tree;
		struct pe_cct *cct;

		if (counted_tree == NULL)
			counted_tree = finish(counts);
		pe_cct_builder_at(builder, pe_cct_builder_child(builder, 0, numbers[i], 0))
			->samples = 3;
		cct = merge(counted_tree, finish(builder), 3, NULL);
		cr_assert(eq(u32, cct->n, 2));
		cr_expect(eq(u64, cct->self_ns[1], on_f[i]));
	}
}

/*
 * A program that calls at random, 40 methods of which every fifth is not instrumented: what a counting
 * runtime would have, beside the stacks that a sampler would see.
 */
enum { METHODS = 40, DEPTH = 60, STEPS = 20000, FIRST_LINE = 100 };

struct call {
	uint32_t frame, site, counted;
};

static bool instrumented(uint64_t number)
{
	return number % 5 != 4;
}

static void sample(struct pe_cct_builder *builder, const struct call *stack, int depth)
{
	uint32_t node = 0;

	for (int i = 0; i < depth; i++)
		node = pe_cct_builder_child(builder, node, stack[i].frame, stack[i].site);
	pe_cct_builder_at(builder, node)->samples++;
}

static void enter(struct pe_cct_builder *counts, struct call *stack, int depth,
		  struct pe_random *random)
{
	uint64_t number = pe_random_below(random, METHODS);
	uint32_t above = 0;
	char name[16];

	snprintf(name, sizeof(name), "m%u", (unsigned)number);
	/* Libraries without debug information have no lines, in neither build. */
	stack[depth] = (struct call){
		.frame = method(name),
		.site = depth == 0 || stack[depth - 1].frame % 2 == 0
				? 0
				: FIRST_LINE + (uint32_t)pe_random_below(random, 3),
		.counted = PE_CCT_NONE,
	};
	if (!instrumented(number))
		return;
	for (int i = depth; i-- > 0 && above == 0;)
		if (stack[i].counted != PE_CCT_NONE)
			above = stack[i].counted;
	stack[depth].counted =
		pe_cct_builder_fold(counts, above, stack[depth].frame, stack[depth].site);
	pe_cct_builder_at(counts, stack[depth].counted)->calls++;
}

static struct pe_cct *simulate(uint64_t seed, struct pe_cct **samples, struct pe_cct **reversed,
			       uint64_t **expected)
{
	struct pe_cct_builder *counts = pe_cct_builder_new(&frames, COUNTED);
	struct pe_cct_builder *forth = pe_cct_builder_new(&frames, SAMPLED);
	struct pe_cct_builder *back = pe_cct_builder_new(&frames, SAMPLED);
	static struct call stacks[STEPS][DEPTH];
	static int depths[STEPS];
	struct call stack[DEPTH];
	struct pe_random random = random_of(seed);
	struct pe_cct *counted;
	int depth = 0;

	for (int i = 0; i < STEPS; i++) {
		if (depth > 0 && (depth == DEPTH || pe_random_below(&random, 100) < 48))
			depth--;
		else
			enter(counts, stack, depth++, &random);
		memcpy(stacks[i], stack, sizeof(stack));
		depths[i] = depth;
		sample(forth, stack, depth);
		/* Where the sample belongs, in a column that nobody else uses here. */
		for (int at = depth; at-- >= 0;)
			if (at < 0 || stack[at].counted != PE_CCT_NONE) {
				pe_cct_builder_at(counts, at < 0 ? 0 : stack[at].counted)->frees++;
				break;
			}
	}
	for (int i = STEPS; i-- > 0;)
		sample(back, stacks[i], depths[i]);
	pe_cct_builder_know(counts, PE_CCT_ALLOCATIONS);
	*samples = finish(forth);
	*reversed = finish(back);
	counted = finish(counts);
	*expected = counted->frees;
	return counted;
}

Test(merge, loses_no_sample_of_the_trees_own_paths)
{
	for (uint64_t seed = 1; seed <= 2; seed++) {
		struct pe_cct *samples, *reversed;
		uint64_t *expected;
		struct pe_cct *counts = simulate(seed, &samples, &reversed, &expected);
		struct pe_merge_stats stats;
		uint64_t duration = 123456789 * seed + seed;
		struct pe_cct *cct = merge(counts, samples, duration, &stats);
		struct pe_cct *again = merge(counts, reversed, duration, NULL);
		uint64_t sum = 0;

		cr_expect(eq(u64, stats.samples, STEPS));
		cr_expect_text("0 0", stats.lost, stats.by_name + stats.bridged);
		cr_assert(eq(u32, cct->n, counts->n));
		for (uint32_t i = 0; i < cct->n; i++) {
			cr_assert(eq(u64, cct->samples[i], expected[i]), "seed %u, node %u",
				  (unsigned)seed, i);
			cr_assert(eq(u64, cct->calls[i], counts->calls[i]));
			cr_assert(eq(u64, again->self_ns[i], cct->self_ns[i]));
			sum += cct->self_ns[i];
		}
		cr_expect(eq(u64, sum, duration));
	}
}

Test(merge, sums_exactly_whatever_is_lost)
{
	for (uint64_t seed = 1; seed <= 2; seed++) {
		struct pe_cct *samples, *unused, *other_counts;
		uint64_t *expected;
		struct pe_merge_stats stats;
		struct pe_cct *cct;

		simulate(seed, &samples, &unused, &expected);
		other_counts = simulate(seed + 100, &unused, &unused, &expected);
		cct = merge(other_counts, samples, 1000003, &stats);
		cr_expect(eq(u64, stats.samples, STEPS));
		cr_expect(gt(u64, stats.lost, 0));
		cr_expect(eq(u64, cct->facts.samples_lost, stats.lost));
		cr_expect(eq(u64, cct->total_ns[0], 1000003));
	}
}

Test(merge, follows_a_stack_of_300_000_frames)
{
	enum { DEEP = 300000 };
	struct pe_cct_builder *counts = pe_cct_builder_new(&frames, COUNTED);
	struct pe_cct_builder *samples = pe_cct_builder_new(&frames, SAMPLED);
	uint32_t f = method("f"), above = 0, counted = 0;
	struct pe_merge_stats stats;
	struct pe_cct *cct;

	/* Sites differ, so that nothing folds. */
	for (uint32_t i = 1; i <= DEEP; i++) {
		counted = pe_cct_builder_child(counts, counted, f, i);
		above = pe_cct_builder_child(samples, above, f, i);
	}
	pe_cct_builder_at(samples, above)->samples = 2;
	cct = merge(finish(counts), finish(samples), 9, &stats);
	cr_expect_text("9 0", cct->self_ns[DEEP], stats.lost);
}

Test(merge, makes_a_tree_of_samples_alone)
{
	const struct row samples[] = {
		{"main f:1 f:2 f:2 f:2", 3}, {"main f:1", 1}, {"main g:1", 2}, {0}};
	struct pe_merge_opts opts = {0};
	struct pe_cct *cct = pe_merge_samples_alone(sampled(samples), &opts, &arena);

	cr_expect(eq(u32, cct->n, 6));
	cr_expect(eq(u64, cct->self_ns[at(cct, "main f:1 f:2")], 3000), "samples times interval");
	cr_expect(eq(int, cct->flags[at(cct, "main f:1 f:2")], PE_CCT_FOLDED));
	cr_expect_text("6000 - 6", cct->total_ns[0], cct->calls, cct->facts.samples);
}

Test(merge, tells_waiting_apart_from_what_samples_can_see)
{
	const struct row samples[] = {{"main f:1", 3}, {"main g:1", 1}, {0}};
	struct pe_merge_opts opts = {.duration_ns = 1000, .waiting_ns = 600};
	struct pe_cct *cct = pe_merge_samples_alone(sampled(samples), &opts, &arena);
	double low, high;

	cr_expect_text("300 100 (waiting) 600 1000", cct->self_ns[at(cct, "main f:1")],
		       cct->self_ns[at(cct, "main g:1")], pe_cct_frame(cct, cct->n - 1)->name,
		       pe_cct_waiting_ns(cct), cct->total_ns[0]);
	cr_assert(pe_cct_self_interval(cct, at(cct, "main f:1"), 1.96, &low, &high));
	cr_expect(lt(dbl, low, 300));
	cr_expect(gt(dbl, high, 300));
	cr_expect(le(dbl, high, 400), "waiting is no part of what is sampled");
	opts.waiting_ns = 0;
	cct = pe_merge_samples_alone(sampled(samples), &opts, &arena);
	cr_expect_text("0 750", pe_cct_waiting_ns(cct), cct->self_ns[at(cct, "main f:1")]);
}

Test(merge, without_samples_times_stay_unknown)
{
	const struct row counts[] = {{"main", 1}, {0}}, none[] = {{0}};
	struct pe_cct *cct = merge(counting(counts), sampled(none), 1000, NULL);

	cr_expect_text("- 1", cct->self_ns, cct->calls[at(cct, "main")]);
}

static struct pe_cct *join_runs(const struct pe_cct *const *runs, uint32_t n)
{
	struct pe_merge_joint *joint = pe_merge_joint_new(runs[0]);

	for (uint32_t i = 1; i < n; i++)
		pe_merge_joint_add(joint, runs[i]);
	return pe_merge_joint_finish(joint, &arena);
}

static void expect_range(const struct pe_cct *cct, const char *path, uint32_t runs, uint64_t least,
			 uint64_t most)
{
	uint32_t node = at(cct, path);
	const struct pe_cct_range *range = pe_cct_range_of(cct, node);

	cr_assert_not_null(range, "%s", path);
	cr_expect(eq(u32, range->runs, runs), "%s", path);
	cr_expect(eq(u64, cct->calls[node] - range->less[PE_CCT_COUNT_CALLS], least), "%s", path);
	cr_expect(eq(u64, cct->calls[node] + range->more[PE_CCT_COUNT_CALLS], most), "%s", path);
}

Test(merge, marks_what_two_runs_counted_differently)
{
	const struct row first[] = {
		{"main", 1}, {"main a:1", 5}, {"main b:2", 6}, {"main c:3", 7}, {0}};
	const struct row second[] = {
		{"main", 1}, {"main a:1", 5}, {"main b:2", 9}, {"main d:4", 1}, {0}};
	const struct pe_cct *runs[] = {counting(first), counting(second)};
	struct pe_cct *cct = join_runs(runs, 2);

	cr_expect_text("2 0 0", cct->facts.counting_runs, cct->flags[at(cct, "main")],
		       cct->flags[at(cct, "main a:1")]);
	cr_expect(eq(int, cct->flags[at(cct, "main b:2")], PE_CCT_UNSTABLE));
	cr_expect(eq(u64, cct->calls[at(cct, "main b:2")], 6), "the first run's");
	cr_expect(eq(int, cct->flags[at(cct, "main c:3")], PE_CCT_UNSTABLE | PE_CCT_SOMETIMES));
	cr_expect(eq(int, cct->flags[at(cct, "main d:4")], PE_CCT_UNSTABLE | PE_CCT_SOMETIMES));
	cr_expect(eq(u64, cct->calls[at(cct, "main d:4")], 0));
	cr_expect_null(pe_cct_range_of(cct, at(cct, "main a:1")));
	expect_range(cct, "main b:2", 1, 6, 9);
	expect_range(cct, "main c:3", 1, 0, 7);
	expect_range(cct, "main d:4", 1, 0, 1);
}

Test(merge, counts_in_how_many_of_many_runs_a_context_differs)
{
	const struct row with[] = {
		{"main", 1}, {"main a:1", 5}, {"main coin:2", 3}, {"main z:3", 7}, {0}};
	const struct row without[] = {{"main", 1}, {"main a:1", 5}, {"main z:3", 7}, {0}};
	const struct pe_cct *runs[] = {counting(without), counting(with),    counting(with),
				       counting(without), counting(without), counting(with)};
	struct pe_cct *cct = join_runs(runs, 6), *again;

	cr_expect_text("6 1", cct->facts.counting_runs, cct->n_ranges);
	expect_range(cct, "main coin:2", 3, 0, 3);
	cr_expect(lt(u32, at(cct, "main coin:2"), at(cct, "main z:3")),
		  "it stands behind the sibling that it follows");
	cr_expect(eq(int, cct->flags[at(cct, "main z:3")], 0));
	/* What was joined is joined with more runs. */
	runs[0] = cct;
	again = join_runs(runs, 3);
	cr_expect_text("8 1", again->facts.counting_runs, again->n_ranges);
	expect_range(again, "main coin:2", 5, 0, 3);
}

Test(merge, knows_siblings_whose_order_changes)
{
	const struct row one[] = {{"main", 1},     {"main a:1", 1}, {"main b:2", 1},
				  {"main c:3", 1}, {"main d:4", 1}, {0}};
	const struct row other[] = {{"main", 1},     {"main a:1", 1}, {"main c:3", 1},
				    {"main b:2", 1}, {"main d:4", 1}, {0}};
	const struct pe_cct *runs[] = {counting(one), counting(other)};
	struct pe_cct *cct = join_runs(runs, 2);
	const int shuffled = PE_CCT_UNSTABLE | PE_CCT_SHUFFLED;

	cr_expect(eq(int, cct->flags[at(cct, "main a:1")], 0));
	cr_expect(eq(int, cct->flags[at(cct, "main b:2")], shuffled));
	cr_expect(eq(int, cct->flags[at(cct, "main c:3")], shuffled));
	cr_expect(eq(int, cct->flags[at(cct, "main d:4")], 0));
}

/* What only samples know was in no counting run, and differs in none. */
Test(merge, later_counting_runs_leave_alone_what_samples_know)
{
	const struct row counts[] = {{"main", 1}, {"main a:1", 5}, {0}};
	const struct row samples[] = {{"main", 10}, {"main a:1", 20}, {"main a:1 main:9", 7}, {0}};
	const struct pe_cct *runs[] = {merge(counting(counts), sampled(samples), 370, NULL),
				       counting(counts)};
	struct pe_cct *cct = join_runs(runs, 2);

	cr_assert(eq(u32, cct->n, runs[0]->n));
	cr_expect(eq(u32, cct->n_ranges, 0));
	for (uint32_t i = 0; i < cct->n; i++)
		cr_expect(eq(u64, cct->self_ns[i], runs[0]->self_ns[i]));
}

Test(merge, finds_equal_runs_stable)
{
	struct pe_cct *unused, *cct;
	const struct pe_cct *runs[2];
	uint64_t *expected;

	runs[0] = simulate(7, &unused, &unused, &expected);
	runs[1] = simulate(7, &unused, &unused, &expected);
	cct = join_runs(runs, 2);
	cr_assert(eq(u32, cct->n, runs[0]->n));
	cr_assert(eq(u32, cct->n_ranges, 0));
	for (uint32_t i = 0; i < cct->n; i++)
		cr_assert(eq(int, cct->flags[i] & PE_CCT_UNSTABLE, 0));
	for (uint32_t i = 0; i < cct->n; i++)
		cr_assert(eq(u64, cct->calls[i], runs[0]->calls[i]));
}

/* The merge: times come onto the paths that were counted, all of them, and what found no path is said. */
#include "analysis/profile/merge.h"

#include "analysis/profile/merge_names.h"
#include "analysis/profile/samples.h"
#include "tests/support/cases.h"
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

/* The next name of a path "main f:3 g:4", and the line that it is called from; NULL at its end. */
static char *next_name(uint32_t *site, char **rest)
{
	char *word = strtok_r(*rest, " ", rest);
	char *colon = word != NULL ? strchr(word, ':') : NULL;

	*site = colon != NULL ? (uint32_t)strtoul(colon + 1, NULL, 10) : 0;
	if (colon != NULL)
		*colon = '\0';
	return word;
}

/* A path below a program. */
static uint32_t follow(struct pe_cct_builder *builder, const char *path, bool fold)
{
	uint32_t node = pe_cct_builder_child(builder, 0, program("prog"), 0), site;
	char copy[256], *rest = copy;

	snprintf(copy, sizeof(copy), "%s", path);
	for (char *word; (word = next_name(&site, &rest)) != NULL;)
		node = fold ? pe_cct_builder_fold(builder, node, method(word), site)
			    : pe_cct_builder_child(builder, node, method(word), site);
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
	uint32_t node = pe_cct_first(cct, 0), site;
	char copy[256], *rest = copy;

	snprintf(copy, sizeof(copy), "%s", path);
	for (char *word; (word = next_name(&site, &rest)) != NULL;) {
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

Test(merge, apportions_so_that_the_sum_is_exact)
{
	/* Of 100 the sums are 4.7, 6.3, 7.88, 9.08, 9.69 and 10. */
	const uint64_t votes[] = {47000, 16000, 15800, 12000, 6100, 3100};
	const uint64_t seats[] = {4, 2, 1, 2, 0, 1};
	const uint64_t none[] = {0, 0}, large[] = {UINT64_MAX / 2, UINT64_MAX / 2};
	uint64_t out[6];

	pe_merge_apportion(out, votes, 6, 10);
	for (int i = 0; i < 6; i++)
		cr_expect(eq(u64, out[i], seats[i]), "part %d", i);
	pe_merge_apportion(out, none, 2, 7);
	cr_expect_text("7 0", out[0], out[1]);
	pe_merge_apportion(out, large, 2, UINT64_MAX);
	cr_expect(eq(u64, out[0], UINT64_MAX / 2));
	cr_expect(eq(u64, out[1], UINT64_MAX / 2 + 1));
}

/* --- Cases (merges/) --- */

/* "main f:3 5, main g 1": a path, and how often. */
static struct pe_cct *read_tree(char *text, struct pe_cct *make(const struct row *rows))
{
	struct row rows[16] = {{0}};
	size_t n = 0;
	char *rest = NULL;

	for (char *one = strtok_r(text, ",", &rest); one != NULL;
	     one = strtok_r(NULL, ",", &rest)) {
		char *last;

		for (last = one + strlen(one); last > one && last[-1] == ' ';)
			*--last = '\0';
		last = strrchr(one, ' ');
		if (last == NULL)
			continue;
		rows[n++] = (struct row){one + strspn(one, " "), strtoull(last, NULL, 10)};
		*last = '\0';
	}
	return make(rows);
}

/* A line a node below the program: name, call site, calls, samples, own time, flags, and by what runs differ. */
static void say_tree(struct pe_text *out, const struct pe_cct *cct)
{
	static const struct {
		unsigned flag;
		const char *word;
	} flags[] = {{PE_CCT_FOLDED, "folded"},
		     {PE_CCT_UNCOUNTED, "uncounted"},
		     {PE_CCT_UNSTABLE, "unstable"},
		     {PE_CCT_SHUFFLED, "shuffled"},
		     {PE_CCT_SOMETIMES, "sometimes"}};

	for (uint32_t i = 2; i < cct->n; i++) {
		const struct pe_cct_range *range = pe_cct_range_of(cct, i);

		for (uint32_t up = cct->nodes[i].parent; up > 1; up = cct->nodes[up].parent)
			pe_text_add(out, "  ");
		pe_text_addf(out, "%s:%u", pe_cct_frame(cct, i)->name, cct->nodes[i].site);
		if (cct->calls != NULL)
			pe_text_addf(out, " c%u", (unsigned)cct->calls[i]);
		if (cct->self_ns != NULL)
			pe_text_addf(out, " s%u t%u", (unsigned)cct->samples[i],
				     (unsigned)cct->self_ns[i]);
		for (size_t f = 0; f < sizeof(flags) / sizeof(*flags); f++)
			if ((cct->flags[i] & flags[f].flag) != 0)
				pe_text_addf(out, " %s", flags[f].word);
		if (range != NULL)
			pe_text_addf(out, " in %u runs -%u +%u", range->runs,
				     (unsigned)range->less[PE_CCT_COUNT_CALLS],
				     (unsigned)range->more[PE_CCT_COUNT_CALLS]);
		pe_text_addc(out, '\n');
	}
}

static struct pe_cct *join_runs(const struct pe_cct *const *runs, uint32_t n)
{
	struct pe_merge_joint *joint = pe_merge_joint_new(runs[0]);

	for (uint32_t i = 1; i < n; i++)
		pe_merge_joint_add(joint, runs[i]);
	return pe_merge_joint_finish(joint, &arena);
}

/* Counts | samples, which are what took WORD nanoseconds; two counting runs of which WORD says "join"; samples "alone". */
static void read_case(struct pe_text *result, const char *word, const char *input, size_t n)
{
	char *left = pe_arena_strndup(&arena, input, n), *right = strchr(left, '|');
	struct pe_merge_stats stats = {0};
	struct pe_merge_opts opts = {0};
	const struct pe_cct *runs[2], *cct;

	if (right != NULL)
		*right++ = '\0';
	if (strcmp(word, "alone") == 0) {
		cct = pe_merge_samples_alone(read_tree(left, sampled), &opts, &arena);
	} else if (strcmp(word, "join") == 0) {
		runs[0] = read_tree(left, counting);
		runs[1] = read_tree(right, counting);
		cct = join_runs(runs, 2);
		pe_text_addf(result, "%u runs\n", cct->facts.counting_runs);
	} else {
		cct = merge(read_tree(left, counting), read_tree(right, sampled),
			    strtoull(word, NULL, 10), &stats);
		pe_text_addf(result, "%u samples, %u lost; %s, %u of them lost, %u ns of %u\n",
			     (unsigned)stats.samples, (unsigned)stats.lost, cct->facts.source,
			     (unsigned)cct->facts.samples_lost,
			     cct->total_ns != NULL ? (unsigned)cct->total_ns[0] : 0,
			     (unsigned)cct->facts.duration_ns);
	}
	say_tree(result, cct);
}

Test(merge, is_as_its_cases_say)
{
	cases_check("profile/merges", "cases", read_case);
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

	cr_expect_text("4 0", cct->self_ns[at(cct, "main a:1 b:2 c:3")], stats.lost);
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
		cr_expect(eq(u64, stats.lost, 0));
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

Test(merge, tells_waiting_apart_from_what_samples_can_see)
{
	const struct row samples[] = {{"main f:1", 3}, {"main g:1", 1}, {0}};
	struct pe_merge_opts opts = {.duration_ns = 1000, .waiting_ns = 600};
	struct pe_cct *cct = pe_merge_samples_alone(sampled(samples), &opts, &arena);
	double low, high;

	cr_expect_text("300 100 (waiting) 600 1000", cct->self_ns[at(cct, "main f:1")],
		       cct->self_ns[at(cct, "main g:1")], pe_cct_frame(cct, cct->n - 1)->name,
		       cct->waiting_ns, cct->total_ns[0]);
	cr_assert(pe_cct_self_interval(cct, at(cct, "main f:1"), 1.96, &low, &high));
	cr_expect(lt(dbl, low, 300));
	cr_expect(gt(dbl, high, 300));
	cr_expect(le(dbl, high, 400), "waiting is no part of what is sampled");
	opts.waiting_ns = 0;
	cct = pe_merge_samples_alone(sampled(samples), &opts, &arena);
	cr_expect_text("0 750", cct->waiting_ns, cct->self_ns[at(cct, "main f:1")]);
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

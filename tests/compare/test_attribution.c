/* Attribution: who made a difference; sums; and that order, scale and side make no difference. */
#include "analysis/compare/attribution.h"

#include "analysis/compare/zam.h"
#include "tests/support/cases.h"
#include "tests/support/random.h"
#include "tests/support/test.h"
#include "trees.h"

static struct pe_frames frames;
static struct pe_arena arena;
static struct pe_frame_change states[64];
static const struct pe_changes changes = {states, 64};

TestSuiteWith(attribution, (void)0, (pe_frames_release(&frames), pe_arena_release(&arena)),
	      .timeout = 600);

struct answer {
	struct pe_runs runs[2];
	struct pe_match match;
	struct pe_delta delta;
	struct pe_attribution report;
};

/* Of n trees of old and as many of new. */
static struct answer *attribute_runs(const struct pe_cct *const *trees, uint32_t n,
				     const struct pe_attribution_opts *opts)
{
	struct answer *answer = pe_arena_new(&arena, struct answer, 1);

	for (int side = 0; side < 2; side++)
		pe_runs_make(&answer->runs[side], &trees[n * (uint32_t)side], n, &arena);
	pe_match_make(&answer->match, answer->runs[0].cct, answer->runs[1].cct, NULL, &arena);
	pe_delta_make(&answer->delta, &answer->runs[0], &answer->runs[1], &answer->match, &arena);
	cr_assert(pe_attribution_make(&answer->report, &answer->delta, opts, &arena));
	return answer;
}

static struct answer *attribute(const struct pe_cct *const sides[2],
				const struct pe_attribution_opts *opts)
{
	return attribute_runs(sides, 1, opts);
}

static struct answer *explain(const char *old_text, const char *new_text)
{
	const struct pe_cct *const sides[2] = {tree(&frames, old_text, &arena),
					       tree(&frames, new_text, &arena)};

	return attribute(sides, &(struct pe_attribution_opts){.changes = &changes});
}

static void source(const char *name, enum pe_source_change change)
{
	states[pe_frames_add_method(&frames, name, "x.c")].source = (uint8_t)change;
}

/* "~hash =main +new -gone !same": modified, same, added, deleted, executed as before; "~line(why)": also recompiled, and why. */
static void read_sources(char *text)
{
	static const char signs[] = "=~+-^";
	static const enum pe_source_change changed[] = {PE_SOURCE_SAME, PE_SOURCE_MODIFIED,
							PE_SOURCE_ADDED, PE_SOURCE_DELETED,
							PE_SOURCE_SAME};
	char *rest = NULL;

	memset(states, 0, sizeof(states));
	for (char *one = strtok_r(text, ",", &rest); one != NULL;
	     one = strtok_r(NULL, ",", &rest)) {
		const char *sign = strchr(signs, *(one += strspn(one, " ")));
		char *why = strchr(one, '(');
		struct pe_frame_change *state;

		if (why != NULL)
			*why++ = '\0';
		state = &states[pe_frames_add_method(&frames, one + 1, "x.c")];
		state->source = (uint8_t)(sign != NULL ? changed[sign - signs] : PE_SOURCE_SAME);
		if (sign == NULL)
			state->executed = PE_EXECUTED_SAME;
		if (*one == '^')
			state->executed = PE_EXECUTED_MORE;
		if (why != NULL)
			state->code = PE_BINARY_RECOMPILED;
		if (why != NULL && *why != ')')
			state->reason = pe_arena_strndup(&arena, why, strcspn(why, ")"));
	}
}

static const char *name_of(uint32_t frame)
{
	return frame != PE_FRAME_NONE ? frames.at[frame].name : "-";
}

/* Sources | old tree | new tree: a line a cause, with its parts, and what is left of the difference. */
static void read_case(struct pe_text *result, const char *word, const char *input, size_t n)
{
	char *sources = pe_arena_strndup(&arena, input, n), *old_text = strchr(sources, '|'),
	     *new_text = strchr(old_text + 1, '|');
	const struct pe_attribution *report;

	(void)word;
	*old_text = *new_text = '\0';
	read_sources(sources);
	report = &explain(old_text + 1, new_text + 1)->report;
	for (uint32_t i = 0; i < report->n; i++) {
		const struct pe_cause *cause = &report->causes[i];

		pe_text_addf(result, "%s %s %s %lld%s, %u candidates", name_of(cause->frame),
			     pe_cause_kind_name(cause->kind), name_of(pe_cause_shows(cause)),
			     (long long)cause->amount, cause->probably ? " probably" : "",
			     cause->n_candidates);
		for (uint32_t k = 0; k < cause->n_parts; k++)
			pe_text_addf(
				result, "; %s %s for %s", pe_cause_kind_name(cause->parts[k].kind),
				name_of(cause->parts[k].frame), name_of(cause->parts[k].other));
		pe_text_addc(result, '\n');
	}
	pe_text_addf(result, "rest %lld of %lld", (long long)report->rest,
		     (long long)report->whole);
}

Test(attribution, is_as_its_cases_say)
{
	cases_check("compare/cases", "attribution", read_case);
}

/* ZAM's graph has the ways to where causes of more time show, and names who made them. */
Test(attribution, the_critical_graph_has_the_causes_of_the_verdict)
{
	struct answer *answer;
	struct pe_zam zam;

	source("page", PE_SOURCE_MODIFIED);
	source("main", PE_SOURCE_SAME);
	answer = explain("main:50{page:10{sum:100} read:400{sum:800}}",
			 "main:50{page:10{sum:300} read:300{sum:800}}");
	pe_zam_of_causes(&zam, &answer->delta, &answer->report, answer->report.least, &arena);
	cr_assert(eq(u32, zam.n, 3));
	cr_expect_str_eq(frames.at[zam.nodes[2].frame].name, "sum");
	cr_expect(zam.nodes[2].cause && !zam.nodes[1].cause);
	cr_expect_text("1 3 200", zam.nodes[2].blamed, zam.nodes[0].end,
		       zam.nodes[1].new_ns - zam.nodes[1].old_ns);
	cr_assert(eq(u32, zam.n_methods, 1));
	cr_expect(zam.methods[0].in_graph);
	/* Faster alone: the root. */
	answer = explain("main:50{page:10{sum:300}}", "main:50{page:10{sum:100}}");
	pe_zam_of_causes(&zam, &answer->delta, &answer->report, answer->report.least, &arena);
	cr_expect(zam.n == 1 && zam.causes == 0);
}

Test(attribution, what_noise_may_have_made_is_no_part_of_what_a_cause_does_now)
{
	const struct pe_cct *const runs[] = {
		tree(&frames, "main{hash*5:20000 send*5:9000}", &arena),
		tree(&frames, "main{hash*5:20000 send*5:3000}", &arena),
		tree(&frames, "main{hash*5:90000 send*5:9000}", &arena),
		tree(&frames, "main{hash*5:90000 send*5:11000}", &arena),
	};
	const struct pe_attribution_opts opts = {.changes = &changes};
	struct answer *answer;

	source("hash", PE_SOURCE_MODIFIED);
	source("main", PE_SOURCE_SAME);
	source("send", PE_SOURCE_SAME);
	answer = attribute_runs(runs, 2, &opts);
	cr_assert(eq(u32, answer->report.n, 1));
	cr_expect(eq(i64, answer->report.causes[0].amount + answer->report.rest,
		     answer->report.whole));
	cr_assert(eq(u32, answer->report.causes[0].n_parts, 1));
	cr_expect_str_eq(frames.at[answer->report.causes[0].parts[0].frame].name, "hash");
}

/* A host that executes the same lines executes other code of what was inlined into it. */
Test(attribution, what_was_inlined_into_a_recompiled_host_is_of_the_modified_method_in_it)
{
	const struct pe_cct *const sides[2] = {
		tree(&frames, "main{host:9{near:5000{slot:10} far:9000}}", &arena),
		tree(&frames, "main{host:9{near:5000{slot:10} far:4000}}", &arena)};
	struct pe_frame_count counts[64] = {0};
	const struct pe_function_changes functions = {.by_frame = counts, .n_frames = 64};
	const uint32_t host = pe_frames_add_method(&frames, "host", "x.c");
	char sources[] = "=main, !host(inlined slot changed), =near, ^far, ~slot()";

	for (int differs = 0; differs < 2; differs++) {
		struct answer *answer;

		counts[host].with_inlined = -5000 * differs;
		read_sources(pe_arena_strdup(&arena, sources));
		answer = attribute(sides, &(struct pe_attribution_opts){.changes = &changes,
									.functions = &functions});
		cr_assert(eq(u32, answer->report.n, 1));
		cr_expect_str_eq(name_of(answer->report.causes[0].frame), "slot");
		cr_expect(eq(int, answer->report.causes[0].probably, !differs));
	}
}

/* --- Properties --- */

enum { ROUNDS = 300, N_NODES = 24, NAMES = 9 };

/* A random tree and a changed copy: modified methods allocate otherwise, nodes come and go. */
static void make_pair(struct sketch sides[2], struct pe_random *random)
{
	sides[0] = sketch_random(&frames, random, N_NODES, NAMES, 2);
	for (uint32_t i = 0; i < sides[0].n; i++) {
		sides[0].at[i].allocations = 1 + pe_random_below(random, 1000);
		sides[0].at[i].site =
			i; /* no two siblings are alike: who is paired with whom is no chance */
	}
	sides[1] = sides[0];
	memset(states, 0, sizeof(states));
	for (uint32_t f = 0; f < frames.n && f < 64; f++)
		states[f].source =
			pe_random_below(random, 3) == 0 ? PE_SOURCE_MODIFIED : PE_SOURCE_SAME;
	for (uint32_t i = 1; i < sides[1].n; i++) {
		struct sketch_node *node = &sides[1].at[i];

		if (states[node->frame].source == PE_SOURCE_MODIFIED)
			node->allocations += pe_random_below(random, 500);
		if (pe_random_below(random, 5) == 0)
			node->calls += pe_random_below(random, 9);
	}
	for (int added = 0; added < 3 && sides[1].n < SKETCH_NODES; added++) {
		struct sketch_node node = sides[1].at[pe_random_below(random, sides[1].n)];

		node.parent = (uint32_t)pe_random_below(random, sides[1].n);
		node.order = 1e6 + added;
		node.site = 100 + (uint32_t)added;
		sides[1].at[sides[1].n++] = node;
	}
}

static struct answer *explain_pair(const struct sketch sides[2], bool swapped)
{
	const unsigned known = PE_CCT_CALLS | PE_CCT_SITES | PE_CCT_TIME | PE_CCT_ALLOCATIONS;
	const struct pe_cct *const trees[2] = {
		sketch_tree(&sides[swapped], &frames, known, NULL, &arena),
		sketch_tree(&sides[!swapped], &frames, known, NULL, &arena)};

	return attribute(trees, &(struct pe_attribution_opts){.changes = &changes,
							      .cost = PE_COST_ALLOCATIONS,
							      .top = 64});
}

/* What a method is charged with; 0: it is no cause. */
static int64_t amount_of(const struct answer *answer, const struct pe_cause *like)
{
	for (uint32_t i = 0; i < answer->report.n; i++)
		if (answer->report.causes[i].frame == like->frame &&
		    (answer->report.causes[i].kind == PE_CAUSE_UNKNOWN) ==
			    (like->kind == PE_CAUSE_UNKNOWN))
			return answer->report.causes[i].amount;
	return 0;
}

Test(attribution, each_node_is_in_one_bundle_and_the_sum_is_the_whole)
{
	struct pe_random random = random_of(36);

	for (int round = 0; round < ROUNDS; round++) {
		struct sketch sides[2];
		struct answer *answer;
		int64_t sums[64 + 1] = {0}, causes = 0, rest = 0;

		make_pair(sides, &random);
		answer = explain_pair(sides, false);
		for (uint32_t i = 0; i < answer->delta.n; i++) {
			cr_assert(le(u32, answer->report.cause_of[i], answer->report.n));
			sums[answer->report.cause_of[i]] += pe_delta_difference(
				pe_delta_values(&answer->delta, i, PE_DELTA_ALLOCATIONS));
		}
		for (uint32_t c = 0; c < answer->report.n; c++) {
			const struct pe_cause *cause = &answer->report.causes[c];

			cr_assert(eq(i64, sums[c + 1], cause->amount), "round %d", round);
			cr_assert(gt(dbl, cause->parts[0].amount * (double)cause->amount, 0));
			causes += answer->report.causes[c].amount;
		}
		rest = answer->report.whole - causes;
		cr_assert(eq(i64, rest, answer->report.rest));
		cr_assert(eq(i64, rest, sums[0]));
	}
}

/* Runs of a side: each node's time by chance, about what the sketch says. */
static void make_runs(const struct pe_cct **out, uint32_t n, const struct sketch *sketch,
		      struct pe_random *random)
{
	for (uint32_t r = 0; r < n; r++) {
		struct sketch run = *sketch;

		for (uint32_t i = 0; i < run.n; i++)
			run.at[i].self_ns =
				run.at[i].self_ns * 1000 + pe_random_below(random, 5000);
		out[r] = sketch_tree(&run, &frames, PE_CCT_CALLS | PE_CCT_SITES | PE_CCT_TIME, NULL,
				     &arena);
	}
}

Test(attribution, only_another_decided_cause_lets_one_have_more_than_all)
{
	enum { RUNS = 4 };
	struct pe_random random = random_of(111);
	uint32_t alone = 0, cancelled = 0;

	for (int round = 0; round < ROUNDS; round++) {
		const struct pe_cct *trees[2 * RUNS];
		const struct pe_attribution *report;
		struct sketch sides[2];
		double sum = 0;
		bool one_sign = true;

		make_pair(sides, &random);
		for (uint32_t i = 1; i < sides[1].n; i++)
			if (states[sides[1].at[i].frame].source == PE_SOURCE_MODIFIED)
				sides[1].at[i].self_ns += 20 + pe_random_below(&random, 20);
		for (int side = 0; side < 2; side++)
			make_runs(&trees[RUNS * side], RUNS, &sides[side], &random);
		report = &attribute_runs(trees, RUNS,
					 &(struct pe_attribution_opts){
						 .changes = &changes, .min_share = 1e-9, .top = 64})
				  ->report;
		for (uint32_t c = 0; c < report->n; c++) {
			one_sign =
				one_sign && (report->causes[c].amount > 0) == (report->whole > 0);
			sum += report->causes[c].share;
			cr_assert(gt(dbl,
				     report->causes[c].parts[0].amount *
					     (double)report->causes[c].amount,
				     0));
		}
		cancelled += report->n > 0 && (report->rest > 0) != (report->whole > 0);
		if (!one_sign || report->small > 0)
			continue;
		alone += report->n > 0;
		cr_assert(le(dbl, sum, 1 + 1e-9), "round %d", round);
	}
	cr_expect(gt(u32, alone, 0) && gt(u32, cancelled, 0));
}

Test(attribution, both_sides_swapped_turn_all_signs)
{
	struct pe_random random = random_of(37);

	for (int round = 0; round < ROUNDS; round++) {
		struct sketch sides[2];
		struct answer *answer, *mirror;

		make_pair(sides, &random);
		answer = explain_pair(sides, false);
		mirror = explain_pair(sides, true);
		cr_assert(eq(u32, answer->report.n, mirror->report.n), "round %d", round);
		for (uint32_t c = 0; c < answer->report.n; c++)
			cr_assert(eq(i64, answer->report.causes[c].amount,
				     -amount_of(mirror, &answer->report.causes[c])),
				  "round %d", round);
	}
}

/* The numbers of frames depend on which tree was read first: a comparison that is printed from the store has others. */
Test(attribution, frames_in_another_order_make_no_difference)
{
	struct pe_random random = random_of(41);

	for (int round = 0; round < ROUNDS; round++) {
		struct sketch sides[2];
		struct pe_frames others = PE_FRAMES_INIT;
		const struct pe_cct *trees[2];
		struct answer *answer, *other;
		static struct pe_frame_change reversed[64];
		const struct pe_changes their_changes = {reversed, 64};

		make_pair(sides, &random);
		for (int side = 0; side < 2; side++)
			for (uint32_t i = 0; i < sides[side].n; i++)
				sides[side].at[i].site =
					0; /* siblings are alike: ties have to be broken */
		answer = explain_pair(sides, false);
		for (uint32_t f = frames.n; f-- > 0;)
			reversed[pe_frames_add(&others, &frames.at[f])] = states[f];
		for (int side = 0; side < 2; side++) {
			for (uint32_t i = 0; i < sides[side].n; i++)
				sides[side].at[i].frame = frames.n - 1 - sides[side].at[i].frame;
			trees[side] = sketch_tree(&sides[side], &others,
						  PE_CCT_CALLS | PE_CCT_SITES | PE_CCT_TIME |
							  PE_CCT_ALLOCATIONS,
						  NULL, &arena);
		}
		other = attribute(trees, &(struct pe_attribution_opts){.changes = &their_changes,
								       .cost = PE_COST_ALLOCATIONS,
								       .top = 64});
		cr_assert(eq(u32, answer->report.n, other->report.n), "round %d", round);
		for (uint32_t c = 0; c < answer->report.n; c++) {
			const struct pe_cause *a = &answer->report.causes[c],
					      *b = &other->report.causes[c];

			cr_assert(eq(i64, a->amount, b->amount), "round %d", round);
			cr_assert_eq(a->frame == PE_FRAME_NONE, b->frame == PE_FRAME_NONE);
			if (a->frame != PE_FRAME_NONE)
				cr_assert_str_eq(frames.at[a->frame].name,
						 others.at[b->frame].name);
		}
		pe_frames_release(&others);
	}
}

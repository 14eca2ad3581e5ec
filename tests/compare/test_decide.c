/* Decisions: which methods changed for sure, and what deciding the others takes. */
#include "analysis/compare/decide.h"

#include "analysis/compare/parcs.h"
#include "analysis/compare/spread.h"
#include "analysis/compare/zam.h"
#include "core/base/random.h"
#include "trees.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <math.h>
#include <string.h>

enum { METHODS = 50, EACH_NS = 1000000 };

static struct pe_frames frames;
static struct pe_arena arena;
static struct pe_frame_change states[64];
static int new_calls = 7; /* of the first method */
static const struct pe_changes changes = {states, 64};

static void release(void)
{
	pe_frames_release(&frames);
	pe_arena_release(&arena);
	memset(states, 0, sizeof(states));
	new_calls = 7;
}

TestSuite(decide, .fini = release, .timeout = 600);

/* About normal: the sum of twelve less its mean. */
static double normal(struct pe_random *random)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += pe_random_unit(random);
	return sum;
}

/* A program of equal methods, each sampled `samples` times in the mean; `extra` more in the first one. */
static struct pe_cct *profile(struct pe_random *random, double samples, double extra, int calls)
{
	const char *text = "main{";
	struct pe_cct *cct;
	uint64_t sum = 0;

	for (int m = 0; m < METHODS; m++) {
		double mean = samples + (m == 0 ? extra : 0);
		double drawn = fmax(0, round(mean + sqrt(mean) * normal(random)));

		sum += (uint64_t)drawn;
		text = pe_arena_printf(&arena, "%sf%d*%d:%llu ", text, m, m == 0 ? calls : 7,
				       (unsigned long long)drawn * EACH_NS);
	}
	cct = tree(&frames, pe_arena_printf(&arena, "%s}", text), &arena);
	cct->facts.samples = sum;
	cct->facts.interval_ns = EACH_NS;
	cct->facts.duration_ns = cct->total_ns[0];
	return cct;
}

struct decided {
	struct pe_runs runs[2];
	struct pe_match match;
	struct pe_delta delta;
	struct pe_decomposition decomposition;
	struct pe_decisions decisions;
};

/* Two halves of a sampling each. */
static struct decided *decide(uint64_t seed, double samples, double extra, double least)
{
	struct decided *out = pe_arena_new(&arena, struct decided, 1);
	struct pe_random random;
	const struct pe_decide_opts opts = {.changes = &changes, .least = least};

	pe_random_seed(&random, seed);
	for (int side = 0; side < 2; side++) {
		const struct pe_cct **at = pe_arena_new(&arena, const struct pe_cct *, 2);

		for (int half = 0; half < 2; half++)
			at[half] = profile(&random, samples, side == 1 ? extra : 0,
					   side == 1 ? new_calls : 7);
		pe_runs_make(&out->runs[side], at, 2, &arena);
	}
	pe_match_make(&out->match, out->runs[0].cct, out->runs[1].cct, NULL, &arena);
	pe_delta_make(&out->delta, &out->runs[0], &out->runs[1], &out->match, &arena);
	pe_delta_decompose(&out->decomposition, &out->delta, &arena);
	pe_decisions_make(&out->decisions, &out->delta, &out->decomposition, &opts, &arena);
	return out;
}

static uint32_t frame_of(const char *name)
{
	for (uint32_t f = 0; f < frames.n; f++)
		if (strcmp(frames.at[f].name, name) == 0)
			return f;
	cr_fatal("no %s", name);
}

Test(decide, of_methods_that_are_what_they_were_hardly_one_is_called_changed)
{
	uint32_t called = 0;

	for (uint64_t seed = 1; seed <= 200; seed++)
		called += decide(seed, 100, 0, 0)->decisions.n_timed > 0;
	/* The rate is 1 %; each method tested by itself at three standard errors would be 25. */
	cr_expect(le(u32, called, 6));
}

/* By chance all fifty weigh another share; fifty times two percent are the methods that did not change. */
Test(decide, the_stages_put_no_time_down_to_what_is_the_same)
{
	struct decided *it = decide(1, 100, 100, 0.05);
	struct pe_parcs_opts opts = {.changes = &changes, .threshold = 0.9999};
	struct pe_parcs parcs;
	const struct pe_parcs_overlap *time = &parcs.weights[PE_PARCS_TIME];
	uint32_t same = 0;

	cr_assert(eq(u32, it->decisions.n_timed, 1));
	cr_assert(eq(u32, it->decisions.n_same, METHODS));
	pe_parcs_make(&parcs, &it->runs[0], &it->runs[1], &opts, &arena);
	for (uint32_t i = 0; i < time->n_pairs; i++) {
		uint32_t frame = it->runs[1].cct->nodes[time->pairs[i].new_node].frame;

		same += frame != frame_of("main") && pe_decisions_deny(&it->decisions, frame, 1);
	}
	cr_expect(gt(u32, same, 0), "else nothing is tested");
	opts.decisions = &it->decisions;
	pe_parcs_make(&parcs, &it->runs[0], &it->runs[1], &opts, &arena);
	cr_expect(gt(u32, time->unchanged, METHODS / 2));
	cr_assert(gt(u32, time->n_pairs, 0));
	for (uint32_t i = 0; i < time->n_pairs; i++) {
		uint32_t node = time->pairs[i].new_node;

		cr_expect(node <= 1 || it->runs[1].cct->nodes[node].frame == frame_of("f0"));
	}
}

Test(decide, exact_counts_decide_whatever_the_samples_say)
{
	struct decided *it;
	const struct pe_decision *one;

	decide(1, 100, 0, 0);
	states[frame_of("f0")].executed = PE_EXECUTED_FEWER;
	states[frame_of("f1")].executed = PE_EXECUTED_SAME;
	it = decide(1, 100, 0, 0);
	one = pe_decisions_of(&it->decisions, frame_of("f0"));
	cr_expect(one->what == PE_DECIDED_LESS && one->counted);
	cr_expect(eq(u32, it->decisions.n_counted, 1));
	cr_expect(it->decisions.at[0].frame == one->frame, "they come first");
	one = pe_decisions_of(&it->decisions, frame_of("f1"));
	cr_expect(one->what == PE_DECIDED_SAME && one->counted);
}

/* Called 8 times instead of 7, it executes a seventh more: what is beyond that was done to it. */
Test(decide, what_follows_from_more_calls_is_not_what_was_done_to_a_method)
{
	struct pe_function_change change = {.name = "f0",
					    .signature = "",
					    .component = "",
					    .old_most = 700,
					    .new_most = 800,
					    .amount = 100,
					    .exact = true};
	struct pe_function_changes functions = {.at = &change,
						.n = 1,
						.old_whole = 1000 * METHODS,
						.new_whole = 1000 * METHODS + 100};
	const struct pe_decide_opts how = {.changes = &changes, .functions = &functions};
	const struct pe_decision *one;
	struct decided *it;

	new_calls = 8;
	it = decide(1, 100, 0, 0.005);
	pe_functions_join(&functions, it->delta.frames, NULL, NULL, &arena);
	states[change.frame].executed = PE_EXECUTED_MORE;
	pe_decisions_make(&it->decisions, &it->delta, &it->decomposition, &how, &arena);
	one = pe_decisions_of(&it->decisions, change.frame);
	cr_expect(one->counted && !one->steady);
	cr_expect(epsilon_eq(dbl, one->worth_ns, 0, 1));
	cr_expect(eq(int, (int)pe_decision_is_worth(one, it->decisions.counted_ns), 0));
	change.new_most = 1500;
	change.amount = 800;
	pe_functions_join(&functions, it->delta.frames, NULL, NULL, &arena);
	pe_decisions_make(&it->decisions, &it->delta, &it->decomposition, &how, &arena);
	one = pe_decisions_of(&it->decisions, change.frame);
	cr_expect(pe_decision_is_worth(one, it->decisions.counted_ns));
	/* 700 of 700 instructions: as long as it took. */
	cr_expect(epsilon_eq(dbl, one->worth_ns, one->old_ns, 1));
}

/* f1 was inlined into f0, and has memcpy() copy more: both are its doing, and no sample is wanted for it. */
Test(decide, what_a_method_is_charged_with_is_its_own_wherever_it_is_executed)
{
	struct pe_function_change at[] = {
		{.name = "f0",
		 .signature = "",
		 .component = "",
		 .old_most = 2000,
		 .new_most = 2600,
		 .amount = 600,
		 .exact = true},
		{.name = "memcpy",
		 .signature = "",
		 .component = "",
		 .old_most = 500,
		 .new_most = 900,
		 .amount = 400,
		 .exact = true},
	};
	struct pe_function_changes functions = {
		.at = at, .n = 2, .old_whole = 1000 * METHODS, .new_whole = 1000 * METHODS + 1000};
	struct pe_charge of[] = {{"f0", "", "", 1000, 1000}, {"f1", "", "", 1500, 2500}};
	const struct pe_charges charges = {of, 2};
	struct decided *it = decide(1, 100, 0, 0.005);
	const struct pe_decide_opts how = {.changes = &changes, .functions = &functions};
	const struct pe_decision *one;

	states[frame_of("f0")].source = PE_SOURCE_SAME;
	states[frame_of("f1")] = (struct pe_frame_change){.source = PE_SOURCE_MODIFIED};
	pe_functions_join(&functions, it->delta.frames, &charges, NULL, &arena);
	for (uint32_t f = 0; f < functions.n_frames; f++)
		states[f].executed = (uint8_t)functions.by_frame[f].executed;
	cr_expect(eq(int, (int)states[frame_of("f0")].executed, PE_EXECUTED_SAME));
	pe_decisions_make(&it->decisions, &it->delta, &it->decomposition, &how, &arena);
	one = pe_decisions_of(&it->decisions, frame_of("f1"));
	cr_expect(one->counted && one->what == PE_DECIDED_MORE);
	cr_expect(eq(i64, one->instructions, 1000));
	cr_expect(pe_decision_is_worth(one, it->decisions.counted_ns));
	cr_expect(eq(dbl, it->decisions.unplaced_ns, 0));
	/* Counts that vary by more than a charge of one run a side say nothing of it. */
	at[1].amount = 0;
	at[1].exact = false;
	at[1].old_least = 0;
	at[1].new_most = 1200;
	functions.n = functions.n_varying = 1;
	pe_functions_join(&functions, it->delta.frames, &charges, NULL, &arena);
	cr_expect(eq(int, functions.by_frame[frame_of("f1")].executed, PE_EXECUTED_UNKNOWN));
}

/* No sample found it: the graph has it all the same, with the way to it, as the verdict has. */
Test(decide, the_graph_has_what_counts_decide)
{
	struct pe_function_change change = {.name = "f0",
					    .signature = "",
					    .component = "",
					    .old_most = 1000,
					    .new_most = 1600,
					    .amount = 600,
					    .exact = true};
	struct pe_function_changes functions = {.at = &change,
						.n = 1,
						.old_whole = 1000 * METHODS,
						.new_whole = 1000 * METHODS + 600};
	struct decided *it = decide(1, 100, 0, 0.005);
	const struct pe_decide_opts how = {.changes = &changes, .functions = &functions};
	struct pe_zam_opts opts = PE_ZAM_DEFAULTS;
	struct pe_zam zam;
	uint32_t causes = 0;

	pe_functions_join(&functions, it->delta.frames, NULL, NULL, &arena);
	states[change.frame] = (struct pe_frame_change){.source = PE_SOURCE_MODIFIED,
							.executed = PE_EXECUTED_MORE};
	pe_decisions_make(&it->decisions, &it->delta, &it->decomposition, &how, &arena);
	opts.changes = &changes;
	opts.decisions = &it->decisions;
	cr_assert(eq(int,
		     pe_zam_make(&zam, &it->delta.old_runs->cct, &it->delta.new_runs->cct, 1, &opts,
				 &arena, NULL),
		     PE_OK));
	for (uint32_t i = 0; i < zam.n; i++) {
		if (!zam.nodes[i].cause)
			continue;
		causes++;
		cr_expect(eq(u32, zam.nodes[i].frame, change.frame));
		cr_expect(eq(u32, zam.nodes[i].blamed, i));
		cr_expect(gt(dbl, zam.nodes[i].new_ns, zam.nodes[i].old_ns));
		cr_expect(eq(u32, zam.nodes[zam.nodes[i].parent].frame, frame_of("main")));
	}
	cr_expect(eq(u32, causes, 1));
}

/* 100 samples of a method say ±14 or so of them; 1 % of the execution is 50. */
Test(decide, samples_that_are_asked_for_are_enough)
{
	struct decided *few = decide(3, 100, 0, 0.005), *enough;
	uint32_t found = 0;

	cr_expect(gt(u32, few->decisions.n_open, 0));
	cr_expect(eq(u32, few->decisions.n_never, 0));
	cr_expect(gt(dbl, few->decisions.times, 1));
	cr_expect(lt(dbl,
		     fabs(few->decisions.more_ns /
				  ((few->decisions.times - 1) * 4 * 100 * METHODS * EACH_NS) -
			  1),
		     0.05));
	for (uint64_t seed = 1; seed <= 50; seed++) {
		double samples = 100 * few->decisions.times;

		enough = decide(seed, samples, 0.005 * METHODS * samples, 0.005);
		found += pe_decisions_of(&enough->decisions, frame_of("f0"))->what ==
			 PE_DECIDED_MORE;
	}
	cr_expect(ge(u32, found, 42)); /* nine of ten */
}

/* Of three times as many samples in the second one, its times count three times as much. */
Test(decide, samplings_are_pooled_by_their_samples)
{
	struct pe_cct *a = tree(&frames, "main{f*7:1000 g*2:3000}", &arena);
	struct pe_cct *b = tree(&frames, "main{f*7:2000 g*2:2000 h*0:400}", &arena);
	struct pe_cct *pooled;

	a->facts.samples = 10;
	b->facts.samples = 30;
	pooled = pe_tree_pooled(a, b, &arena);
	cr_assert(eq(u32, pooled->n, 4));
	cr_expect(eq(u64, pooled->facts.samples, 40));
	cr_expect(eq(u64, pooled->self_ns[tree_find(pooled, "/main/f")], 1750));
	cr_expect(eq(u64, pooled->calls[tree_find(pooled, "/main/f")], 7), "not twice");
	cr_expect(eq(u64, pooled->self_ns[tree_find(pooled, "/main/h")], 300));
}

Test(decide, what_no_samples_decide_is_not_promised)
{
	struct decided *it = decide(3, 100, 0, 0.005);
	const struct pe_decide_opts opts = {.changes = &changes, .least = 0.005};

	/* Each method is 2 % of the execution, of whose ratio a fifth is not known. */
	it->runs[1].scale_error = 0.2;
	pe_decisions_make(&it->decisions, &it->delta, &it->decomposition, &opts, &arena);
	cr_expect(eq(u32, it->decisions.n_never, METHODS));
	cr_expect(eq(dbl, it->decisions.more_ns, 0));
}

Test(decide, what_some_contexts_showed_is_undecided_no_longer)
{
	struct decided *it = decide(3, 100, 0, 0.005);
	uint32_t open = it->decisions.n_open, frame = it->decisions.at[0].frame;

	cr_assert(gt(u32, open, 0));
	pe_decisions_settle(&it->decisions, frame, -1);
	pe_decisions_settle(&it->decisions, frame, 1);
	cr_expect(eq(u32, it->decisions.n_open, open - 1));
	cr_expect(pe_decisions_of(&it->decisions, frame)->what == PE_DECIDED_LESS);
}

Test(decide, without_times_there_is_nothing)
{
	struct decided *it = decide(3, 100, 0, 0);
	const struct pe_decide_opts opts = {.changes = &changes};

	it->decomposition.known[PE_COST_TIME] = false;
	pe_decisions_make(&it->decisions, &it->delta, &it->decomposition, &opts, &arena);
	cr_expect(it->decisions.at == NULL);
	cr_expect(pe_decisions_of(&it->decisions, 0) == NULL);
}

/* ZAM: the critical graph, on the paper's running example and by its definitions. */
#include "analysis/compare/zam.h"

#include "analysis/profile/tree.h"
#include "analysis/profile/merge.h"
#include "core/base/text.h"
#include "tests/support/cases.h"
#include "tests/support/random.h"
#include "tests/support/test.h"
#include "trees.h"

static struct pe_frames frames;
static struct pe_arena arena;

TestSuiteWith(zam, (void)0, (pe_frames_release(&frames), pe_arena_release(&arena)), .timeout = 600);

static struct pe_zam compare(const char *const *olds, const char *const *news, uint32_t n,
			     uint64_t min_ns)
{
	const struct pe_cct **a = pe_arena_new(&arena, const struct pe_cct *, n);
	const struct pe_cct **b = pe_arena_new(&arena, const struct pe_cct *, n);
	struct pe_zam_opts opts = PE_ZAM_DEFAULTS;
	struct pe_err err = PE_ERR_INIT;
	struct pe_zam zam;

	opts.min_ns = min_ns;
	for (uint32_t i = 0; i < n; i++) {
		a[i] = tree(&frames, olds[i], &arena);
		b[i] = tree(&frames, news[i], &arena);
	}
	cr_assert(eq(int, pe_zam_make(&zam, a, b, n, &opts, &arena, &err), PE_OK));
	return zam;
}

/* A tree where "idle" is waiting and "gc" the garbage collector; of samples, whose order is chance. */
static const struct pe_cct *timeline(const char *text)
{
	struct pe_cct *cct = tree(&frames, text, &arena);

	cct->calls = NULL;
	cct->known &= ~(unsigned)PE_CCT_CALLS;
	for (uint32_t i = 0; i < cct->n; i++) {
		const char *name = pe_cct_frame(cct, i)->name;
		struct pe_frame waiting = {.name = "(waiting)", .kind = PE_FRAME_WAITING};

		if (strcmp(name, "idle") == 0)
			cct->nodes[i].frame = pe_frames_add(&frames, &waiting);
		else if (strcmp(name, "gc") == 0)
			cct->nodes[i].frame =
				pe_frames_add_method(&frames, "(garbage collector)", "");
	}
	pe_cct_sum(cct);
	return cct;
}

static struct pe_zam compare_timelines(const char *old_text, const char *new_text, uint64_t min_ns)
{
	const struct pe_cct *a = timeline(old_text), *b = timeline(new_text);
	struct pe_zam_opts opts = PE_ZAM_DEFAULTS;
	struct pe_err err = PE_ERR_INIT;
	struct pe_zam zam;

	opts.min_ns = min_ns;
	cr_assert(eq(int, pe_zam_make(&zam, &a, &b, 1, &opts, &arena, &err), PE_OK));
	return zam;
}

static void draw(struct pe_text *out, const struct pe_zam *zam, uint32_t node)
{
	uint32_t end = zam->nodes[node].end;

	pe_text_addf(out, "%s%s%s", zam->nodes[node].added ? "+" : "",
		     frames.at[zam->nodes[node].frame].name, zam->nodes[node].cause ? "!" : "");
	if (end == node + 1)
		return;
	pe_text_add(out, "{");
	for (uint32_t c = node + 1; c < end; c = zam->nodes[c].end) {
		draw(out, zam, c);
		if (zam->nodes[c].end < end)
			pe_text_add(out, " ");
	}
	pe_text_add(out, "}");
}

static void expect_graph(const struct pe_zam *zam, const char *expected)
{
	pe_auto_text text = PE_TEXT_INIT;

	draw(&text, zam, 0);
	cr_expect_str_eq(pe_text_str(&text), expected, "%s", pe_text_str(&text));
}

/*
 * Figure 1, in ms: four tasks of which hover is gone in the new timeline and two have changed places.
 * queryRenderedFeatures went up by 130, d and layer by about 70 each, since layer calls utf now, which
 * takes 70. f, b, d are of one letter, and pruned as in figure 3.
 */
static const char FIGURE_1_OLD[] =
	"root{evHandler:30{a:10} queryRenderedFeatures:10{f:4{rendered:10{query:20{layer:30 "
	"d:20{layer:30}}}} b:12} hover:25{c:3} promiseHandler:40{e:9}}";
static const char FIGURE_1_NEW[] =
	"root{promiseHandler:42{e:9} "
	"queryRenderedFeatures:10{f:4{rendered:10{query:15{layer:29{utf:70}"
	" d:20{layer:28{utf:70}}}}} b:10} evHandler:33{a:10}}";

Test(zam, the_running_example_ends_at_utf)
{
	const char *olds[] = {FIGURE_1_OLD}, *news[] = {FIGURE_1_NEW};
	struct pe_zam zam = compare(olds, news, 1, 50);

	/* Figure 4's path; d was pruned, so that both layers hang below query. */
	expect_graph(&zam,
		     "root{queryRenderedFeatures{rendered{query{layer{+utf!} layer{+utf!}}}}}");
	cr_expect(eq(u32, zam.causes, 2));
	cr_expect(eq(dbl, zam.nodes[1].new_ns - zam.nodes[1].old_ns, 130));
}

/* --- Cases --- */

/* Of a node with all below it: by how much it takes longer, and how much longer it waits, where it does. */
static void say_graph(struct pe_text *out, const struct pe_zam *zam)
{
	draw(out, zam, 0);
	pe_text_addf(out, "\n%u causes", zam->causes);
	for (uint32_t i = 0; i < zam->n; i++) {
		const struct pe_zam_node *node = &zam->nodes[i];

		pe_text_addf(out, ", %s %g", frames.at[node->frame].name,
			     node->new_ns - node->old_ns);
		if (node->old_waiting_ns != 0 || node->new_waiting_ns != 0)
			pe_text_addf(out, " (waits %g, then %g)", node->old_waiting_ns,
				     node->new_waiting_ns);
	}
}

/* Old tree | new tree, of samples; mu is 50. */
static void read_case(struct pe_text *result, const char *word, const char *input, size_t n)
{
	char *old_text = pe_arena_strndup(&arena, input, n), *new_text = strchr(old_text, '|');
	struct pe_zam zam;

	(void)word;
	*new_text++ = '\0';
	zam = compare_timelines(old_text, new_text, 50);
	say_graph(result, &zam);
}

Test(zam, is_as_its_cases_say)
{
	cases_check("compare/cases", "zam", read_case);
}

/* On a busy machine a little of each call sums up above them: what one method does by itself is less noisy. */
Test(zam, own_times_have_a_mu_of_their_own)
{
	const struct pe_cct *olds[] = {timeline("r{main{aa:500 bb:500 cc:500 dd:500 slow:10}}"),
				       timeline("r{main{aa:560 bb:560 cc:560 dd:560 slow:12}}")};
	const struct pe_cct *news[] = {timeline("r{main{aa:510 bb:490 cc:520 dd:500 slow:160}}"),
				       timeline("r{main{aa:550 bb:545 cc:560 dd:555 slow:165}}")};
	struct pe_err err = PE_ERR_INIT;
	struct pe_zam zam;

	cr_assert(eq(int, pe_zam_make(&zam, olds, news, 2, NULL, &arena, &err), PE_OK));
	cr_expect(eq(u64, zam.min_ns, 242), "main between both old runs");
	cr_expect(eq(u64, zam.min_own_ns, 60), "aa between both old runs");
	expect_graph(&zam, "r{main{slow!}}");
	cr_assert(eq(u32, zam.n_methods, 1));
	cr_expect_str_eq(frames.at[zam.methods[0].frame].name, "slow");
	/* The old runs in other pairs with each other have no cause. */
	news[0] = olds[1];
	news[1] = olds[0];
	cr_assert(eq(int, pe_zam_make(&zam, olds, news, 2, NULL, &arena, &err), PE_OK));
	cr_expect(eq(u32, zam.causes, 0));
}

static bool repeats_on_path(const struct pe_cct *cct)
{
	for (uint32_t i = 1; i < cct->n; i++)
		for (uint32_t k = cct->nodes[i].parent; k != PE_CCT_NONE; k = cct->nodes[k].parent)
			if (cct->nodes[k].frame == cct->nodes[i].frame)
				return true;
	return false;
}

/* Whether a call that is new somewhere was called elsewhere before. */
static bool may_have_moved(const struct pe_match *match)
{
	for (uint32_t j = 0; j < match->new_cct->n; j++)
		for (uint32_t i = 0; match->to_old[j] == PE_CCT_NONE && i < match->old_cct->n; i++)
			if (match->old_cct->nodes[i].frame == match->new_cct->nodes[j].frame)
				return true;
	return false;
}

/* Definition 2, checked node by node on the trees themselves, where nothing moved and nothing recurs. */
Test(zam, leaves_are_the_lowest_that_got_slower)
{
	struct pe_random random = random_of(32);
	uint32_t checked = 0;

	for (int i = 0; i < 20000; i++) {
		struct sketch one = sketch_random(&frames, &random,
						  1 + (uint32_t)pe_random_below(&random, 20), 5, 0);
		struct sketch other = sketch_random(
			&frames, &random, 1 + (uint32_t)pe_random_below(&random, 20), 5, 0);
		const struct pe_cct *a =
			sketch_tree(&one, &frames, PE_CCT_TIME | PE_CCT_CALLS, NULL, &arena);
		const struct pe_cct *b =
			sketch_tree(&other, &frames, PE_CCT_TIME | PE_CCT_CALLS, NULL, &arena);
		struct pe_zam_opts opts = {.match.rule = PE_MATCH_HYBRID,
					   .min_ns = 1 + pe_random_below(&random, 80),
					   .keep_nameless = true};
		struct pe_err err = PE_ERR_INIT;
		uint32_t causes = 0;
		struct pe_match match;
		struct pe_zam zam;

		pe_match_make(&match, a, b, &opts.match, &arena);
		if (repeats_on_path(a) || repeats_on_path(b) || may_have_moved(&match)) {
			pe_arena_release(&arena);
			continue;
		}
		checked++;
		for (uint32_t j = 1; j < b->n; j++) {
			bool lowest = true;

			for (uint32_t k = j; k != 0; k = b->nodes[k].parent) {
				uint32_t partner = match.to_old[k];
				uint64_t before = partner != PE_CCT_NONE ? a->total_ns[partner] : 0;

				lowest = lowest && b->total_ns[k] >= before + opts.min_ns &&
					 (k == j || partner != PE_CCT_NONE);
			}
			for (uint32_t c = j + 1; c < b->nodes[j].end; c = b->nodes[c].end) {
				uint32_t partner = match.to_old[c];
				uint64_t before = partner != PE_CCT_NONE ? a->total_ns[partner] : 0;

				if (match.to_old[j] != PE_CCT_NONE)
					lowest = lowest && b->total_ns[c] < before + opts.min_ns;
			}
			causes += lowest;
		}
		cr_assert(eq(int, pe_zam_make(&zam, &a, &b, 1, &opts, &arena, &err), PE_OK));
		cr_assert(eq(u32, zam.causes, causes), "case %d", i);
		pe_arena_release(&arena);
	}
	cr_expect(gt(u32, checked, 400), "%u", checked);
}

Test(zam, what_is_no_call_is_told_apart)
{
	struct pe_zam zam = compare_timelines("r{main{parse:100} idle:50 gc:20}",
					      "r{main{parse:160} idle:950 gc:220}", 50);

	expect_graph(&zam, "r{main{parse!}}");
	cr_expect_text("50 950 20 220", zam.old_rest.waiting_ns, zam.new_rest.waiting_ns,
		       zam.old_rest.engine_ns, zam.new_rest.engine_ns);
	cr_expect(eq(dbl, zam.nodes[0].new_ns, 160 + 950 + 220), "the whole is the whole");
	/* mu is 1 % of the calls, not of the waiting. */
	zam = compare_timelines("r{main{parse:1000} idle:90000}", "r{main{parse:1020} idle:90000}",
				0);
	cr_expect(eq(u64, zam.min_ns, 10));
	expect_graph(&zam, "r{main{parse!}}");
}

Test(zam, profiles_without_times_are_refused)
{
	struct pe_cct *a = tree(&frames, "r{a:1}", &arena);
	struct pe_cct *b = tree(&frames, "r{a:2}", &arena);
	const struct pe_cct *olds[] = {a, a}, *news[] = {a, b};
	struct pe_err err = PE_ERR_INIT;
	struct pe_zam zam;

	b->self_ns = b->total_ns = NULL;
	cr_expect_fails(pe_zam_make(&zam, olds, news, 2, NULL, &arena, &err), PE_EINVALID,
			err.message, "new profile of pair 2");
	cr_expect(eq(int, pe_zam_make(&zam, olds, news, 0, NULL, &arena, &err), PE_EINVALID));
}

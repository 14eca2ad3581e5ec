/*
 * Pairs: rounds over the benchmarks whose tests are open, a run of each side in each. Their batch is written down,
 * so that who asks the same question again goes on with what was measured.
 */
#include "app/search/ab_test_internal.h"

#include "core/base/clock.h"
#include "core/base/files.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* --- The checkpoint: which batch an earlier look at the same two has filled --- */

/* The file that keeps it; NULL: none. What is measured decides its name: an edited benchmark is another question. */
static const char *checkpoint_of(const struct pe_ab *pairing)
{
	const struct pe_session *session = pairing->session;
	struct pe_app *app = session->app;
	const char *folder = pe_arena_printf(app->arena, "%s/pushes", pe_app_hook_dir(app));
	struct pe_hash hash;
	char hex[PE_HASH_HEX];

	if (pairing->question->once)
		return NULL;
	pe_hash_init(&hash);
	pe_hash_string(&hash, session->revisions[pairing->question->base].id);
	pe_hash_string(&hash, session->revisions[pairing->question->tip].id);
	pe_hash_string(&hash, session->recipe_hash);
	pe_hash_number(&hash, (uint64_t)session->machine_key);
	for (size_t w = 0; w < session->benchmarks.n; w++)
		pe_hash_number(&hash, (uint64_t)session->benchmarks.data[w]->key);
	pe_hash_hex(&hash, hex);
	pe_files_make_dir(folder, NULL);
	return pe_arena_printf(app->arena, "%s/%s", folder, hex);
}

static int64_t read_batch(const char *checkpoint)
{
	pe_auto_text text = PE_TEXT_INIT;
	int64_t key = 0;

	if (checkpoint != NULL && pe_text_read_file(&text, checkpoint, NULL) == PE_OK)
		key = strtoll(pe_text_str(&text), NULL, 10);
	return key;
}

static void write_batch(const char *checkpoint, int64_t key)
{
	pe_auto_text text = PE_TEXT_INIT;

	if (checkpoint == NULL)
		return;
	pe_text_addf(&text, "%" PRId64 "\n", key);
	/* Without it the next one who asks starts anew. */
	pe_text_write_file(&text, checkpoint, NULL);
}

int pe_ab_open(struct pe_ab *pairing)
{
	struct pe_session *session = pairing->session;
	const size_t revisions[] = {
		[PE_AB_BASE] = pairing->question->base, [PE_AB_TIP] = pairing->question->tip};
	size_t *benchmarks = pe_arena_new(session->arena, size_t, pairing->n);
	const char *checkpoint = checkpoint_of(pairing);
	struct pe_engine_opts opts = {
		.batch = read_batch(checkpoint),
		.rounds = PE_CONFIRM_PAIRS,
		.aside = true,
		.expected =
			(session->app->counts_only ? PE_COUNTED_ROUNDS + 1 : 2 * 12) * pairing->n,
	};
	int rc;

	for (size_t i = 0; i < pairing->n; i++)
		benchmarks[i] = pairing->subjects[i].pairs.which;
	rc = pe_engine_open(&pairing->engine, session, revisions, 2, benchmarks, pairing->n, &opts);
	if (rc != PE_OK && rc != PE_ESTOPPED && opts.batch != 0) {
		/* The batch of that time does not fit any more: the store was replaced, a benchmark edited. */
		*session->app->err = (struct pe_err)PE_ERR_INIT;
		opts.batch = 0;
		rc = pe_engine_open(&pairing->engine, session, revisions, 2, benchmarks, pairing->n,
				    &opts);
	}
	if (rc == PE_OK)
		write_batch(checkpoint, pe_engine_batch(pairing->engine));
	return rc;
}

/* --- Rounds --- */

bool pe_ab_is_open(const struct pe_ab_subject *subject)
{
	if (subject->same || subject->failed)
		return false;
	if (subject->late)
		return true;
	for (size_t t = 0; t < subject->pairs.n_tests; t++)
		if (pe_pair_test_is_open(&subject->pairs.tests[t]))
			return true;
	return false;
}

/* Pairs until the next look of any of its tests; one at least. */
static size_t needed(const struct pe_ab_subject *subject)
{
	const size_t timed = pe_pairs_needed(&subject->pairs, false);
	const size_t counted = pe_pairs_needed(&subject->pairs, true);
	const size_t most = timed > counted ? timed : counted;

	return most > 0 ? most : 1;
}

/* Instructions that valgrind counted, where runs of a side agree: relative. */
static double exact_instructions(const struct pe_ab *pairing, const struct pe_ab_subject *subject)
{
	const struct pe_metric *metric = &pe_metrics[PE_SIMULATED_INSTRUCTIONS];
	double values[2];

	for (size_t side = 0; side < 2; side++) {
		const struct pe_cell *cell = pe_ab_cell(pairing, subject, side);
		const double again = pe_cell_value(cell, 1, metric->name);

		values[side] = pe_cell_value(cell, 0, metric->name);
		if (isfinite(again) && !pe_metric_agrees(metric, values[side], again))
			return NAN;
	}
	return values[1] / values[0] - 1;
}

static void take_answer(struct pe_ab *pairing, struct pe_ab_subject *subject,
			struct pe_pair_test *test)
{
	const enum pe_ab_test_state state = pe_ab_state_of(test);

	if (state == PE_AB_TEST_WORSE || state == PE_AB_TEST_BETTER)
		test->contradicted = pe_pairs_deny(&subject->pairs, test, subject->rounds + 1,
						   exact_instructions(pairing, subject));
	subject->worse = subject->worse || (state == PE_AB_TEST_WORSE && !test->contradicted);
}

/* Changes are ratios, and there is none of 0. */
static void note_zero(const struct pe_ab *pairing, const struct pe_ab_subject *subject,
		      const struct pe_metric *metric)
{
	const struct pe_pair pair = pe_pairs_at(&subject->pairs, subject->rounds);

	if (isfinite(pe_cell_value(pair.left, subject->rounds, metric->name)) &&
	    isfinite(pe_cell_value(pair.right, subject->rounds, metric->name)))
		pe_app_note(pairing->session->app,
			    "%s, %s: it differs from run to run and is 0 in some, so that "
			    "it has no ratio: it is not judged",
			    subject->pairs.benchmark->name, metric->label);
}

/* Take what the latest pair says. A test that none of the first pairs gave a value is dropped. */
static void take_pair(struct pe_ab *pairing, struct pe_ab_subject *subject)
{
	enum { PATIENCE = 3 };

	for (size_t t = 0; t < subject->pairs.n_tests; t++) {
		struct pe_pair_test *test = &subject->pairs.tests[t];

		if (test->answered)
			take_answer(pairing, subject, test);
		if (test->absent || test->confirm.n > 0 || subject->rounds + 1 < PATIENCE)
			continue;
		test->absent = true;
		note_zero(pairing, subject, test->metric);
	}
}

static int run_pair(struct pe_ab *pairing, struct pe_ab_subject *subject)
{
	const struct pe_cell *base = pe_ab_cell(pairing, subject, PE_AB_BASE);
	const struct pe_cell *tip = pe_ab_cell(pairing, subject, PE_AB_TIP);
	uint64_t began_ns = pe_clock_ns();

	PE_TRY(pe_pairs_run(&subject->pairs, subject->rounds));
	subject->failed = base->failed || tip->failed;
	subject->base_failed = base->failed;
	subject->gone = tip->absent;
	if (!subject->failed)
		take_pair(pairing, subject);
	subject->rounds++;
	/* The first pair had the warm-ups with it. */
	if (subject->rounds <= 2 || subject->cost_ns == 0)
		subject->cost_ns = pe_clock_ns() - began_ns;
	return PE_OK;
}

int pe_ab_round(struct pe_ab *pairing, bool *more)
{
	uint64_t now_ns = pe_clock_ns(), planned_ns = 0;
	uint64_t left_ns = pairing->question->deadline_ns > now_ns
				   ? pairing->question->deadline_ns - now_ns
				   : 0;

	*more = false;
	for (size_t i = 0; i < pairing->n; i++) {
		struct pe_ab_subject *subject = &pairing->subjects[i];

		if (!pe_ab_is_open(subject) || subject->rounds >= PE_CONFIRM_PAIRS)
			continue;
		planned_ns += subject->cost_ns * needed(subject);
		if (*more && planned_ns > left_ns)
			break;
		*more = true;
		PE_TRY(run_pair(pairing, subject));
	}
	return PE_OK;
}

/*
 * Members of a suite in an engine. One process runs all members that need a run, so that a round costs as much as the suite,
 * and each run is stored as if it had been made alone: its readers see no difference. When a process ends early, its
 * results so far are kept; the member that ran then has failed, and the others are run again.
 */
#include "app/measure/engine_internal.h"

#include "core/base/clock.h"

#include <assert.h>
#include <string.h>

/* After this many processes in a row without any result the fault is the program's, not a member's. */
enum { MAX_FRUITLESS = 2 };

typedef PE_VEC(struct pe_cell *) cell_vec;

/* The name of a member in this revision's program; NULL: it has no such member. */
static const char *own_name(const struct pe_engine_program *at, const struct pe_benchmark *member)
{
	for (size_t i = 0; i < at->n_names; i++)
		if (strcmp(pe_suite_renamed(member->suite, at->names[i].id), member->member) == 0)
			return at->names[i].own;
	return at->names != NULL ? NULL : member->own;
}

/* Cells of the same suite and revision, from the first on, that want their run of the round. */
static void gather(cell_vec *out, const struct pe_engine_worker *worker,
		   struct pe_cell *const *cells, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (cells[i]->program == cells[0]->program &&
		    pe_engine_wants(cells[i], worker->kind, worker->round))
			pe_vec_push(out, cells[i]);
}

/* The runs that one process gave are stored in one transaction. A worker that counts beside others stores them one by one. */
static struct pe_store *store_of_process(const struct pe_engine_worker *worker)
{
	return worker->beside == NULL ? worker->engine->session->app->store : NULL;
}

/* One end for all of them. */
static int keep_all(struct pe_engine_worker *worker, const cell_vec *cells,
		    const struct pe_run *how)
{
	pe_auto_transaction own = store_of_process(worker);

	if (own != NULL)
		PE_TRY(pe_store_begin(own, worker->err));
	for (size_t i = 0; i < cells->n; i++) {
		struct pe_run run = *how;

		PE_TRY(pe_engine_keep_failure(worker, cells->data[i], &run));
	}
	return own != NULL ? pe_store_commit(own, worker->err) : PE_OK;
}

/* --- Before the first run --- */

/* What the program has; that it cannot tell is no failure. */
static int ask_names(struct pe_engine_worker *worker, struct pe_cell *cell)
{
	struct pe_engine *engine = worker->engine;
	const uint64_t since_ns = pe_clock_ns();
	struct pe_member_name *names;
	struct pe_err why = PE_ERR_INIT;
	size_t n;
	int rc = pe_suite_list(&names, &n, worker->runner, pe_engine_benchmark(engine, cell),
			       pe_engine_tree(engine, cell), &engine->arena, &why);

	cell->program->asked = true;
	worker->costs[cell->benchmark].of[PE_SPENT_READY].seconds +=
		(double)(pe_clock_ns() - since_ns) / 1e9;
	if (rc == PE_EUNSUPPORTED)
		return PE_OK;
	if (rc != PE_OK) {
		*worker->err = why;
		return rc;
	}
	cell->program->names = names;
	cell->program->n_names = n;
	return PE_OK;
}

static int keep_absent(struct pe_engine_worker *worker, const cell_vec *cells)
{
	static const struct pe_run absent = {.outcome = PE_ABSENT};
	pe_auto_free cell_vec missing = {NULL, 0, 0};

	for (size_t i = 0; i < cells->n; i++)
		if (own_name(cells->data[i]->program,
			     pe_engine_benchmark(worker->engine, cells->data[i])) == NULL)
			pe_vec_push(&missing, cells->data[i]);
	return missing.n > 0 ? keep_all(worker, &missing, &absent) : PE_OK;
}

int pe_engine_ready_suite(struct pe_engine_worker *worker, struct pe_cell *const *cells, size_t n,
			  const struct pe_run *set_up)
{
	pe_auto_free cell_vec wanted = {NULL, 0, 0};

	if (set_up->outcome == PE_MEASURED && !cells[0]->program->asked)
		PE_TRY(ask_names(worker, cells[0]));
	gather(&wanted, worker, cells, n);
	return set_up->outcome != PE_MEASURED ? keep_all(worker, &wanted, set_up)
					      : keep_absent(worker, &wanted);
}

/* --- One process --- */

struct attempt {
	struct pe_engine_worker *worker;
	cell_vec left; /* in the order in which the program runs them, if that is known */
	struct pe_suite_process process;
	bool exact;                   /* the process ran no others than these */
	bool all;                     /* it was not told which to run */
	struct pe_cell *const *cells; /* of the round, from this one on */
	size_t n;
	unsigned renewals;
};

/* Whether the program has no others than those that are left: then it needs no filter. */
static bool is_whole(const struct attempt *attempt)
{
	const struct pe_engine_program *at = attempt->left.data[0]->program;

	return at->names != NULL && at->n_names <= attempt->left.n;
}

static int start(struct attempt *attempt)
{
	struct pe_engine_worker *worker = attempt->worker;
	const struct pe_cell *first = attempt->left.data[0];
	const struct pe_benchmark *member = pe_engine_benchmark(worker->engine, first);
	const char **names = pe_arena_new(&worker->scratch, const char *, attempt->left.n);
	struct pe_err why = PE_ERR_INIT;
	int rc = PE_EUNSUPPORTED;

	for (size_t i = 0; i < attempt->left.n; i++)
		names[i] = own_name(first->program,
				    pe_engine_benchmark(worker->engine, attempt->left.data[i]));
	attempt->exact = true;
	attempt->all = false;
	if (!is_whole(attempt))
		rc = pe_suite_run(&attempt->process, worker->runner, member, names, attempt->left.n,
				  pe_engine_tree(worker->engine, first), &worker->scratch, &why);
	if (rc == PE_EUNSUPPORTED) {
		attempt->exact = is_whole(attempt);
		attempt->all = true;
		rc = pe_suite_run(&attempt->process, worker->runner, member, NULL, 0,
				  pe_engine_tree(worker->engine, first), &worker->scratch,
				  worker->err);
	} else if (rc != PE_OK) {
		*worker->err = why;
	}
	worker->count->sequence++;
	return rc;
}

/* The process's reading of a cell's benchmark; the last of several. */
static const struct pe_member_reading *reading_of(const struct attempt *attempt,
						  const struct pe_cell *cell)
{
	const struct pe_benchmark *member = pe_engine_benchmark(attempt->worker->engine, cell);
	const struct pe_suite_readings *said = &attempt->process.said;

	for (size_t i = said->n; i-- > 0;)
		if (strcmp(pe_suite_renamed(member->suite, said->entries[i].name.id),
			   member->member) == 0)
			return &said->entries[i];
	return NULL;
}

/* Keep what the process gave; what it did not give is left. *n is how many it gave. */
static int keep_given(struct attempt *attempt, size_t *n)
{
	struct pe_engine_worker *worker = attempt->worker;
	pe_auto_transaction own = store_of_process(worker);
	size_t left = 0;

	if (own != NULL)
		PE_TRY(pe_store_begin(own, worker->err));
	*n = 0;
	for (size_t i = 0; i < attempt->left.n; i++) {
		struct pe_cell *cell = attempt->left.data[i];
		const struct pe_member_reading *reading = reading_of(attempt, cell);
		struct pe_run run = {.kind = PE_RUN_TIMED, .round = worker->round};

		if (reading == NULL) {
			attempt->left.data[left++] = cell;
			continue;
		}
		pe_suite_take(&run, reading, &attempt->process, &worker->scratch);
		run.sequence = worker->count->sequence++;
		PE_TRY(pe_engine_keep(worker, cell, &run));
		++*n;
	}
	attempt->left.n = left;
	return own != NULL ? pe_store_commit(own, worker->err) : PE_OK;
}

/* The cell that ran when the process ended: the one that it names, or the first that it did not give. */
static size_t culprit(const struct attempt *attempt)
{
	const char *running = attempt->process.said.running;

	for (size_t i = 0; running != NULL && i < attempt->left.n; i++) {
		const struct pe_cell *cell = attempt->left.data[i];
		const char *own =
			own_name(cell->program, pe_engine_benchmark(attempt->worker->engine, cell));

		if (own != NULL && strcmp(own, running) == 0)
			return i;
	}
	return 0;
}

static int keep_culprit(struct attempt *attempt)
{
	size_t which = culprit(attempt);
	struct pe_run run = attempt->process.run;
	struct pe_cell *cell = attempt->left.data[which];

	attempt->left.n--;
	memmove(&attempt->left.data[which], &attempt->left.data[which + 1],
		(attempt->left.n - which) * sizeof(*attempt->left.data));
	return pe_engine_keep_failure(attempt->worker, cell, &run);
}

/* A program that cannot be listed has what a whole run of it gave, once that ended as it should. */
static void learn_names(struct attempt *attempt)
{
	struct pe_engine_program *at = attempt->left.data[0]->program;
	const struct pe_suite_readings *said = &attempt->process.said;
	struct pe_arena *arena = &attempt->worker->engine->arena;
	struct pe_member_name *names;

	if (at->names != NULL || !attempt->all || said->n == 0 || said->cut_short ||
	    attempt->process.run.outcome != PE_MEASURED)
		return;
	names = pe_arena_new(arena, struct pe_member_name, said->n);
	for (size_t i = 0; i < said->n; i++)
		names[i] =
			(struct pe_member_name){pe_arena_strdup(arena, said->entries[i].name.own),
						pe_arena_strdup(arena, said->entries[i].name.id)};
	at->names = names;
	at->n_names = said->n;
}

/* The process ended well without a result for these. */
static int keep_silent(struct attempt *attempt)
{
	static const struct pe_run absent = {.outcome = PE_ABSENT};
	static const struct pe_run silent = {
		.outcome = PE_METRIC_MISSING,
		.log = "the program has it, and gives no values of it\n",
	};
	struct pe_engine_worker *worker = attempt->worker;

	if (attempt->left.data[0]->program->names == NULL)
		return keep_all(worker, &attempt->left, &absent);
	PE_TRY(keep_absent(worker, &attempt->left));
	for (size_t i = 0; i < attempt->left.n;)
		if (pe_engine_wants(attempt->left.data[i], worker->kind, worker->round))
			i++;
		else
			attempt->left.data[i] = attempt->left.data[--attempt->left.n];
	return keep_all(worker, &attempt->left, &silent);
}

/* The order of the listing is the order in which they run. */
static void put_in_order(struct attempt *attempt)
{
	const struct pe_engine_program *at;
	cell_vec *left = &attempt->left;
	size_t done = 0;

	assert(left->data != NULL); /* one of them wants to run */
	at = left->data[0]->program;
	for (size_t i = 0; i < at->n_names && done < left->n; i++) {
		for (size_t k = done; k < left->n; k++) {
			struct pe_cell *cell = left->data[k];
			const struct pe_benchmark *member =
				pe_engine_benchmark(attempt->worker->engine, cell);

			if (strcmp(pe_suite_renamed(member->suite, at->names[i].id),
				   member->member) != 0)
				continue;
			left->data[k] = left->data[done];
			left->data[done++] = cell;
			break;
		}
	}
}

/* Whether the fault is the program's or the machine's and not one member's: then another try is useless. */
static bool is_general(const struct attempt *attempt, size_t given, unsigned fruitless)
{
	enum pe_outcome outcome = attempt->process.run.outcome;

	return outcome == PE_SETUP_FAILED || outcome == PE_NOT_STARTED ||
	       outcome == PE_INCONCLUSIVE || fruitless >= MAX_FRUITLESS ||
	       (given == 0 && !attempt->exact);
}

/* One process, and the runs that it gave. */
static int attempt_once(struct attempt *attempt, unsigned *fruitless)
{
	struct pe_run *how = &attempt->process.run;
	size_t given = 0;

	PE_TRY(start(attempt));
	learn_names(attempt);
	PE_TRY(keep_given(attempt, &given));
	if (attempt->left.n == 0)
		return PE_OK;
	if (how->foreign && attempt->renewals < 2) {
		bool renewed;

		PE_TRY(pe_engine_renew(&renewed, attempt->worker, attempt->cells, attempt->n,
				       attempt->renewals++ > 0));
		if (renewed || attempt->renewals < 2)
			return PE_OK;
	}
	if (how->outcome == PE_MEASURED && !attempt->process.said.cut_short)
		return keep_silent(attempt);
	*fruitless = given > 0 ? 0 : *fruitless + 1;
	if (how->outcome == PE_MEASURED) {
		how->outcome = PE_METRIC_MISSING;
		how->log = "what it wrote ends in the middle\n";
	}
	if (is_general(attempt, given, *fruitless))
		return keep_all(attempt->worker, &attempt->left, how);
	return keep_culprit(attempt);
}

int pe_engine_measure_suite(struct pe_engine_worker *worker, struct pe_cell *const *cells, size_t n)
{
	struct attempt attempt = {.worker = worker, .cells = cells, .n = n};
	pe_auto_free cell_vec all = {NULL, 0, 0};
	uint64_t since_ns = pe_clock_ns();
	unsigned fruitless = 0;
	int rc = PE_OK;

	gather(&attempt.left, worker, cells, n);
	gather(&all, worker, cells, n);
	put_in_order(&attempt);
	while (rc == PE_OK && attempt.left.n > 0) {
		if (pe_engine_interrupted(worker)) {
			rc = pe_fail(worker->err, PE_ESTOPPED, "stopped");
			break;
		}
		pe_engine_report(worker, PE_PROGRESS_RUN, attempt.left.data[0], worker->round,
				 attempt.left.data[0]->rounds);
		rc = attempt_once(&attempt, &fruitless);
		/* keep_all() leaves the list; nothing in it wants a run any more. */
		while (attempt.left.n > 0 && !pe_engine_wants(attempt.left.data[attempt.left.n - 1],
							      worker->kind, worker->round))
			attempt.left.n--;
	}
	pe_engine_spend(worker, all.data, all.n, PE_SPENT_TIMED, since_ns);
	pe_vec_release(&attempt.left);
	return rc;
}

/*
 * Events: the jumps of an evolution, grouped by cause. It joins the stored changed methods and executed functions of
 * benchmarks with the places of the jumps.
 */
#include "app/history/detect_internal.h"

#include "app/changes/bare_names.h"
#include "app/changes/changed_methods.h"
#include "core/base/array.h"
#include "core/base/vec.h"
#include "core/stats/events.h"
#include "core/stats/prior.h"
#include "core/exec/dependencies.h"

#include <stdlib.h>

/* A jump, with the number of its benchmark: that of the first line of the same one. */
struct member {
	struct pe_jump *jump;
	const struct pe_line *line;
	size_t benchmark;
};

/* Bare names of methods: those that a commit changed, or that a benchmark executes. */
struct methods {
	bool read, known;
	struct pe_strings of;
};

/* Which of a commit's changed methods a benchmark executes, from the store; each is read once, on the first call. */
struct executed {
	struct pe_comparer *
		comparer; /* NULL: the store has no profiles, or no changed methods of any commit */
	struct pe_stored_profile *profiles;
	size_t n_profiles;
	struct methods *changed;  /* by revision */
	struct methods *executes; /* by line: of its benchmark */
	int rc; /* the first failure; what could not be read counts as not known */
	struct pe_arena arena;
};

/* One first-parent line while its jumps are shared out. */
struct sharing {
	struct pe_evolution *evolution;
	struct pe_app *app;
	const struct pe_detection *detection;
	struct executed executed;
	size_t *first_line; /* by line: the first of its benchmark */
	size_t *chain_of;   /* by revision: the chain that it is on, not as its base */
	size_t *place_of;   /* by revision: its position there */
	const struct pe_series_found *on; /* its chain */
	PE_VEC(struct member) members;
	PE_VEC(struct pe_event) events;
};

/* --- Places --- */

static void find_places(struct sharing *sharing)
{
	const struct pe_detection *detection = sharing->detection;
	const size_t n = sharing->evolution->n_revisions;

	sharing->chain_of = pe_arena_new(sharing->app->arena, size_t, n);
	sharing->place_of = pe_arena_new(sharing->app->arena, size_t, n);
	for (size_t i = 0; i < detection->n_chains; i++)
		for (size_t c = detection->chains[i].base; c < detection->chains[i].n_chain; c++) {
			sharing->chain_of[detection->chains[i].chain[c]] = i;
			sharing->place_of[detection->chains[i].chain[c]] = c;
		}
}

/* Lines of one benchmark stand together. */
static void find_benchmarks(struct sharing *sharing)
{
	const struct pe_evolution *evolution = sharing->evolution;
	const struct pe_line *lines = evolution->lines;

	sharing->first_line = pe_arena_new(sharing->app->arena, size_t, evolution->n_lines);
	for (size_t l = 0; l < evolution->n_lines; l++)
		sharing->first_line[l] =
			l > 0 && lines[l].benchmark_key == lines[l - 1].benchmark_key
				? sharing->first_line[l - 1]
				: l;
}

/* A revision's position on the chain; the base and revisions before the chain are at its beginning. */
static size_t position(const struct sharing *sharing, size_t revision, size_t chain)
{
	if (sharing->chain_of[revision] == chain)
		return sharing->place_of[revision];
	return sharing->on->base > 0 && sharing->on->chain[0] == revision ? 0 : SIZE_MAX;
}

static struct pe_event reading_of(const struct sharing *sharing, const struct member *member,
				  size_t chain)
{
	const struct pe_jump *jump = member->jump;
	const size_t at = sharing->place_of[jump->after];
	const size_t before = position(sharing, jump->before, chain);
	struct pe_event reading = {.commit = at,
				   .from = at,
				   .first = position(sharing, jump->first, chain),
				   .last = position(sharing, jump->last, chain),
				   .sure = jump->sure,
				   .exact = jump->estimate == PE_ESTIMATE_EXACT};

	if (before < at)
		reading.from = before + 1;
	if (reading.first > at)
		reading.first = at;
	if (reading.last == SIZE_MAX || reading.last < at)
		reading.last = at;
	return reading;
}

/* --- Commits and benchmarks --- */

static void open_executed(struct sharing *sharing)
{
	struct executed *executed = &sharing->executed;
	const struct pe_evolution *evolution = sharing->evolution;
	struct pe_app *app = sharing->app;

	executed->changed = pe_arena_new(&executed->arena, struct methods, evolution->n_revisions);
	executed->executes = pe_arena_new(&executed->arena, struct methods, evolution->n_lines);
	if (evolution->mc != NULL)
		executed->rc =
			pe_store_profiles(&executed->profiles, &executed->n_profiles, app->store,
					  evolution->machine_key, &executed->arena, app->err);
	if (executed->rc == PE_OK && executed->n_profiles > 0)
		executed->comparer = pe_comparer_new(app, false);
}

static void close_executed(struct executed *executed)
{
	pe_comparer_free(executed->comparer);
	pe_arena_release(&executed->arena);
}

/* Only what is stored: a commit that was not compared yet is not parsed here. */
static void read_changed(struct methods *out, struct sharing *sharing, size_t revision)
{
	struct executed *executed = &sharing->executed;
	struct pe_revision_changes changes;
	int rc;

	out->read = true;
	if (sharing->evolution->mc[revision] < 0)
		return;
	rc = pe_changes_of(&changes, executed->comparer, &sharing->evolution->revisions[revision],
			   NULL, &executed->arena);
	if (rc != PE_OK) {
		executed->rc = rc == PE_ESTOPPED ? rc : executed->rc;
		return;
	}
	out->known = true;
	out->of = pe_bare_names_changed(&changes.methods, &executed->arena);
}

static void read_executes(struct methods *out, struct sharing *sharing, size_t benchmark)
{
	struct executed *executed = &sharing->executed;
	int rc = pe_bare_names_executed(
		&out->of, &out->known, sharing->app, executed->profiles, executed->n_profiles,
		sharing->evolution->lines[benchmark].benchmark_key, &executed->arena);

	out->read = true;
	out->known = out->known && rc == PE_OK;
	executed->rc = executed->rc == PE_OK && rc != PE_ENOTFOUND ? rc : executed->rc;
}

/* The changed methods of a commit that a benchmark executes, by their numbers among its changed methods. */
static struct pe_event_functions executed_at(struct sharing *sharing, size_t benchmark,
					     size_t revision)
{
	struct executed *executed = &sharing->executed;
	struct methods *changed = &executed->changed[revision];
	struct methods *executes = &executed->executes[benchmark];
	size_t *at, n = 0;

	if (executed->comparer == NULL)
		return (struct pe_event_functions){.known = false};
	if (!changed->read)
		read_changed(changed, sharing, revision);
	if (changed->known && !executes->read)
		read_executes(executes, sharing, benchmark);
	if (!changed->known || !executes->known)
		return (struct pe_event_functions){.known = false};
	at = pe_arena_new(&executed->arena, size_t, changed->of.n);
	for (size_t i = 0; i < changed->of.n; i++)
		if (pe_strings_have(&executes->of, changed->of.at[i]))
			at[n++] = i;
	return (struct pe_event_functions){at, n, true};
}

static double bears(size_t benchmark, size_t commit, void *payload)
{
	struct sharing *sharing = payload;
	const int64_t *mc = sharing->evolution->mc;
	const size_t revision = sharing->on->chain[commit];
	struct pe_event_functions functions;

	if (mc == NULL || mc[revision] <= 0)
		return 1;
	functions = executed_at(sharing, benchmark, revision);
	return functions.known ? pe_prior_of_executed(functions.n) : 1;
}

static double *weigh(const struct sharing *sharing, struct pe_arena *arena)
{
	const struct pe_series_found *on = sharing->on;
	const int64_t *mc = sharing->evolution->mc;
	double *prior;

	if (mc == NULL)
		return NULL;
	prior = pe_arena_new(arena, double, on->n_chain);
	for (size_t c = 0; c < on->n_chain; c++)
		prior[c] = pe_prior_of_methods(mc[on->chain[c]]);
	return prior;
}

/* --- Events of a chain --- */

static void gather(struct sharing *sharing, size_t chain)
{
	struct pe_evolution *evolution = sharing->evolution;

	sharing->members.n = 0;
	for (size_t l = 0; l < evolution->n_lines; l++)
		for (size_t j = 0; j < evolution->lines[l].n_jumps; j++) {
			struct pe_jump *jump = &evolution->lines[l].jumps[j];

			if (sharing->chain_of[jump->after] == chain)
				pe_vec_push(&sharing->members,
					    (struct member){jump, &evolution->lines[l],
							    sharing->first_line[l]});
		}
}

/* One cause by its place may be several by the functions that its benchmarks execute. */
static void add_event(struct sharing *sharing, const struct pe_event *found, const size_t *members,
		      size_t n, struct pe_arena *arena)
{
	const struct pe_event whole = {.commit = sharing->on->chain[found->commit],
				       .first = sharing->on->chain[found->first],
				       .last = sharing->on->chain[found->last],
				       .sure = found->sure};
	struct pe_event_functions *of = pe_arena_new(arena, struct pe_event_functions, n);
	size_t *part = pe_arena_new(arena, size_t, n), n_parts = 1;
	bool several = false;

	for (size_t i = 1; i < n; i++)
		several = several || sharing->members.data[members[i]].benchmark !=
					     sharing->members.data[members[0]].benchmark;
	if (several && sharing->executed.comparer != NULL) {
		for (size_t i = 0; i < n; i++)
			of[i] = executed_at(sharing, sharing->members.data[members[i]].benchmark,
					    whole.commit);
		n_parts = pe_events_part(part, of, n);
	}
	for (size_t p = 0; p < n_parts; p++) {
		for (size_t i = 0; i < n; i++)
			if (part[i] == p)
				sharing->members.data[members[i]].jump->event = sharing->events.n;
		pe_vec_push(&sharing->events, whole);
	}
}

static void share_out(struct sharing *sharing, size_t chain)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	struct pe_events_opts opts = {.payload = sharing};
	struct pe_event *jumps;
	struct pe_events events;
	size_t *members, *benchmarks;

	sharing->on = &sharing->detection->chains[chain];
	gather(sharing, chain);
	if (sharing->members.n == 0)
		return;
	jumps = pe_arena_new(&arena, struct pe_event, sharing->members.n);
	benchmarks = pe_arena_new(&arena, size_t, sharing->members.n);
	for (size_t i = 0; i < sharing->members.n; i++) {
		jumps[i] = reading_of(sharing, &sharing->members.data[i], chain);
		benchmarks[i] = sharing->members.data[i].benchmark;
	}
	opts.n_commits = sharing->on->n_chain;
	opts.prior = weigh(sharing, &arena);
	opts.bears = sharing->executed.comparer != NULL ? bears : NULL;
	events = pe_events_find(jumps, benchmarks, sharing->members.n, &opts, &arena);
	members = pe_arena_new(&arena, size_t, sharing->members.n);
	for (size_t e = 0; e < events.n; e++) {
		size_t n = 0;

		for (size_t i = 0; i < sharing->members.n; i++)
			if (events.event_of[i] == e)
				members[n++] = i;
		add_event(sharing, &events.at[e], members, n, &arena);
	}
}

/* --- The whole --- */

static void take_acceptance(struct sharing *sharing)
{
	const struct pe_evolution *evolution = sharing->evolution;

	for (size_t l = 0; l < evolution->n_lines; l++)
		for (size_t j = 0; j < evolution->lines[l].n_jumps; j++) {
			struct pe_jump *jump = &evolution->lines[l].jumps[j];
			const size_t commit = sharing->events.data[jump->event].commit;
			const struct pe_accepted *entry;

			if (jump->state == PE_JUMP_ACCEPTED)
				continue;
			entry = pe_accepted_find(&sharing->detection->status.accepted,
						 PE_ACCEPTED_ALL, evolution->lines[l].metric->name,
						 evolution->revisions[commit].id);
			if (entry == NULL)
				continue;
			jump->state = PE_JUMP_ACCEPTED;
			jump->why = entry->why;
		}
}

/* Suspects of a commit are reported with a change of another benchmark that fresh runs confirm there. */
static void mark_suspects(struct sharing *sharing)
{
	const struct pe_evolution *evolution = sharing->evolution;
	bool *confirmed = pe_arena_new(sharing->app->arena, bool, sharing->events.n);

	for (int pass = 0; pass < 2; pass++)
		for (size_t l = 0; l < evolution->n_lines; l++)
			for (size_t j = 0; j < evolution->lines[l].n_jumps; j++) {
				struct pe_jump *jump = &evolution->lines[l].jumps[j];

				if (pass == 1)
					jump->event_confirmed = jump->state == PE_JUMP_SUSPECT &&
								jump->pairs == 0 &&
								confirmed[jump->event];
				else if (jump->state == PE_JUMP_CONFIRMED && jump->pairs > 0)
					confirmed[jump->event] = true;
			}
}

int pe_detection_find_events(struct pe_detection *detection)
{
	struct pe_evolution *evolution = detection->out;
	struct pe_app *app = detection->app;
	struct sharing sharing = {.evolution = evolution, .app = app, .detection = detection};
	int rc;

	find_places(&sharing);
	find_benchmarks(&sharing);
	open_executed(&sharing);
	for (size_t i = 0; i < detection->n_chains; i++)
		share_out(&sharing, i);
	rc = sharing.executed.rc;
	close_executed(&sharing.executed);
	mark_suspects(&sharing);
	if (rc == PE_OK && detection->status.accepted.n > 0)
		take_acceptance(&sharing);
	pe_vec_release(&sharing.members);
	evolution->n_events = sharing.events.n;
	evolution->events = pe_vec_copy(app->arena, &sharing.events);
	pe_vec_release(&sharing.events);
	return rc;
}

#include "app/history/events.h"

#include "app/changes/changed_methods.h"
#include "app/history/executed.h"
#include "core/base/vec.h"
#include "core/stats/prior.h"

#include <stdlib.h>
#include <string.h>

/* A jump, with the number of its benchmark: that of the first line of the same one. */
struct member {
	struct pe_jump *jump;
	const struct pe_line *line;
	size_t benchmark;
};

/* One first-parent line while its jumps are shared out. */
struct sharing {
	struct pe_evolution *evolution;
	struct pe_app *app;
	const struct pe_events_query *asked;
	struct pe_executed *executed;
	const int64_t *mc;
	size_t *first_line; /* by line: the first of its benchmark */
	size_t *chain_of;   /* by revision: the chain that it is on, not as its base */
	size_t *place_of;   /* by revision: its position there */
	const struct pe_chain *chain;
	PE_VEC(struct member) members;
	PE_VEC(struct pe_event) events;
};

/* --- Places --- */

static void find_places(struct sharing *sharing)
{
	const struct pe_events_query *asked = sharing->asked;
	const size_t n = sharing->evolution->n_revisions;

	sharing->chain_of = pe_arena_new(sharing->app->arena, size_t, n);
	sharing->place_of = pe_arena_new(sharing->app->arena, size_t, n);
	for (size_t i = 0; i < asked->n_chains; i++)
		for (size_t c = asked->chains[i].base; c < asked->chains[i].n; c++) {
			sharing->chain_of[asked->chains[i].at[c]] = i;
			sharing->place_of[asked->chains[i].at[c]] = c;
		}
}

/* Lines of one benchmark stand together. */
static void find_benchmarks(struct sharing *sharing)
{
	const struct pe_evolution *evolution = sharing->evolution;
	const int64_t *keys = sharing->asked->benchmarks;

	sharing->first_line = pe_arena_new(sharing->app->arena, size_t, evolution->n_lines);
	for (size_t l = 0; l < evolution->n_lines; l++)
		sharing->first_line[l] =
			l > 0 && keys[l] == keys[l - 1] ? sharing->first_line[l - 1] : l;
}

/* A revision's position on the chain; the base and revisions before the chain are at its beginning. */
static size_t position(const struct sharing *sharing, size_t revision, size_t chain)
{
	if (sharing->chain_of[revision] == chain)
		return sharing->place_of[revision];
	return sharing->chain->base > 0 && sharing->chain->at[0] == revision ? 0 : SIZE_MAX;
}

static struct pe_event_jump reading_of(const struct sharing *sharing, const struct member *member,
				       size_t chain)
{
	const struct pe_jump *jump = member->jump;
	const size_t at = sharing->place_of[jump->after];
	const size_t before = position(sharing, jump->before, chain);
	struct pe_event_jump reading = {.benchmark = member->benchmark,
					.at = at,
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

static double bears(size_t benchmark, size_t commit, void *payload)
{
	struct sharing *sharing = payload;
	const size_t revision = sharing->chain->at[commit];
	struct pe_event_functions functions;

	if (sharing->mc == NULL || sharing->mc[revision] <= 0)
		return 1;
	functions = pe_executed_at(sharing->executed, benchmark, revision);
	return functions.known ? pe_prior_of_executed(functions.n) : 1;
}

static double *weigh(const struct sharing *sharing, struct pe_arena *arena)
{
	const struct pe_chain *chain = sharing->chain;
	double *prior;

	if (sharing->mc == NULL)
		return NULL;
	prior = pe_arena_new(arena, double, chain->n);
	for (size_t c = 0; c < chain->n; c++)
		prior[c] = pe_prior_of_methods(sharing->mc[chain->at[c]]);
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
	const struct pe_event whole = {.commit = sharing->chain->at[found->commit],
				       .first = sharing->chain->at[found->first],
				       .last = sharing->chain->at[found->last],
				       .sure = found->sure};
	struct pe_event_functions *of = pe_arena_new(arena, struct pe_event_functions, n);
	size_t *part = pe_arena_new(arena, size_t, n), n_parts = 1;
	bool several = false;

	for (size_t i = 1; i < n; i++)
		several = several || sharing->members.data[members[i]].benchmark !=
					     sharing->members.data[members[0]].benchmark;
	if (several && pe_executed_knows(sharing->executed)) {
		for (size_t i = 0; i < n; i++)
			of[i] = pe_executed_at(sharing->executed,
					       sharing->members.data[members[i]].benchmark,
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
	struct pe_event_jump *jumps;
	struct pe_events events;
	size_t *members;

	sharing->chain = &sharing->asked->chains[chain];
	gather(sharing, chain);
	if (sharing->members.n == 0)
		return;
	jumps = pe_arena_new(&arena, struct pe_event_jump, sharing->members.n);
	for (size_t i = 0; i < sharing->members.n; i++)
		jumps[i] = reading_of(sharing, &sharing->members.data[i], chain);
	opts.n_commits = sharing->chain->n;
	opts.prior = weigh(sharing, &arena);
	opts.bears = pe_executed_knows(sharing->executed) ? bears : NULL;
	events = pe_events_find(jumps, sharing->members.n, &opts, &arena);
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
			entry = pe_accepted_find(sharing->asked->accepted, PE_ACCEPTED_ALL,
						 evolution->lines[l].metric->name,
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

int pe_events_of(struct pe_evolution *evolution, struct pe_app *app,
		 const struct pe_events_query *asked)
{
	struct sharing sharing = {.evolution = evolution, .app = app, .asked = asked};
	int rc = pe_changes_counts(&sharing.mc, app, evolution->revisions, evolution->n_revisions);

	if (rc != PE_OK)
		return rc;
	find_places(&sharing);
	find_benchmarks(&sharing);
	sharing.executed =
		pe_executed_new(app, asked->machine, evolution->revisions, evolution->n_revisions,
				sharing.mc, asked->benchmarks, evolution->n_lines);
	for (size_t i = 0; i < asked->n_chains; i++)
		share_out(&sharing, i);
	rc = pe_executed_error(sharing.executed);
	pe_executed_free(sharing.executed);
	mark_suspects(&sharing);
	if (rc == PE_OK && asked->accepted->n > 0)
		take_acceptance(&sharing);
	pe_vec_release(&sharing.members);
	evolution->events = pe_arena_new(app->arena, struct pe_event, sharing.events.n);
	evolution->n_events = sharing.events.n;
	if (sharing.events.n > 0)
		memcpy(evolution->events, sharing.events.data,
		       sharing.events.n * sizeof(*evolution->events));
	pe_vec_release(&sharing.events);
	return rc;
}

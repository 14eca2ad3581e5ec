/*
 * Charges: instructions of methods by source. Counts by function are those of compiled functions, which contain their
 * inlined methods, and do not tell for whom the C library's memcpy() copies. A run below callgrind counts instructions by
 * address, which the debug information maps to the inlined method, and calls with their costs.
 *
 * A record is not trusted: the run can write to it.
 */
#include "app/profiling/collect_internal.h"

#include "app/measure/pool.h"
#include "app/measure/functions.h"
#include "analysis/compare/changes.h"
#include "analysis/compare/functions.h"
#include "core/base/clock.h"
#include "core/base/files.h"
#include "core/base/walk.h"
#include "core/exec/env.h"
#include "core/exec/simulate.h"
#include "analysis/profile/callgraph.h"
#include "analysis/profile/merge_names.h"

#include <stdlib.h>
#include <string.h>

enum {
	/* Beside a timed run: what pe_simulate_command() may take, and three times that. */
	PATIENCE = 3 * PE_SIMULATE_SLOWER,
	/* Of a process: lua's is 1 MiB. */
	RECORD_BYTES = 1 << 28,
};

/* Calls of functions in no tree, by method and function. */
struct callee {
	uint32_t method;
	const char *name;
	uint64_t calls[2], cost[2]; /* of old and of new */
	const char *replaced;       /* by it in new; "": none */
};

struct callees {
	PE_VEC(struct callee) list;
	struct pe_map found;
};

/*
 * One side: a run of its own, whose methods are looked for in the frames of all trees. What a worker works with is its own: a
 * session, an application and a runner beside those of the caller.
 */
struct side {
	struct pe_pool_job
		job; /* the first member: its work is given it; its arena is the side's */
	const struct pe_charges_opts *opts;
	int number;
	struct pe_collecting collecting;
	struct pe_collected outcome;
	struct pe_session session;
	struct pe_app app;
	struct pe_slot *slot; /* of the timed build; NULL: it does not build */
	const char *tree; /* in which it is run: of that build, or of one with debug information */
	int64_t from_ns;  /* by the clock of files */
	bool good, lacks; /* all processes left whole records; without inlined methods */
	/* Of its records. */
	struct pe_symbols_db *db;
	struct pe_map
		found; /* methods by where the symbolizer has their name and file, for as long as it lives */
	uint64_t *by_frame;
	/* method and varying function with code of it; PE_FRAME_NONE: all functions in no tree, where it calls one */
	struct pe_map within;
	struct callees callees;
	bool failed; /* an address could not be looked up */
};

/* --- Records --- */

/* The method of a symbol; PE_FRAME_NONE. */
static uint32_t find_method(const struct side *side, const struct pe_frame *frame)
{
	pe_auto_arena scratch = PE_ARENA_INIT;
	const char *name = pe_merge_plain_name(frame->name, &scratch);
	uint32_t found = pe_functions_find_frame(side->opts->frames, name, frame->signature,
						 frame->component);

	/* Builds go on from others', which were made in other slots. */
	if (found == PE_FRAME_NONE && frame->component[0] == '/')
		found = pe_functions_find_frame(
			side->opts->frames, name, frame->signature,
			pe_functions_component(frame->component, side->tree, &scratch));
	/* Without debug information the component is the module; a compiler cache's objects are of another folder. */
	if (found == PE_FRAME_NONE &&
	    (frame->component[0] == '/' || strcmp(frame->component, frame->module) == 0))
		return pe_functions_find_frame(side->opts->frames, name, frame->signature, "");
	return found;
}

/* The placed frame of a function, looked up once: a program has many instructions. Only frames of a tree. */
static uint32_t find_placed(struct side *side, const struct pe_frame *frame)
{
	bool is_new;
	uint32_t *found = pe_map_put(&side->found, (uintptr_t)frame->name,
				     (uintptr_t)frame->component, PE_FRAME_NONE, &is_new);

	if (is_new && frame->kind == PE_FRAME_METHOD) {
		*found = find_method(side, frame);
		if (*found != PE_FRAME_NONE && !side->opts->placed[*found])
			*found = PE_FRAME_NONE;
	}
	return *found;
}

/* The variation between runs of a function, or of all functions in no tree together. */
static uint64_t spread_of(const struct pe_charges_opts *opts, uint32_t function)
{
	return opts->spreads[function != PE_FRAME_NONE ? function : opts->frames->n];
}

static void add_within(struct side *side, uint32_t method, uint32_t function)
{
	if (spread_of(side->opts, function) > 0)
		pe_map_put(&side->within, method, function, 0, NULL);
}

/* The innermost method that a tree has: what is in none is its caller's. */
static uint32_t find_owner(void *payload, const char *object, uint64_t address)
{
	struct side *side = payload;
	const struct pe_symbolizer symbolizer = pe_symbols_symbolizer(side->db);
	const struct pe_module module = {.path = object, .build_id = "", .end = UINT64_MAX};
	struct pe_symbols symbols = {NULL, 0};
	uint32_t found = PE_FRAME_NONE;

	if (symbolizer.resolve(&symbols, &module, address, symbolizer.payload, NULL) != PE_OK) {
		side->failed = true;
		return PE_FRAME_NONE;
	}
	for (size_t i = 0; i < symbols.n && found == PE_FRAME_NONE; i++)
		found = find_placed(side, &symbols.at[i].frame);
	if (found != PE_FRAME_NONE)
		add_within(side, found, find_placed(side, &symbols.at[symbols.n - 1].frame));
	return found;
}

static struct callee *find_callee(struct callees *callees, uint32_t method, const char *name,
				  struct pe_arena *arena)
{
	struct pe_hash hash;
	bool is_new;
	uint32_t *found;

	pe_hash_init(&hash);
	pe_hash_string(&hash, name);
	found = pe_map_put(&callees->found, method, hash.low, (uint32_t)callees->list.n, &is_new);
	if (is_new)
		pe_vec_push(&callees->list,
			    (struct callee){method, pe_arena_strdup(arena, name), {0}, {0}, ""});
	return &callees->list.data[*found];
}

static void callees_release(struct callees *callees)
{
	pe_vec_release(&callees->list);
	pe_map_release(&callees->found);
}

/* @param whole  by call: its whole cost is its caller's */
static void add_callees(struct side *side, const struct pe_callgraph *graph, const bool *whole,
			struct pe_arena *scratch)
{
	for (size_t i = 0; i < graph->calls.n; i++) {
		const struct pe_callgraph_call *call = &graph->calls.data[i];
		const char *name = graph->functions.data[call->callee].name;
		struct callee *callee;

		if (!whole[i] || name == NULL)
			continue;
		/* The symbol version of "memcpy@@GLIBC_2.14" is dropped. */
		name = pe_arena_strndup(scratch, name, strcspn(name, "@"));
		callee = find_callee(&side->callees, graph->functions.data[call->caller].frame,
				     name, &side->job.arena);
		callee->calls[side->number] += call->calls;
		callee->cost[side->number] += call->cost;
	}
}

static void add_graph(struct side *side, const struct pe_callgraph *graph)
{
	pe_auto_arena scratch = PE_ARENA_INIT;
	size_t n = graph->functions.n;
	bool *placed = pe_arena_new(&scratch, bool, n);
	bool *whole = pe_arena_new(&scratch, bool, graph->calls.n);
	uint64_t *handed = pe_arena_new(&scratch, uint64_t, n);

	for (size_t f = 0; f < n; f++)
		placed[f] = graph->functions.data[f].frame != PE_FRAME_NONE;
	pe_callgraph_handed(handed, whole, graph, placed);
	add_callees(side, graph, whole, &scratch);
	for (size_t f = 0; f < n; f++) {
		const uint32_t frame = graph->functions.data[f].frame;

		if (!placed[f])
			continue;
		side->by_frame[frame] += graph->functions.data[f].self + handed[f];
		if (handed[f] > 0)
			add_within(side, frame, PE_FRAME_NONE);
	}
}

static bool add_record(struct side *side, int dir, const char *name)
{
	pe_auto_arena scratch = PE_ARENA_INIT;
	const struct pe_callgrind_places places = {find_owner, side};
	struct pe_callgraph graph = {0};
	pe_auto_fd fd = pe_files_open_placed(dir, name, RECORD_BYTES);
	pe_auto_text text = PE_TEXT_INIT;
	bool good;

	side->failed = false;
	good = fd >= 0 && pe_text_read_fd(&text, fd) == 0 && text.len > 0 &&
	       text.len <= RECORD_BYTES &&
	       pe_callgrind_read_graph(&graph, text.data, text.len, name, &places, &scratch,
				       NULL) == PE_OK &&
	       !side->failed;
	if (good)
		add_graph(side, &graph);
	pe_callgraph_release(&graph);
	return good;
}

/* Of all processes; false: one left no whole record, or there is none. */
static bool add_records(struct side *side, int dir)
{
	const char **names = pe_walk_names(dir, &side->job.arena);
	size_t n_records = 0, n_logs = 0;
	bool good = names != NULL;

	for (; good && *names != NULL; names++) {
		n_logs += strncmp(*names, "log.", 4) == 0;
		if (strncmp(*names, PE_SIMULATE_RECORD, strlen(PE_SIMULATE_RECORD)) != 0)
			continue;
		n_records++;
		good = add_record(side, dir, *names);
	}
	/* Each process begins a log. */
	return good && n_records > 0 && n_records >= n_logs;
}

/* --- The run --- */

static int run_below(struct pe_collecting *collecting, const char *tree, const char *folder)
{
	const struct pe_runner *runner = &collecting->session->runner;
	const struct pe_benchmark *benchmark = collecting->benchmark;
	const struct pe_strings extra =
		pe_env_for_simulation(benchmark, runner->pass_env, collecting->arena);
	const struct pe_command command = pe_simulate_calls_command(
		runner->valgrind, &benchmark->command, folder, collecting->arena);
	const struct pe_collecting_place place = {.tree = tree,
						  .patience = PATIENCE,
						  .stage = "run below callgrind",
						  .command = &command};
	struct pe_run run = {.log = NULL};

	return pe_collecting_run(&run, collecting, &place, &extra);
}

/* The run and its records. Setup and cleanup are the caller's. */
static int charge_in(struct side *side)
{
	struct pe_collecting *collecting = &side->collecting;
	const struct pe_runner *runner = &collecting->session->runner;
	struct pe_err *err = collecting->session->app->err;
	const char *folder = NULL;
	pe_auto_fd dir = -1;

	PE_TRY(pe_collecting_folder(&folder, collecting, "calls"));
	dir = pe_files_open_below(runner->trusted, folder, false);
	if (dir < 0)
		return pe_fail_errno(err, "cannot open the folder %s", folder);
	PE_TRY(pe_symbols_open(&side->db, side->tree, NULL, err));
	PE_TRY(run_below(collecting, side->tree, folder));
	side->good = pe_collecting_goes_on(collecting) && add_records(side, dir);
	return PE_OK;
}

/* Whether a program or library of the tree has functions and no word about what was inlined. */
static bool lacks_debug(struct pe_symbols_db *db, const char *tree)
{
	size_t n, n_tree = strlen(tree);
	const struct pe_symbols_module *modules = pe_symbols_modules(db, &n);
	bool lacks = false;

	for (size_t i = 0; i < n; i++)
		lacks = lacks || (strncmp(modules[i].path, tree, n_tree) == 0 &&
				  modules[i].state != PE_SYMBOLS_DEBUG);
	return lacks;
}

static int charge(struct side *side)
{
	int rc;

	side->good = side->lacks = false;
	memset(side->by_frame, 0, side->opts->frames->n * sizeof(*side->by_frame));
	callees_release(&side->callees);
	side->callees = (struct callees){0};
	rc = charge_in(side);
	side->lacks = side->good && lacks_debug(side->db, side->tree);
	pe_map_release(&side->found);
	pe_symbols_close(side->db);
	side->db = NULL;
	return rc;
}

/* With its setup and cleanup, by the session itself. */
static int charge_alone(struct side *side, struct pe_session *session)
{
	const struct pe_collecting_place place = {.tree = side->tree,
						  .stage = "run below callgrind"};
	struct pe_collecting *collecting = &side->collecting;
	int rc;

	collecting->session = session;
	side->outcome.outcome = PE_MEASURED;
	rc = pe_collecting_set_up(collecting, &place);
	if (rc == PE_OK && pe_collecting_goes_on(collecting))
		rc = charge(side);
	return pe_collecting_clean_up(rc, collecting, &place);
}

/* --- Both at one time --- */

static void charge_in_worker(struct pe_pool_job *job, const struct pe_pool_worker *worker)
{
	struct side *side = (struct side *)job;
	struct pe_session *session = &side->session;

	side->app.err = &job->err;
	side->app.progress = (struct pe_progress){0};
	session->app = &side->app;
	session->runner.executor = worker->builder->executor;
	session->runner.stop_fd = worker->builder->stop_fd;
	session->runner.cpu = -1; /* counts do not depend on it */
	/* As long as the session's own, "scratch": a path in the environment moves the stack. */
	session->runner.scratch =
		pe_arena_printf(&job->arena, "%s/charge%u", session->cache_dir, worker->number);
	side->collecting.session = session;
	job->rc = pe_files_make_dir(session->runner.scratch, &job->err);
	if (job->rc == PE_OK)
		job->rc = charge(side);
	pe_files_remove(session->runner.scratch, NULL);
}

/* Runs take no place from each other: each has a launcher, a folder and a build of its own. */
static bool may_be_beside(const struct side sides[2], struct pe_session *session)
{
	const struct pe_benchmark *benchmark = sides[0].collecting.benchmark;

	return sides[0].tree != sides[1].tree && benchmark->setup.n == 0 &&
	       benchmark->cleanup.n == 0 && pe_session_counting_workers(session) > 1;
}

/* What fails beside another is charged alone. */
static int charge_beside(struct side sides[2], struct pe_session *session)
{
	int rc = pe_session_open_pool(session);

	for (int i = 0; rc == PE_OK && i < 2; i++) {
		sides[i].session = *session;
		sides[i].app = *session->app;
		sides[i].from_ns = pe_clock_stamp_ns();
		sides[i].job.work = charge_in_worker;
		sides[i].job.err = (struct pe_err)PE_ERR_INIT;
		sides[i].job.id = sides[i].collecting.revision->id;
		rc = pe_pool_start(session->pool, &sides[i].job, session->app->err);
	}
	while (session->pool != NULL && pe_pool_busy(session->pool) > 0) {
		struct side *side = (struct side *)pe_pool_take(session->pool);

		pe_outside_add_turn(&session->outside, pe_outside_id(&session->outside, side->tree),
				    side->from_ns, pe_clock_file_ns(), PE_OUTSIDE_RUN);
		side->collecting.session = session;
	}
	*session->app->err = (struct pe_err)PE_ERR_INIT;
	return *session->app->interrupts > 0
		       ? pe_fail(session->app->err, PE_ESTOPPED, "stopped while collecting")
		       : PE_OK;
}

static int charge_both(struct side sides[2], struct pe_session *session)
{
	if (may_be_beside(sides, session))
		PE_TRY(charge_beside(sides, session));
	for (int i = 0; i < 2; i++)
		if (!sides[i].good)
			PE_TRY(charge_alone(&sides[i], session));
	return PE_OK;
}

/*
 * Go on in builds that differ from the timed ones in nothing but debug information, where these have none; a side whose
 * build fails stays in the timed one. *any: one of them is another tree now.
 */
static int take_debug(bool *any, struct side sides[2], struct pe_collecting *builder)
{
	const struct pe_revision *const revisions[] = {sides[0].collecting.revision,
						       sides[1].collecting.revision};

	*any = false;
	PE_TRY(pe_collecting_open_slots(builder));
	PE_TRY(pe_collecting_build_ahead(builder, revisions, 2, PE_BUILD_VARIANT_NATIVE));
	for (int i = 0; i < 2; i++) {
		struct pe_slot *slot = NULL;

		builder->revision = revisions[i];
		builder->out->outcome = PE_MEASURED;
		PE_TRY(pe_collecting_build(&slot, builder, PE_BUILD_VARIANT_NATIVE));
		if (slot == NULL)
			continue;
		sides[i].tree = slot->tree;
		sides[i].good = false;
		*any = true;
	}
	return PE_OK;
}

/* @param bare  as struct pe_charges_opts has it; else the first records show whether builds lack debug information */
static int charge_all(struct side sides[2], struct pe_session *session, bool bare,
		      struct pe_arena *arena)
{
	struct pe_collected outcome = {.log = ""};
	struct pe_collecting builder = sides[0].collecting;
	bool any = false;
	int rc = PE_OK;

	builder.out = &outcome;
	builder.arena = arena;
	if (!bare)
		rc = charge_both(sides, session);
	if (rc == PE_OK && (bare || sides[0].lacks || sides[1].lacks))
		rc = take_debug(&any, sides, &builder);
	if (rc == PE_OK && (bare || any))
		rc = charge_both(sides, session);
	pe_session_close_slots(session, &builder.slots);
	return rc;
}

/* Add up for each method how much the functions vary that have its code, on either side. */
static void find_varies(uint64_t *out, const struct side sides[2],
			const struct pe_charges_opts *opts)
{
	struct pe_map seen = {0};

	for (int i = 0; i < 2; i++)
		for (size_t e = 0; e < sides[i].within.entries.n; e++) {
			const struct pe_map_entry *entry = &sides[i].within.entries.data[e];
			const uint32_t method =
				pe_changes_new_frame(opts->renamed, (uint32_t)entry->a);
			bool is_new;

			pe_map_put(&seen, method, entry->b, 0, &is_new);
			out[method] += is_new ? spread_of(opts, (uint32_t)entry->b) : 0;
		}
	pe_map_release(&seen);
}

static uint64_t change_of(const struct callee *callee)
{
	const uint64_t *cost = callee->cost;

	return cost[0] > cost[1] ? cost[0] - cost[1] : cost[1] - cost[0];
}

/* Whether old alone calls one of them, and new alone the other, as often. */
static bool is_exchange(const struct callee *a, const struct callee *b)
{
	const uint64_t calls = a->calls[0] + a->calls[1];

	return calls > 0 && a->calls[0] == b->calls[1] && a->calls[1] == b->calls[0] &&
	       (a->calls[0] == 0 || a->calls[1] == 0) && a != b;
}

/* Join each method's `most` with the largest callee that it is exchanged for, such as calloc for malloc. */
static void join_replaced(struct callee *const *most, const struct callees *both, size_t n,
			  struct pe_arena *arena)
{
	struct callee **others = pe_arena_new(arena, struct callee *, n);

	for (size_t c = 0; c < both->list.n; c++) {
		struct callee *one = &both->list.data[c], **other = &others[one->method];

		if (most[one->method] != NULL && is_exchange(one, most[one->method]) &&
		    change_of(one) > (*other != NULL ? change_of(*other) : 0))
			*other = one;
	}
	for (size_t f = 0; f < n; f++) {
		const bool is_added = others[f] != NULL && most[f]->calls[1] > 0;
		const struct callee *added = is_added ? most[f] : others[f];
		const struct callee *removed = is_added ? others[f] : most[f];

		if (others[f] == NULL)
			continue;
		*most[f] = (struct callee){
			.method = added->method,
			.name = added->name,
			.calls = {removed->calls[0], added->calls[1]},
			.cost = {removed->cost[0], added->cost[1]},
			.replaced = removed->name,
		};
		*others[f] = (struct callee){.method = added->method, .name = "", .replaced = ""};
	}
}

/* Join the callees of both sides, by the methods' names in new. */
static void join_sides(struct callees *both, const struct side sides[2],
		       const struct pe_charges_opts *opts, struct pe_arena *arena)
{
	for (int i = 0; i < 2; i++)
		for (size_t c = 0; c < sides[i].callees.list.n; c++) {
			const struct callee *one = &sides[i].callees.list.data[c];
			struct callee *of =
				find_callee(both, pe_changes_new_frame(opts->renamed, one->method),
					    one->name, arena);

			of->calls[i] += one->calls[i];
			of->cost[i] += one->cost[i];
		}
}

/* Find each method's callee whose cost differs most; NULL: none. */
static void find_most(struct callee **out, const struct callees *both, size_t n)
{
	memset(out, 0, n * sizeof(*out));
	for (size_t c = 0; c < both->list.n; c++) {
		struct callee *one = &both->list.data[c], **most = &out[one->method];

		if (change_of(one) > (*most != NULL ? change_of(*most) : 0))
			*most = one;
	}
}

/* Add the callees of each method but one. */
static void add_others(struct pe_charges *charges, const struct callees *both,
		       struct callee *const *most, const size_t *charge_of)
{
	for (size_t c = 0; c < both->list.n; c++) {
		const struct callee *one = &both->list.data[c];

		if (one == most[one->method] || charge_of[one->method] == SIZE_MAX)
			continue;
		charges->at[charge_of[one->method]].old_others += one->cost[0];
		charges->at[charge_of[one->method]].new_others += one->cost[1];
	}
}

/* Make the list of charges, by the methods' names in new. */
static struct pe_charges list_of(const struct side sides[2], const struct pe_charges_opts *opts,
				 struct pe_arena *arena)
{
	const struct pe_frames *frames = opts->frames;
	struct pe_charges out = {pe_arena_new(arena, struct pe_charge, frames->n), 0};
	const uint64_t *news = sides[1].by_frame;
	pe_auto_arena work = PE_ARENA_INIT;
	uint64_t *olds = pe_arena_new(&work, uint64_t, frames->n);
	uint64_t *varies = pe_arena_new(&work, uint64_t, frames->n);
	struct callee **most = pe_arena_new(&work, struct callee *, frames->n);
	size_t *charge_of = pe_arena_new(&work, size_t, frames->n);
	static const struct callee nothing = {.name = "", .replaced = ""};
	struct callees both = {0};

	find_varies(varies, sides, opts);
	join_sides(&both, sides, opts, arena);
	find_most(most, &both, frames->n);
	join_replaced(most, &both, frames->n, &work);
	/* Together, two may differ less than another one. */
	find_most(most, &both, frames->n);
	for (uint32_t f = 0; f < frames->n; f++)
		olds[pe_changes_new_frame(opts->renamed, f)] += sides[0].by_frame[f];
	for (uint32_t f = 0; f < frames->n; f++) {
		const struct callee *callee = most[f] != NULL ? most[f] : &nothing;

		charge_of[f] = olds[f] > 0 || news[f] > 0 ? out.n : SIZE_MAX;
		if (charge_of[f] != SIZE_MAX)
			out.at[out.n++] = (struct pe_charge){
				.name = frames->at[f].name,
				.signature = frames->at[f].signature,
				.component = frames->at[f].component,
				.old_instructions = olds[f],
				.new_instructions = news[f],
				.varies = varies[f],
				.callee = callee->name,
				.old_calls = callee->calls[0],
				.new_calls = callee->calls[1],
				.old_cost = callee->cost[0],
				.new_cost = callee->cost[1],
				.replaced = callee->replaced,
			};
	}
	add_others(&out, &both, most, charge_of);
	callees_release(&both);
	return out;
}

int pe_collect_charges(struct pe_charges *out, struct pe_session *session,
		       const struct pe_revision *const revisions[2],
		       const struct pe_benchmark *benchmark, const struct pe_charges_opts *opts,
		       struct pe_arena *arena)
{
	struct side *sides = pe_arena_new(arena, struct side, 2);
	bool built = true;
	int rc = PE_OK;

	*out = (struct pe_charges){NULL, 0};
	for (int i = 0; rc == PE_OK && built && i < 2; i++) {
		struct pe_build build;

		sides[i].outcome.log = "";
		sides[i].collecting = (struct pe_collecting){
			.session = session,
			.revision = revisions[i],
			.benchmark = benchmark,
			.plan = pe_collecting_plan(benchmark),
			.arena = &sides[i].job.arena,
			.out = &sides[i].outcome,
			.total = 1,
		};
		sides[i].opts = opts;
		sides[i].number = i;
		sides[i].by_frame = pe_arena_new(arena, uint64_t, opts->frames->n);
		rc = pe_session_build(&sides[i].slot, &build, session, revisions[i]);
		built = rc == PE_OK && sides[i].slot != NULL && build.outcome == PE_MEASURED;
		sides[i].tree = built ? sides[i].slot->tree : NULL;
	}
	if (built)
		rc = charge_all(sides, session, opts->bare, arena);
	if (rc == PE_OK && sides[0].good && sides[1].good)
		*out = list_of(sides, opts, arena);
	for (int i = 0; i < 2; i++) {
		if (sides[i].slot != NULL)
			sides[i].slot->held = false;
		pe_map_release(&sides[i].within);
		callees_release(&sides[i].callees);
		pe_arena_release(&sides[i].job.arena);
	}
	return rc;
}

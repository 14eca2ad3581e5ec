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
#include "analysis/compare/functions.h"
#include "core/base/clock.h"
#include "core/base/files.h"
#include "core/exec/env.h"
#include "core/exec/simulate.h"
#include "analysis/profile/callgraph.h"
#include "analysis/profile/merge_names.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	/* Beside a timed run: what pe_simulate_command() may take, and three times that. */
	PATIENCE = 3 * PE_SIMULATE_SLOWER,
	/* Of a process: lua's is 1 MiB. */
	RECORD_BYTES = 1 << 28,
};

/* One side: a run of its own, whose methods are looked for in the frames of all trees. */
struct charging {
	const struct pe_frames *frames; /* of the trees, and more */
	const bool *placed;             /* by frame: a tree has it */
	struct pe_symbols_db *db;
	const char *tree;
	uint64_t *by_frame;
	struct pe_arena *arena; /* of a record */
	struct pe_map
		found; /* methods by where the symbolizer has their name and file, for as long as it lives */
	bool failed; /* an address could not be looked up */
};

/* A side on its way. What a worker works with is its own: a session, an application and a runner beside those of the caller. */
struct side {
	struct pe_pool_job job; /* the first member: its work is given it */
	struct charging charging;
	struct pe_collecting collecting;
	struct pe_collected outcome;
	struct pe_session session;
	struct pe_app app;
	struct pe_slot *slot; /* NULL: it does not build */
	int64_t from_ns;      /* by the clock of files */
	bool good, lacks;     /* all processes left whole records; without inlined methods */
};

/* --- Records --- */

/* The method of a symbol; PE_FRAME_NONE. */
static uint32_t find_method(const struct charging *charging, const struct pe_frame *frame)
{
	const char *name = pe_merge_plain_name(frame->name, charging->arena);
	uint32_t found =
		pe_functions_find_frame(charging->frames, name, frame->signature, frame->component);

	/* Builds go on from others', which were made in other slots. */
	if (found == PE_FRAME_NONE && frame->component[0] == '/')
		found = pe_functions_find_frame(
			charging->frames, name, frame->signature,
			pe_functions_component(frame->component, charging->tree, charging->arena));
	/* Without debug information the component is the module; a compiler cache's objects are of another folder. */
	if (found == PE_FRAME_NONE &&
	    (frame->component[0] == '/' || strcmp(frame->component, frame->module) == 0))
		return pe_functions_find_frame(charging->frames, name, frame->signature, "");
	return found;
}

/* The placed frame of a function, looked up once: a program has many instructions. Only frames of a tree. */
static uint32_t find_placed(struct charging *charging, const struct pe_frame *frame)
{
	bool is_new;
	uint32_t *found = pe_map_put(&charging->found, (uintptr_t)frame->name,
				     (uintptr_t)frame->component, PE_FRAME_NONE, &is_new);

	if (is_new && frame->kind == PE_FRAME_METHOD) {
		*found = find_method(charging, frame);
		if (*found != PE_FRAME_NONE && !charging->placed[*found])
			*found = PE_FRAME_NONE;
	}
	return *found;
}

/* The innermost method that a tree has: what is in none is its caller's. */
static uint32_t find_owner(void *payload, const char *object, uint64_t address)
{
	struct charging *charging = payload;
	const struct pe_symbolizer symbolizer = pe_symbols_symbolizer(charging->db);
	const struct pe_module module = {.path = object, .build_id = "", .end = UINT64_MAX};
	struct pe_symbols symbols = {NULL, 0};
	uint32_t found = PE_FRAME_NONE;

	if (symbolizer.resolve(&symbols, &module, address, symbolizer.payload, NULL) != PE_OK) {
		charging->failed = true;
		return PE_FRAME_NONE;
	}
	for (size_t i = 0; i < symbols.n && found == PE_FRAME_NONE; i++)
		found = find_placed(charging, &symbols.at[i].frame);
	return found;
}

static void add_graph(struct charging *charging, const struct pe_callgraph *graph)
{
	size_t n = graph->functions.n;
	bool *placed = pe_arena_new(charging->arena, bool, n);
	uint64_t *handed = pe_arena_new(charging->arena, uint64_t, n);

	for (size_t f = 0; f < n; f++)
		placed[f] = graph->functions.data[f].frame != PE_FRAME_NONE;
	pe_callgraph_handed(handed, graph, placed);
	for (size_t f = 0; f < n; f++)
		if (placed[f])
			charging->by_frame[graph->functions.data[f].frame] +=
				graph->functions.data[f].self + handed[f];
}

/* A record of the folder in memory; false: it is none, or too large. */
static bool read_bytes(char **out, size_t *n, int dir, const char *name)
{
	pe_auto_fd fd = pe_files_open_placed(dir, name, 0);
	struct stat st;
	bool whole = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 &&
		     st.st_size <= RECORD_BYTES;

	*out = NULL;
	*n = 0;
	if (whole) {
		ssize_t got = 1;

		*out = pe_realloc(NULL, (size_t)st.st_size, 1);
		while (*n < (size_t)st.st_size && got > 0) {
			got = read(fd, *out + *n, (size_t)st.st_size - *n);
			*n += got > 0 ? (size_t)got : 0;
		}
		whole = *n == (size_t)st.st_size;
	}
	return whole;
}

static bool add_record(struct charging *charging, int dir, const char *name)
{
	pe_auto_arena scratch = PE_ARENA_INIT;
	struct charging with = *charging;
	const struct pe_callgrind_places places = {find_owner, &with};
	struct pe_callgraph graph = {0};
	pe_auto_free char *bytes = NULL;
	size_t n;
	bool good;

	with.arena = &scratch;
	good = read_bytes(&bytes, &n, dir, name) &&
	       pe_callgrind_read_graph(&graph, bytes, n, name, &places, &scratch, NULL) == PE_OK &&
	       !with.failed;
	if (good)
		add_graph(&with, &graph);
	pe_callgraph_release(&graph);
	pe_map_release(&with.found);
	return good;
}

/* Of all processes; false: one left no whole record, or there is none. */
static bool add_records(struct charging *charging, int dir)
{
	int copy = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *records = copy >= 0 ? fdopendir(copy) : NULL;
	const struct dirent *entry;
	size_t n_records = 0, n_logs = 0;
	bool good = records != NULL;

	while (good && (entry = readdir(records)) != NULL) {
		n_logs += strncmp(entry->d_name, "log.", 4) == 0;
		if (strncmp(entry->d_name, PE_SIMULATE_RECORD, strlen(PE_SIMULATE_RECORD)) != 0)
			continue;
		n_records++;
		good = add_record(charging, dir, entry->d_name);
	}
	if (records != NULL)
		closedir(records);
	else if (copy >= 0)
		close(copy);
	/* Each process begins a log. */
	return good && n_records > 0 && n_records >= n_logs;
}

/* --- The run --- */

static int run_below(struct pe_collecting *collecting, const struct pe_collecting_place *place,
		     const char *folder)
{
	const struct pe_strings extra =
		pe_env_for_simulation(collecting->benchmark->benchmark,
				      collecting->session->runner.pass_env, collecting->arena);
	struct pe_session_benchmark instead = *collecting->benchmark;
	struct pe_benchmark benchmark = *instead.benchmark;
	struct pe_collecting other = *collecting;
	struct pe_run run = {.log = NULL};

	benchmark.command =
		pe_simulate_calls_command(collecting->session->runner.valgrind, &benchmark.command,
					  folder, collecting->arena);
	instead.benchmark = &benchmark;
	other.benchmark = &instead;
	return pe_collecting_run(&run, &other, place, &extra);
}

/* The run and its records, in a built tree. Setup and cleanup are the caller's. */
static int charge_in(struct side *side, const char *tree)
{
	const struct pe_collecting_place place = {tree, PATIENCE, "run below callgrind", false};
	struct pe_collecting *collecting = &side->collecting;
	const struct pe_runner *runner = &collecting->session->runner;
	struct pe_err *err = collecting->session->app->err;
	const char *folder = NULL;
	pe_auto_fd dir = -1;
	int rc;

	PE_TRY(pe_collecting_folder(&folder, collecting, "calls"));
	dir = pe_files_open_below(runner->trusted, folder, false);
	if (dir < 0)
		return pe_fail_errno(err, "cannot open the folder %s", folder);
	rc = pe_symbols_open(&side->charging.db, tree, NULL, err);
	if (rc == PE_OK)
		rc = run_below(collecting, &place, folder);
	side->good = rc == PE_OK && pe_collecting_goes_on(collecting) &&
		     add_records(&side->charging, dir);
	return rc;
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

static int charge(struct side *side, const char *tree)
{
	struct charging *charging = &side->charging;
	int rc;

	charging->tree = tree;
	side->good = side->lacks = false;
	memset(charging->by_frame, 0, charging->frames->n * sizeof(*charging->by_frame));
	rc = charge_in(side, tree);
	side->lacks = side->good && lacks_debug(charging->db, tree);
	pe_symbols_close(charging->db);
	charging->db = NULL;
	return rc;
}

/* With its setup and cleanup, by the session itself. */
static int charge_alone(struct side *side, struct pe_session *session, const char *tree)
{
	const struct pe_collecting_place place = {tree, 0, "run below callgrind", false};
	struct pe_collecting *collecting = &side->collecting;
	int rc;

	collecting->session = session;
	side->outcome.outcome = PE_MEASURED;
	rc = pe_collecting_set_up(collecting, &place);
	if (rc == PE_OK && pe_collecting_goes_on(collecting))
		rc = charge(side, tree);
	return pe_collecting_clean_up(rc, collecting, &place);
}

/* Once more, in a build that differs from the timed one in nothing but debug information; one that fails changes nothing. */
static int charge_debug(struct side *side, struct pe_session *session)
{
	struct pe_slot *slot = NULL;
	int rc;

	side->outcome.outcome = PE_MEASURED;
	rc = pe_collecting_open_slots(&side->collecting);
	if (rc != PE_OK)
		return rc;
	rc = pe_collecting_build(&slot, &side->collecting, PE_BUILD_VARIANT_NATIVE);
	if (rc == PE_OK && slot != NULL)
		rc = charge_alone(side, session, slot->tree);
	pe_session_close_slots(session, &side->collecting.slots);
	return rc;
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
		job->rc = charge(side, side->slot->tree);
	pe_files_remove(session->runner.scratch, NULL);
}

/* Runs take no place from each other: each has a launcher, a folder and a build of its own. */
static bool may_be_beside(const struct side sides[2], struct pe_session *session)
{
	const struct pe_benchmark *benchmark = sides[0].collecting.benchmark->benchmark;

	return sides[0].slot != sides[1].slot && benchmark->setup.n == 0 &&
	       benchmark->cleanup.n == 0 && pe_session_counting_workers(session) > 1;
}

/* What fails beside another is charged alone. */
static int charge_beside(struct side sides[2], struct pe_session *session)
{
	const char *trees[2] = {sides[0].slot->tree, sides[1].slot->tree};
	int rc = pe_session_open_pool(session);
	int64_t since_ns = pe_kept_begin_together();

	for (int i = 0; rc == PE_OK && i < 2; i++) {
		sides[i].session = *session;
		sides[i].app = *session->app;
		sides[i].from_ns = pe_kept_begin_together();
		sides[i].job.work = charge_in_worker;
		sides[i].job.err = (struct pe_err)PE_ERR_INIT;
		sides[i].job.id = sides[i].collecting.revision->revision->id;
		rc = pe_pool_start(session->pool, &sides[i].job, session->app->err);
	}
	while (session->pool != NULL && pe_pool_busy(session->pool) > 0) {
		struct side *side = (struct side *)pe_pool_take(session->pool);

		pe_outside_add_turn(&session->outside, side->job.id, side->from_ns,
				    pe_clock_file_ns(), PE_OUTSIDE_RUN);
		side->collecting.session = session;
	}
	pe_kept_end_together(&session->kept, since_ns, trees, 2);
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
			PE_TRY(charge_alone(&sides[i], session, sides[i].slot->tree));
	for (int i = 0; i < 2; i++)
		if (sides[i].lacks)
			PE_TRY(charge_debug(&sides[i], session));
	return PE_OK;
}

int pe_collect_charges(uint64_t *out[2], struct pe_session *session,
		       const struct pe_session_revision *const revisions[2],
		       const struct pe_session_benchmark *benchmark, const struct pe_frames *frames,
		       const bool *placed, struct pe_arena *arena)
{
	static const struct pe_profile_plan nothing;
	struct side *sides = pe_arena_new(arena, struct side, 2);
	bool built = true;
	int rc = PE_OK;

	for (int i = 0; rc == PE_OK && built && i < 2; i++) {
		struct pe_build build;

		out[i] = NULL;
		sides[i].outcome.log = "";
		sides[i].collecting = (struct pe_collecting){
			.session = session,
			.revision = revisions[i],
			.benchmark = benchmark,
			.plan = benchmark->benchmark->profile != NULL
					? benchmark->benchmark->profile
					: &nothing,
			.arena = &sides[i].job.arena,
			.out = &sides[i].outcome,
			.total = 1,
		};
		sides[i].charging =
			(struct charging){.frames = frames,
					  .placed = placed,
					  .by_frame = pe_arena_new(arena, uint64_t, frames->n)};
		rc = pe_session_build(&sides[i].slot, &build, session, revisions[i]);
		built = rc == PE_OK && sides[i].slot != NULL && build.outcome == PE_MEASURED;
	}
	if (built)
		rc = charge_both(sides, session);
	for (int i = 0; i < 2; i++) {
		if (sides[i].slot != NULL)
			sides[i].slot->held = false;
		if (rc == PE_OK && built && sides[i].good)
			out[i] = sides[i].charging.by_frame;
		pe_arena_release(&sides[i].job.arena);
	}
	return rc;
}

/*
 * Charges: what methods execute as the source has them. Counts of functions say what the compiled ones execute, which hold what
 * was inlined into them, and say of the C library's memcpy() not for whom it copies. A run below callgrind tells instructions by
 * their addresses, which the debug information leads to the method that was inlined there, and calls by what they cost.
 *
 * Nothing of a record is believed: the run can write to it.
 */
#include "app/profiling/collect_internal.h"

#include "app/measure/functions.h"
#include "analysis/compare/functions.h"
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

struct charging {
	const struct pe_frames *frames; /* of the trees, and more */
	const bool *placed;             /* by frame: a tree has it */
	struct pe_symbols_db *db;
	const char *tree;
	uint64_t *by_frame;
	struct pe_arena *arena; /* of a record */
	struct pe_map
		found; /* methods by where the symbolizer has their name and file, for as long as it lives */
	bool failed; /* an address could not be asked for */
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

/* Likewise, looked for once a function: a program has many instructions. Only what a tree has. */
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
	int fd = pe_files_open_placed(dir, name, 0);
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
	if (fd >= 0)
		close(fd);
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

/* In a built tree; *good: all processes left whole records. */
static int charge_in(bool *good, struct charging *charging, struct pe_collecting *collecting,
		     const char *tree)
{
	const struct pe_collecting_place place = {tree, PATIENCE, "run below callgrind", false};
	const struct pe_runner *runner = &collecting->session->runner;
	const char *folder = NULL;
	int dir = -1;
	int rc = pe_collecting_folder(&folder, collecting, "calls");

	*good = false;
	if (rc == PE_OK && (dir = pe_files_open_below(runner->trusted, folder, false)) < 0)
		rc = pe_fail_errno(collecting->session->app->err, "cannot open the folder %s",
				   folder);
	if (rc != PE_OK)
		return rc;
	rc = pe_symbols_open(&charging->db, tree, NULL, collecting->session->app->err);
	if (rc == PE_OK)
		rc = pe_collecting_set_up(collecting, &place);
	if (rc == PE_OK && pe_collecting_goes_on(collecting))
		rc = run_below(collecting, &place, folder);
	rc = pe_collecting_clean_up(rc, collecting, &place);
	*good = rc == PE_OK && pe_collecting_goes_on(collecting) && add_records(charging, dir);
	close(dir);
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

static int charge(bool *good, bool *lacks, struct charging *charging,
		  struct pe_collecting *collecting, const char *tree)
{
	int rc;

	charging->tree = tree;
	memset(charging->by_frame, 0, charging->frames->n * sizeof(*charging->by_frame));
	rc = charge_in(good, charging, collecting, tree);
	*lacks = *good && lacks_debug(charging->db, tree);
	pe_symbols_close(charging->db);
	charging->db = NULL;
	return rc;
}

/* Once more, in a build that differs from the timed one in nothing but debug information; one that fails changes nothing. */
static int charge_debug(bool *good, struct charging *charging, struct pe_collecting *collecting)
{
	struct pe_slot *slot = NULL;
	bool lacks;
	int rc = pe_collecting_open_slots(collecting);

	if (rc != PE_OK)
		return rc;
	rc = pe_collecting_build(&slot, collecting, PE_BUILD_VARIANT_NATIVE);
	if (rc == PE_OK && slot != NULL)
		rc = charge(good, &lacks, charging, collecting, slot->tree);
	pe_session_close_slots(collecting->session, &collecting->slots);
	return rc;
}

int pe_collect_charges(uint64_t **out, struct pe_session *session,
		       const struct pe_session_revision *revision,
		       const struct pe_session_benchmark *benchmark, const struct pe_frames *frames,
		       const bool *placed, struct pe_arena *arena)
{
	static const struct pe_profile_plan nothing;
	struct pe_collected outcome = {.outcome = PE_MEASURED, .log = ""};
	struct pe_collecting collecting = {
		.session = session,
		.revision = revision,
		.benchmark = benchmark,
		.plan = benchmark->benchmark->profile != NULL ? benchmark->benchmark->profile
							      : &nothing,
		.arena = arena,
		.out = &outcome,
		.total = 1,
	};
	struct charging charging = {.frames = frames,
				    .placed = placed,
				    .by_frame = pe_arena_new(arena, uint64_t, frames->n)};
	struct pe_slot *slot;
	struct pe_build build;
	bool good = false, lacks = false;
	int rc;

	*out = NULL;
	rc = pe_session_build(&slot, &build, session, revision);
	if (rc != PE_OK || slot == NULL || build.outcome != PE_MEASURED)
		return rc;
	rc = charge(&good, &lacks, &charging, &collecting, slot->tree);
	slot->held = false;
	if (rc == PE_OK && lacks)
		rc = charge_debug(&good, &charging, &collecting);
	if (good)
		*out = charging.by_frame;
	return rc;
}

/*
 * Whether a confirmed change is one of layout. Both sides are built once more (as a rule they still lie in their
 * slots) and what the benchmark was seen to execute and to read is compared. It is layout where
 *
 *   everything that the programs hold besides functions is the same, but for places (struct pe_program, data);
 *   every function that both sides have is the same, or is known not to be executed. One that only one of them
 *     has is reached from nothing, for whatever reached it would differ;
 *   the files that the benchmark reads are the same;
 *   and so are the deterministic counts of both sides, and instructions where they are counted.
 *
 * What runs is then the same from its first instruction to its last. Wherever that is not sure the answer is not
 * layout: a word that excuses a change must not stand beside one that is in the code.
 */
#define _XOPEN_SOURCE 700 /* realpath(3) */

#include "cmd/confirming.h"

#include "cmd/identity.h"
#include "core/bench/flavour.h"
#include "methods/code.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What is known of all changes. */
struct looking {
	struct pe_session *session;
	struct pe_stored_confirmation *rows;
	struct pe_execution *executions;
	struct pe_carried *carried;
	size_t n, n_executions, n_carried;
};

/* The two sides of a change: revisions whose figures count for them (keys), and where the session has them. */
struct sides {
	int64_t asked[2], keys[2];
	size_t at[2];
	size_t workload; /* the session's index */
};

/* What one side executes and reads. */
struct held {
	struct pe_program *programs; /* beside the touched ones */
	bool *read;                  /* it is a program, not a script */
	char files[PE_HASH_HEX];     /* of what is no program */
};

/* --- Which changes --- */

/* Memory and faults may well move with the size of code that never runs. */
static bool is_time(const struct pe_stored_confirmation *row)
{
	const struct pe_metric *metric = pe_metric_find(row->metric);

	return metric == NULL ||
	       (metric->kind != PE_METRIC_DETERMINISTIC && strcmp(metric->unit, "ns") == 0);
}

static bool is_asked(const struct pe_stored_confirmation *row)
{
	return row->answer == PE_CONFIRMED && row->settled && row->layout == PE_LAYOUT_NOT_LOOKED &&
	       is_time(row);
}

/* The revision whose figures a cell has. */
static int64_t source_of(const struct looking *looking, int64_t workload, int64_t revision)
{
	for (size_t i = 0; i < looking->n_carried; i++)
		if (looking->carried[i].workload == workload &&
		    looking->carried[i].revision == revision)
			return looking->carried[i].source;
	return revision;
}

static int64_t parent_of(const struct pe_session *session, int64_t key)
{
	size_t at = pe_session_revision_of(session, key);
	const struct pe_revision *revision;

	if (at == SIZE_MAX || session->revisions[at].revision->n_parents == 0)
		return 0;
	revision = session->revisions[at].revision;
	for (size_t r = 0; r < session->n_revisions; r++)
		if (strcmp(session->revisions[r].revision->id, revision->parents[0]) == 0)
			return session->revisions[r].key;
	return 0;
}

/*
 * The sides between which the change certainly lies: where more than one commit may be its beginning, what was
 * before the first of them, and the last.
 */
static bool find_sides(struct sides *out, const struct looking *looking,
		       const struct pe_stored_confirmation *row)
{
	const struct pe_session *session = looking->session;
	bool pinned = row->pinned_after != 0;
	int64_t first = pinned ? row->pinned_first : row->first;
	int64_t last = pinned ? row->pinned_last : row->last;
	int64_t after = pinned ? row->pinned_after : row->after;
	bool sure = first == after && last == after;

	out->asked[0] = !sure    ? parent_of(session, first)
			: pinned ? row->pinned_before
				 : row->before;
	out->asked[1] = sure ? after : last;
	for (int side = 0; side < 2; side++) {
		out->keys[side] = source_of(looking, row->workload, out->asked[side]);
		out->at[side] = pe_session_revision_of(session, out->keys[side]);
		if (out->at[side] == SIZE_MAX)
			out->at[side] = pe_session_revision_of(session, out->asked[side]);
	}
	out->workload = pe_session_workload_of(session, row->workload);
	return out->at[0] != SIZE_MAX && out->at[1] != SIZE_MAX && out->workload != SIZE_MAX;
}

/* --- Counts --- */

/* The smallest, the greatest and the middle of a revision's values; false: it has none. */
static bool spread_of(double out[3], const struct pe_observation *at, size_t n, int64_t revision)
{
	double sum = 0;
	size_t found = 0;

	for (size_t i = 0; i < n; i++) {
		double value = at[i].value;

		if (at[i].revision != revision)
			continue;
		out[0] = found == 0 ? value : fmin(out[0], value);
		out[1] = found == 0 ? value : fmax(out[1], value);
		sum += value;
		found++;
	}
	out[2] = found > 0 ? sum / (double)found : 0;
	return found > 0;
}

/* What one metric says. PE_LAYOUT_UNTOLD: nothing. */
static int compare_count(enum pe_layout *out, struct pe_session *session,
			 const struct pe_metric *metric, int64_t workload,
			 const struct sides *sides)
{
	const struct pe_series_query query = {session->machine_key, workload, metric->name};
	bool exact = metric->kind == PE_METRIC_DETERMINISTIC;
	struct pe_arena arena = PE_ARENA_INIT;
	struct pe_observation *at;
	double left[3], right[3];
	size_t n;
	int rc = pe_store_get_series(&at, &n, session->ctx->store, &query, &arena,
				     session->ctx->err);

	*out = PE_LAYOUT_UNTOLD;
	if (rc == PE_OK && spread_of(left, at, n, sides->keys[0]) &&
	    spread_of(right, at, n, sides->keys[1])) {
		/* The kernel's share of instructions varies; what the program does shows beyond it. */
		bool same = exact ? left[0] == right[0] && left[1] == right[1] && left[0] == left[1]
				  : fabs(left[2] - right[2]) <= metric->min_relative * left[2];

		*out = same ? PE_LAYOUT_ONLY : PE_LAYOUT_WORK;
	}
	pe_arena_release(&arena);
	return rc;
}

/* All counts that both sides have. Something exact must be among them. */
static int compare_counts(enum pe_layout *out, struct pe_session *session, int64_t workload,
			  const struct sides *sides)
{
	struct pe_metric *metrics;
	size_t n;
	int rc = pe_store_workload_metrics(&metrics, &n, session->ctx->store, session->machine_key,
					   workload, session->arena, session->ctx->err);

	*out = PE_LAYOUT_UNTOLD;
	for (size_t i = 0; rc == PE_OK && i < n; i++) {
		bool exact = metrics[i].kind == PE_METRIC_DETERMINISTIC;
		enum pe_layout one;

		if (!exact && strcmp(metrics[i].name, pe_metrics[PE_INSTRUCTIONS].name) != 0)
			continue;
		rc = compare_count(&one, session, &metrics[i], workload, sides);
		if (rc == PE_OK && one == PE_LAYOUT_WORK) {
			*out = PE_LAYOUT_WORK;
			return PE_OK;
		}
		if (exact && one == PE_LAYOUT_ONLY)
			*out = PE_LAYOUT_ONLY;
	}
	return rc;
}

/* --- What a side executes and reads --- */

/* The path of a file below a folder with all links followed; NULL: there is none. */
static const char *resolve(const char *tree, const char *path, struct pe_arena *arena)
{
	char resolved[PATH_MAX];

	return realpath(pe_arena_printf(arena, "%s/%s", tree, path), resolved) != NULL
		       ? pe_arena_strdup(arena, resolved)
		       : NULL;
}

static void add_file(struct pe_strings *files, const char **room, const char *path)
{
	room[files->n++] = path;
	files->at = room;
}

/*
 * What is read besides programs and their libraries: these are compared by what they do. By the paths of the left
 * side, so that both are asked for the same.
 */
static void choose_files(struct pe_touched *out, const struct pe_touched *touched,
			 const struct held *held, const char *tree, struct pe_arena *arena)
{
	const char **room =
		pe_arena_new(arena, const char *, touched->files.n + touched->programs.n);
	PE_VEC(const char *) code = {NULL, 0, 0};

	*out = (struct pe_touched){.folders = touched->folders, .made = touched->made};
	for (size_t p = 0; p < touched->programs.n; p++) {
		if (!held->read[p])
			add_file(&out->files, room, touched->programs.at[p]);
		for (size_t m = 0; m < held->programs[p].n_modules; m++)
			pe_vec_push(&code, resolve(tree, held->programs[p].modules[m], arena));
	}
	for (size_t f = 0; f < touched->files.n; f++) {
		const char *path = resolve(tree, touched->files.at[f], arena);
		bool is_code = false;

		for (size_t i = 0; path != NULL && i < code.n && !is_code; i++)
			is_code = code.data[i] != NULL && strcmp(code.data[i], path) == 0;
		if (!is_code)
			add_file(&out->files, room, touched->files.at[f]);
	}
	pe_vec_release(&code);
}

/* @return  PE_EUNSUPPORTED: no program among them, or one that cannot be normalised */
static int read_programs(struct held *out, const struct pe_touched *touched, const char *tree,
			 struct pe_arena *arena, struct pe_err *err)
{
	size_t n = touched->programs.n, n_read = 0;

	out->programs = pe_arena_new(arena, struct pe_program, n);
	out->read = pe_arena_new(arena, bool, n);
	for (size_t p = 0; p < n; p++) {
		const char *path = pe_arena_printf(arena, "%s/%s", tree, touched->programs.at[p]);
		int rc = pe_code_read(&out->programs[p], path, tree, arena, err);

		out->read[p] = rc == PE_OK;
		n_read += rc == PE_OK;
		if (rc == PE_OK && !out->programs[p].exact)
			return pe_fail(err, PE_EUNSUPPORTED, "%s has no symbols",
				       touched->programs.at[p]);
		if (rc != PE_OK && rc != PE_EUNSUPPORTED && rc != PE_ENOTFOUND)
			return rc;
		if (rc != PE_OK)
			out->programs[p] = (struct pe_program){0};
	}
	return n_read > 0 ? PE_OK : pe_fail(err, PE_EUNSUPPORTED, "nothing executed is a program");
}

/* Build a side and read it; `files` is filled for the left one and read for the right one. */
static int hold(struct held *out, struct pe_session *session, size_t revision,
		const struct pe_touched *touched, struct pe_touched *files, bool left,
		struct pe_arena *arena)
{
	struct pe_cmd_ctx *ctx = session->ctx;
	struct pe_build build;
	struct pe_slot *slot;
	int rc = pe_session_build(&slot, &build, session, &session->revisions[revision]);

	if (rc == PE_OK && *ctx->interrupts > 0)
		rc = pe_fail(ctx->err, PE_ESTOPPED, "stopped while building");
	if (rc == PE_OK && (slot == NULL || build.outcome != PE_MEASURED))
		return pe_fail(ctx->err, PE_EUNSUPPORTED, "a side does not build");
	if (rc == PE_OK)
		rc = read_programs(out, touched, slot->tree, arena, ctx->err);
	if (rc == PE_OK && left)
		choose_files(files, touched, out, slot->tree, arena);
	if (rc == PE_OK)
		rc = pe_identity_of(out->files, files, slot->tree, ctx->err);
	if (slot != NULL)
		slot->held = false;
	return rc;
}

/* --- What is executed --- */

/* The methods of an exact tree, where there is one of a side. */
struct executed {
	struct pe_frames frames;
	bool known;
};

/* The last part of a qualified name, and its length without parameters. */
static const char *last_part(const char *name, size_t *n)
{
	const char *at = name;

	for (const char *c = name; *c != '\0' && *c != '(' && *c != '<'; c++)
		if (c[0] == ':' && c[1] == ':')
			at = c + 2;
	at += *at == '~';
	*n = strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$");
	return at;
}

/*
 * Whether a method may stand for a function of the native build: a linkage name holds the method's. Too many rather
 * than too few; what has no plain name (operators, lambdas) may be any function of C++.
 */
static bool may_be(const struct pe_frame *frame, const struct pe_code_function *function)
{
	size_t n, length = strlen(function->name);
	const char *part = last_part(frame->name, &n);

	if (n == 0 || (n >= 8 && strncmp(part, "operator", 8) == 0))
		return strncmp(function->name, "_Z", 2) == 0;
	for (size_t i = 0; i + n <= length; i++)
		if (memcmp(function->name + i, part, n) == 0)
			return true;
	return false;
}

/*
 * Whether a function is known not to run. Its file must be one of which the tree has other methods, that is one
 * that was compiled with hooks: assembler, other languages and what was left out have none. What the compiler
 * makes of its own to run before main() has none either.
 */
static bool is_idle(const struct executed *executed, const struct pe_code_function *function)
{
	const struct pe_frames *frames = &executed->frames;
	bool hooked = false;

	if (!executed->known || function->file == NULL ||
	    strncmp(function->name, "_GLOBAL__", 9) == 0 ||
	    strstr(function->name, "__static_init") != NULL)
		return false;
	for (uint32_t i = 0; i < frames->n; i++) {
		if (frames->at[i].kind != PE_FRAME_METHOD)
			continue;
		if (may_be(&frames->at[i], function))
			return false;
		hooked = hooked || strcmp(frames->at[i].component, function->file) == 0;
	}
	return hooked;
}

static bool is_whole(const struct pe_cct *tree)
{
	for (uint32_t i = 0; i < tree->n; i++)
		if ((tree->flags[i] & PE_CCT_CUT) != 0)
			return false;
	return (tree->known & PE_CCT_CALLS) != 0;
}

/* A tree with every call, of one of the sides, taken as the config says today. */
static void find_executed(struct executed *out, const struct looking *looking,
			  const struct sides *sides, struct pe_arena *arena)
{
	static const struct pe_profile_plan nothing;
	static const enum pe_profile_mode modes[] = {PE_PROFILE_BOTH, PE_PROFILE_COUNTING,
						     PE_PROFILE_TIMED};
	struct pe_session *session = looking->session;
	const struct pe_session_workload *workload = &session->workloads.data[sides->workload];
	const struct pe_profile_plan *plan =
		workload->workload->profile != NULL ? workload->workload->profile : &nothing;
	struct pe_err err = PE_ERR_INIT;
	struct pe_stored_profile row;
	char settings[PE_HASH_HEX];
	struct pe_cct *tree;

	/* A function without hooks in a file with hooks would pass for one that is not executed. */
	if (plan->exclude.functions.n > 0 || plan->exclude.size_bytes > 0)
		return;
	pe_profile_plan_hash(plan, settings);
	for (size_t i = 0; i < 2 * sizeof(modes) / sizeof(modes[0]) && !out->known; i++) {
		const struct pe_profile_query query = {
			.machine = session->machine_key,
			.workload = workload->key,
			.revision = session->revisions[sides->at[i % 2]].revision->id,
			.kind = pe_profile_mode_name(modes[i / 2]),
			.settings = settings,
		};

		if (pe_store_find_profile(&row, session->ctx->store, &query, arena, &err) ==
			    PE_OK &&
		    pe_store_get_tree(&tree, session->ctx->store, row.key, 0, &out->frames, arena,
				      &err) == PE_OK)
			out->known = is_whole(tree);
		if (!out->known)
			pe_frames_release(&out->frames);
	}
}

/* --- One change --- */

static bool same_program(const struct pe_program *before, const struct pe_program *after,
			 const struct executed *executed, struct pe_arena *arena)
{
	struct pe_code_changes changes;

	if (before->data.high != after->data.high || before->data.low != after->data.low)
		return false;
	pe_code_diff(&changes, before, after, arena);
	for (size_t i = 0; i < changes.n; i++)
		if (changes.at[i].kind == PE_CODE_RECOMPILED &&
		    !(is_idle(executed, changes.at[i].before) &&
		      is_idle(executed, changes.at[i].after)))
			return false;
	return true;
}

static enum pe_layout compare_held(const struct held held[2], const struct pe_touched *touched,
				   const struct executed *executed, struct pe_arena *arena)
{
	if (strcmp(held[0].files, held[1].files) != 0)
		return PE_LAYOUT_WORK;
	for (size_t p = 0; p < touched->programs.n; p++)
		if (held[0].read[p] != held[1].read[p] ||
		    (held[0].read[p] &&
		     !same_program(&held[0].programs[p], &held[1].programs[p], executed, arena)))
			return PE_LAYOUT_WORK;
	return PE_LAYOUT_ONLY;
}

static int compare_code(enum pe_layout *out, const struct looking *looking,
			const struct sides *sides, const struct pe_touched *touched,
			struct pe_arena *arena)
{
	struct pe_session *session = looking->session;
	struct executed executed = {PE_FRAMES_INIT, false};
	struct held held[2];
	struct pe_touched files;
	int rc = PE_OK;

	/* One after the other: room for one build is enough. */
	for (int side = 0; rc == PE_OK && side < 2; side++)
		rc = hold(&held[side], session, sides->at[side], touched, &files, side == 0, arena);
	if (rc != PE_OK)
		return rc;
	find_executed(&executed, looking, sides, arena);
	*out = compare_held(held, touched, &executed, arena);
	pe_frames_release(&executed.frames);
	return PE_OK;
}

/* What the benchmark was seen to touch at a side; whatever it touches at one it does at an equal one. */
static const struct pe_execution *execution_at(const struct looking *looking, int64_t workload,
					       const struct sides *sides)
{
	for (size_t i = 0; i < looking->n_executions; i++) {
		const struct pe_execution *one = &looking->executions[i];

		if (one->workload == workload &&
		    (one->revision == sides->keys[0] || one->revision == sides->keys[1]))
			return one;
	}
	return NULL;
}

static int look(enum pe_layout *out, const struct looking *looking, int64_t workload,
		const struct sides *sides)
{
	const struct pe_execution *execution = execution_at(looking, workload, sides);
	struct pe_session *session = looking->session;
	struct pe_arena arena = PE_ARENA_INIT;
	struct pe_touched touched;
	int rc = compare_counts(out, session, workload, sides);

	if (rc != PE_OK || *out != PE_LAYOUT_ONLY)
		return rc;
	*out = PE_LAYOUT_UNTOLD;
	if (execution == NULL)
		return PE_OK;
	pe_touched_unpack(&touched, execution->touched, &arena);
	rc = compare_code(out, looking, sides, &touched, &arena);
	pe_arena_release(&arena);
	/* What stops the comparison is no fault of the measuring: the answer is that there is none. */
	if (rc != PE_OK && rc != PE_ESTOPPED) {
		*session->ctx->err = (struct pe_err)PE_ERR_INIT;
		*out = PE_LAYOUT_UNTOLD;
		return PE_OK;
	}
	return rc;
}

/* --- All of them --- */

static int load(struct looking *out, struct pe_session *session)
{
	struct pe_cmd_ctx *ctx = session->ctx;
	int rc = pe_store_confirmations(&out->rows, &out->n, ctx->store, session->machine_key,
					session->arena, ctx->err);

	out->session = session;
	if (rc == PE_OK)
		rc = pe_store_executions(&out->executions, &out->n_executions, ctx->store,
					 session->machine_key, session->arena, ctx->err);
	if (rc == PE_OK)
		rc = pe_store_carried(&out->carried, &out->n_carried, ctx->store,
				      session->machine_key, session->arena, ctx->err);
	return rc;
}

/* The same answer for all metrics that changed between the same sides. */
static int settle(const struct looking *looking, size_t i)
{
	struct pe_session *session = looking->session;
	struct pe_stored_confirmation *row = &looking->rows[i];
	struct sides sides, others;
	enum pe_layout layout;
	int rc;

	if (!is_asked(row) || !find_sides(&sides, looking, row))
		return PE_OK;
	rc = look(&layout, looking, row->workload, &sides);
	for (size_t k = i; rc == PE_OK && k < looking->n; k++) {
		struct pe_stored_confirmation *other = &looking->rows[k];

		if (!is_asked(other) || other->workload != row->workload ||
		    !find_sides(&others, looking, other) ||
		    memcmp(others.asked, sides.asked, sizeof(sides.asked)) != 0)
			continue;
		other->layout = layout;
		rc = pe_store_put_confirmation(session->ctx->store, other, session->ctx->err);
	}
	return rc;
}

int pe_confirm_layout(struct pe_session *session, const char *first)
{
	struct looking looking;
	size_t from = 0;
	int rc = load(&looking, session);

	for (size_t r = 0; first != NULL && r < session->n_revisions; r++)
		if (strcmp(session->revisions[r].revision->id, first) == 0)
			from = r;
	for (size_t i = 0; rc == PE_OK && i < looking.n; i++) {
		const struct pe_stored_confirmation *row = &looking.rows[i];
		size_t after = pe_session_revision_of(
			session, row->pinned_after != 0 ? row->pinned_after : row->after);

		if (after != SIZE_MAX && after >= from)
			rc = settle(&looking, i);
	}
	return rc;
}

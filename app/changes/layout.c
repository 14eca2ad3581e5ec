#include "app/changes/layout.h"

#include "app/measure/reuse.h"
#include "core/base/inside.h"
#include "core/base/text.h"
#include "core/exec/build_variant.h"
#include "analysis/methods/code.h"

#include <string.h>

/* What a benchmark reads besides programs. By the paths of the older side, so that both are asked for the same. */
struct inputs {
	struct pe_trace files;
	/** Libraries of the programs, which are compared by what they do; what is asked is which ones they are. */
	struct pe_strings code;
};

/* What one side executes and reads. */
struct held {
	struct pe_program *programs; /* beside the touched ones */
	bool *read;                  /* it is a program, not a script */
	char files[PE_XXH_TEXT];     /* of the inputs */
	struct pe_xxh code;          /* of what their paths lead to */
	/* of the functions that were seen to be entered, of what they read and of the files; "": unknown */
	char entered[PE_XXH_TEXT];
};

/* --- What a side executes and reads --- */

/* The path of a file below a tree with all links followed, from the tree; NULL: there is none. */
static const char *resolve(const char *tree, const char *path, struct pe_arena *arena)
{
	const char *root = pe_inside_resolve(tree, NULL, arena), *resolved;
	size_t n;

	resolved = pe_inside_resolve(pe_arena_printf(arena, "%s/%s", tree, path), tree, arena);
	if (root == NULL || resolved == NULL)
		return NULL;
	n = strlen(root);
	return strncmp(root, resolved, n) == 0 ? resolved + n : resolved;
}

static struct pe_strings to_strings(const char *const *at, size_t n, struct pe_arena *arena)
{
	const char **copy = pe_arena_new(arena, const char *, n);

	if (n > 0)
		memcpy(copy, at, n * sizeof(*copy));
	return (struct pe_strings){copy, n};
}

static bool is_among(const char *const *at, size_t n, const char *path)
{
	for (size_t i = 0; i < n; i++)
		if (at[i] != NULL && strcmp(at[i], path) == 0)
			return true;
	return false;
}

static void choose_inputs(struct inputs *out, const struct pe_dependencies *touched,
			  const struct held *held, const char *tree, struct pe_arena *arena)
{
	PE_VEC(const char *) modules = {NULL, 0, 0}, files = {NULL, 0, 0}, code = {NULL, 0, 0};

	for (size_t p = 0; p < touched->programs.n; p++) {
		if (!held->read[p])
			pe_vec_push(&files, touched->programs.at[p]);
		for (size_t m = 0; m < held->programs[p].n_modules; m++)
			pe_vec_push(&modules, resolve(tree, held->programs[p].modules[m], arena));
	}
	for (size_t f = 0; f < touched->files.n; f++) {
		const char *path = resolve(tree, touched->files.at[f], arena);

		if (path != NULL && is_among(modules.data, modules.n, path))
			pe_vec_push(&code, touched->files.at[f]);
		else
			pe_vec_push(&files, touched->files.at[f]);
	}
	*out = (struct inputs){.files.touched = {.files = to_strings(files.data, files.n, arena),
						 .folders = touched->folders,
						 .made = touched->made},
			       .code = to_strings(code.data, code.n, arena)};
	pe_vec_release(&modules);
	pe_vec_release(&files);
	pe_vec_release(&code);
}

/* @return  PE_EUNSUPPORTED: no program among them, or one that cannot be normalised */
static int read_programs(struct held *out, const struct pe_dependencies *touched, const char *tree,
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
			return pe_fail(err, PE_EUNSUPPORTED,
				       "%s has no symbols, or is of another machine",
				       touched->programs.at[p]);
		if (rc != PE_OK && rc != PE_EUNSUPPORTED && rc != PE_ENOTFOUND)
			return rc;
		if (rc != PE_OK)
			out->programs[p] = (struct pe_program){0};
	}
	return n_read > 0 ? PE_OK
			  : pe_fail(err, PE_EUNSUPPORTED, "the benchmark executes no program");
}

static int read_inputs(struct held *out, const struct inputs *inputs, const char *tree,
		       struct pe_arena *arena, struct pe_app *app)
{
	pe_xxh_init(&out->code);
	for (size_t i = 0; i < inputs->code.n; i++) {
		const char *path = resolve(tree, inputs->code.at[i], arena);

		pe_xxh_string(&out->code, path != NULL ? path : "absent");
	}
	return pe_trace_hash(out->files, &inputs->files, PE_BY_TREE, NULL, tree, app->interrupts,
			     app->err);
}

/* Build a side and read it. What is read is chosen at the older side. */
static int hold(struct held *out, struct pe_session *session, size_t revision,
		const struct pe_trace *trace, struct inputs *inputs, bool older,
		struct pe_arena *arena)
{
	const struct pe_dependencies *touched = &trace->touched;
	struct pe_app *app = session->app;
	struct pe_slot *slot = NULL;
	struct pe_err ignored = PE_ERR_INIT;
	struct pe_build build;
	int rc = pe_session_build(&slot, &build, session, &session->revisions[revision]);

	if (rc == PE_OK && *app->interrupts > 0)
		rc = pe_fail(app->err, PE_ESTOPPED, "stopped while building");
	if (rc == PE_OK && (slot == NULL || build.outcome != PE_MEASURED))
		rc = pe_fail(app->err, PE_EUNSUPPORTED, "a side does not build");
	if (rc == PE_OK && trace->executed.n > 0 &&
	    pe_trace_hash(out->entered, trace, PE_BY_CODE, NULL, slot->tree, app->interrupts,
			  &ignored) != PE_OK)
		out->entered[0] = '\0';
	if (rc == PE_OK)
		rc = read_programs(out, touched, slot->tree, arena, app->err);
	if (rc == PE_OK && older)
		choose_inputs(inputs, touched, out, slot->tree, arena);
	if (rc == PE_OK)
		rc = read_inputs(out, inputs, slot->tree, arena, app);
	if (slot != NULL)
		slot->held = false;
	return rc;
}

/* --- What is executed --- */

/* The methods of an exact profile, where there is one of a side. */
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

/* What compilers make of their own, to run before main() or in threads: it has no hooks, or no name of its own. */
static bool is_made(const struct pe_code_function *function)
{
	static const char *const parts[] = {"_GLOBAL__", "__static_init", "__cxx_global",
					    "omp_outlined", "OUTLINED_FUNCTION"};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (strstr(function->name, parts[i]) != NULL)
			return true;
	return function->name[0] == '.';
}

/*
 * Whether a function is known not to run. Its file must be one of which the profile has other methods, that is one
 * that was compiled with hooks: assembler, other languages and what was left out have none.
 */
static bool is_idle(const struct executed *executed, const struct pe_code_function *function)
{
	const struct pe_frames *frames = &executed->frames;
	bool hooked = false;

	if (!executed->known || function->file == NULL || is_made(function))
		return false;
	for (uint32_t i = 0; i < frames->n; i++) {
		const struct pe_frame *frame = &frames->at[i];

		/* Code without a name may be anything in its module. */
		if (frame->kind == PE_FRAME_UNKNOWN &&
		    strcmp(pe_path_name(frame->module), pe_path_name(function->module)) == 0)
			return false;
		if (frame->kind != PE_FRAME_METHOD)
			continue;
		if (may_be(frame, function))
			return false;
		hooked = hooked || strcmp(frame->component, function->file) == 0;
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

/* All trees of a profile: runs of one build need not execute the same. */
static bool load_profile(struct executed *out, struct pe_session *session,
			 const struct pe_profile_query *query, struct pe_arena *arena)
{
	struct pe_err err = PE_ERR_INIT;
	struct pe_stored_profile row;
	struct pe_cct *tree;

	if (pe_store_find_profile(&row, session->app->store, query, arena, &err) != PE_OK)
		return false;
	for (size_t i = 0; i < row.n_trees; i++)
		if (pe_store_get_tree(&tree, session->app->store, row.key, i, &out->frames, arena,
				      &err) != PE_OK ||
		    !is_whole(tree))
			return false;
	return row.n_trees > 0;
}

/* A profile with every call, of one of the sides, taken as the config says today. */
static void find_executed(struct executed *out, struct pe_session *session, size_t benchmark,
			  const size_t at[2], struct pe_arena *arena)
{
	static const struct pe_profile_plan nothing;
	static const enum pe_profile_mode modes[] = {PE_PROFILE_BOTH, PE_PROFILE_COUNTING};
	const struct pe_session_benchmark *one = &session->benchmarks.data[benchmark];
	const struct pe_profile_plan *plan =
		one->benchmark->profile != NULL ? one->benchmark->profile : &nothing;
	char settings[PE_HASH_HEX];

	/* A function without hooks in a file with hooks would pass for one that is not executed. */
	if (plan->exclude.functions.n > 0 || plan->exclude.size_bytes > 0)
		return;
	pe_profile_plan_hash(plan, settings);
	for (size_t i = 0; i < 2 * sizeof(modes) / sizeof(modes[0]) && !out->known; i++) {
		const struct pe_profile_query query = {
			.machine = session->machine_key,
			.benchmark = one->key,
			.revision = session->revisions[at[i % 2]].revision->id,
			.kind = pe_profile_mode_name(modes[i / 2]),
			.settings = settings,
		};

		out->known = load_profile(out, session, &query, arena);
		if (!out->known)
			pe_frames_release(&out->frames);
	}
}

/* --- Comparing --- */

static bool equal(const struct pe_xxh *a, const struct pe_xxh *b)
{
	return a->high == b->high && a->low == b->low;
}

static bool same_program(const struct pe_program *before, const struct pe_program *after,
			 const struct executed *executed, struct pe_arena *arena)
{
	struct pe_code_changes changes;

	if (!equal(&before->data, &after->data))
		return false;
	pe_code_diff(&changes, before, after, arena);
	for (size_t i = 0; i < changes.n; i++)
		if (changes.at[i].kind == PE_CODE_RECOMPILED &&
		    !(is_idle(executed, changes.at[i].before) &&
		      is_idle(executed, changes.at[i].after)))
			return false;
	return true;
}

static bool same_work(const struct held held[2], const struct pe_dependencies *touched,
		      const struct executed *executed, struct pe_arena *arena)
{
	if (strcmp(held[0].files, held[1].files) != 0 || !equal(&held[0].code, &held[1].code))
		return false;
	for (size_t p = 0; p < touched->programs.n; p++)
		if (held[0].read[p] != held[1].read[p] ||
		    (held[0].read[p] &&
		     !same_program(&held[0].programs[p], &held[1].programs[p], executed, arena)))
			return false;
	return true;
}

bool pe_layout_may_move(const char *name)
{
	const struct pe_metric *metric = pe_metric_find(name);

	return metric == NULL ||
	       (metric->kind != PE_METRIC_DETERMINISTIC && strcmp(metric->unit, "ns") == 0);
}

int pe_layout_of_code(enum pe_layout *out, struct pe_session *session, size_t benchmark,
		      const size_t at[2], const struct pe_trace *trace)
{
	const struct pe_benchmark *what = session->benchmarks.data[benchmark].benchmark;
	struct executed executed = {PE_FRAMES_INIT, false};
	pe_auto_arena arena = PE_ARENA_INIT;
	struct inputs inputs;
	struct held held[2] = {{.entered = ""}, {.entered = ""}};
	int rc = PE_OK;

	pe_outside_learn(&session->outside, what, &trace->touched);
	if (pe_outside_shared(&session->outside, what) != NULL)
		return pe_fail(session->app->err, PE_EUNSUPPORTED,
			       "it reads what commits share outside of their trees");
	/* One after the other: room for one build is enough. */
	for (int side = 0; rc == PE_OK && side < 2; side++)
		rc = hold(&held[side], session, at[side], trace, &inputs, side == 0, &arena);
	if (held[0].entered[0] != '\0' && strcmp(held[0].entered, held[1].entered) == 0) {
		*out = PE_LAYOUT_ONLY;
		return rc;
	}
	if (rc == PE_OK) {
		find_executed(&executed, session, benchmark, at, &arena);
		*out = same_work(held, &trace->touched, &executed, &arena) ? PE_LAYOUT_ONLY
									   : PE_LAYOUT_WORK;
	}
	pe_frames_release(&executed.frames);
	return rc;
}

int pe_layout_of_stored(enum pe_layout *out, struct pe_session *session, size_t benchmark,
			const size_t at[2], const int64_t sources[2])
{
	pe_auto_arena arena = PE_ARENA_INIT;
	struct pe_trace trace;
	bool known;
	int rc;

	PE_TRY(pe_trace_load(&trace, &known, session, session->benchmarks.data[benchmark].key,
			     sources, &arena));
	if (!known)
		return PE_OK;
	rc = pe_layout_of_code(out, session, benchmark, at, &trace);
	/* What stops the comparison is no fault of the measuring. */
	if (rc == PE_OK || rc == PE_ESTOPPED)
		return rc;
	*session->app->err = (struct pe_err)PE_ERR_INIT;
	*out = PE_LAYOUT_UNKNOWN;
	return PE_OK;
}

#include "app/changes/layout.h"

#include "app/measure/reuse.h"
#include "core/base/inside.h"
#include "core/base/text.h"
#include "analysis/methods/code.h"

#include <string.h>

/* Files that a benchmark reads besides programs, by the paths of the older side, so that both sides are looked up alike. */
struct inputs {
	struct pe_trace files;
	/** Libraries of the programs. Their code is compared elsewhere; here only the list of them is. */
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

/* --- Comparing --- */

static bool equal(const struct pe_xxh *a, const struct pe_xxh *b)
{
	return a->high == b->high && a->low == b->low;
}

static bool same_program(const struct pe_program *before, const struct pe_program *after,
			 struct pe_arena *arena)
{
	struct pe_code_changes changes;

	if (!equal(&before->data, &after->data))
		return false;
	pe_code_diff(&changes, before, after, arena);
	for (size_t i = 0; i < changes.n; i++)
		if (changes.at[i].kind == PE_CODE_RECOMPILED)
			return false;
	return true;
}

static bool same_work(const struct held held[2], const struct pe_dependencies *touched,
		      struct pe_arena *arena)
{
	if (strcmp(held[0].files, held[1].files) != 0 || !equal(&held[0].code, &held[1].code))
		return false;
	for (size_t p = 0; p < touched->programs.n; p++)
		if (held[0].read[p] != held[1].read[p] ||
		    (held[0].read[p] &&
		     !same_program(&held[0].programs[p], &held[1].programs[p], arena)))
			return false;
	return true;
}

bool pe_layout_may_move(const char *name)
{
	const struct pe_metric *metric = pe_metric_find(name);

	return metric == NULL ||
	       (metric->kind != PE_METRIC_DETERMINISTIC && strcmp(metric->unit, "ns") == 0);
}

static int compare_code(enum pe_layout *out, struct pe_session *session, size_t benchmark,
			const size_t at[2], const struct pe_trace *trace)
{
	const struct pe_benchmark *what = session->benchmarks.data[benchmark];
	pe_auto_arena arena = PE_ARENA_INIT;
	struct inputs inputs;
	struct held held[2] = {{.entered = ""}, {.entered = ""}};

	pe_outside_learn(&session->outside, what, &trace->touched, true);
	if (pe_outside_shared(&session->outside, what) != NULL)
		return pe_fail(session->app->err, PE_EUNSUPPORTED,
			       "it reads what commits share outside of their trees");
	/* One after the other: room for one build is enough. */
	for (int side = 0; side < 2; side++)
		PE_TRY(hold(&held[side], session, at[side], trace, &inputs, side == 0, &arena));
	*out = PE_LAYOUT_WORK;
	if ((held[0].entered[0] != '\0' && strcmp(held[0].entered, held[1].entered) == 0) ||
	    same_work(held, &trace->touched, &arena))
		*out = PE_LAYOUT_ONLY;
	return PE_OK;
}

int pe_layout_between(enum pe_layout *out, struct pe_session *session, size_t benchmark,
		      const size_t at[2], const int64_t sources[2], const struct pe_trace *trace)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	struct pe_trace stored;
	bool known = true;
	int rc;

	*out = PE_LAYOUT_UNKNOWN;
	if (trace == NULL)
		PE_TRY(pe_trace_load(&stored, &known, session,
				     session->benchmarks.data[benchmark]->key, sources, &arena));
	if (!known)
		return PE_OK;
	rc = compare_code(out, session, benchmark, at, trace != NULL ? trace : &stored);
	if (rc == PE_OK || rc == PE_ESTOPPED)
		return rc;
	/* What stops the comparison is no fault of the measuring. */
	*session->app->err = (struct pe_err)PE_ERR_INIT;
	*out = PE_LAYOUT_UNKNOWN;
	return PE_OK;
}

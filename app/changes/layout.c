#include "app/changes/layout.h"

#include "app/measure/reuse.h"

#include <string.h>

/*
 * Let every function of a program count whose entered ones are not known. One that the newer build has beside these keeps
 * the programs from being the same.
 */
static void add_whole(struct pe_executed *executed, const char *program, const char *tree,
		      struct pe_arena *arena)
{
	const struct pe_code_module *modules;
	struct pe_executed_program whole = {.program = program};
	struct pe_code_parts *parts;
	struct pe_err why = PE_ERR_INIT;

	if (pe_code_parts_open(&parts, pe_arena_printf(arena, "%s/%s", tree, program), tree, arena,
			       &why) == PE_OK) {
		modules = pe_code_parts_modules(parts, &whole.n);
		whole.modules = pe_arena_new(arena, struct pe_code_used, whole.n);
		whole.opened = pe_arena_new(arena, bool, whole.n);
		for (size_t i = 0; i < whole.n; i++)
			whole.modules[i] = (struct pe_code_used){.relative = modules[i].relative,
								 .whole = true};
		executed->programs[executed->n++] = whole;
	}
	pe_code_parts_close(parts);
}

/* Take over what runs entered, and add the other programs. */
static void complete(struct pe_trace *out, const struct pe_trace *trace, const char *tree,
		     struct pe_arena *arena)
{
	const struct pe_strings *programs = &trace->touched.programs;

	*out = *trace;
	out->executed.programs =
		pe_arena_new(arena, struct pe_executed_program, trace->executed.n + programs->n);
	for (size_t i = 0; i < trace->executed.n; i++)
		out->executed.programs[i] = trace->executed.programs[i];
	for (size_t i = 0; i < programs->n; i++)
		if (pe_executed_find(&trace->executed, programs->at[i]) == NULL)
			add_whole(&out->executed, programs->at[i], tree, arena);
}

/* Build a side and hash what the benchmark executes and reads there. @param trace  NULL: not completed yet */
static int hash_side(char hash[PE_XXH_TEXT], struct pe_session *session, size_t revision,
		     struct pe_trace *whole, const struct pe_trace *trace, struct pe_arena *arena)
{
	struct pe_app *app = session->app;
	pe_auto_slot slot = NULL;
	struct pe_build build;

	PE_TRY(pe_session_build(&slot, &build, session, &session->revisions[revision]));
	if (*app->interrupts > 0)
		return pe_fail(app->err, PE_ESTOPPED, "stopped while building");
	if (slot == NULL || build.outcome != PE_MEASURED)
		return pe_fail(app->err, PE_EUNSUPPORTED, "a side does not build");
	if (trace != NULL)
		complete(whole, trace, slot->tree, arena);
	if (whole->executed.n == 0)
		return pe_fail(app->err, PE_EUNSUPPORTED, "the benchmark executes no program");
	return pe_trace_hash(hash, whole, PE_BY_CODE, NULL, slot->tree, app->interrupts, app->err);
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
	struct pe_trace whole;
	char hashes[2][PE_XXH_TEXT];

	pe_outside_learn(&session->outside, what, &trace->touched, true);
	if (pe_outside_shared(&session->outside, what) != NULL)
		return pe_fail(session->app->err, PE_EUNSUPPORTED,
			       "it reads what commits share outside of their trees");
	/* One after the other: room for one build is enough. */
	for (int side = 0; side < 2; side++)
		PE_TRY(hash_side(hashes[side], session, at[side], &whole, side == 0 ? trace : NULL,
				 &arena));
	*out = strcmp(hashes[0], hashes[1]) == 0 ? PE_LAYOUT_ONLY : PE_LAYOUT_WORK;
	return PE_OK;
}

int pe_layout_between(enum pe_layout *out, struct pe_session *session, size_t benchmark,
		      const size_t at[2], const int64_t sources[2])
{
	pe_auto_arena arena = PE_ARENA_INIT;
	struct pe_trace trace;
	bool known;
	int rc;

	*out = PE_LAYOUT_UNKNOWN;
	PE_TRY(pe_trace_load(&trace, &known, session, session->benchmarks.data[benchmark]->key,
			     sources, &arena));
	if (!known)
		return PE_OK;
	rc = compare_code(out, session, benchmark, at, &trace);
	if (rc == PE_OK || rc == PE_ESTOPPED)
		return rc;
	/* What stops the comparison is no fault of the measuring. */
	*session->app->err = (struct pe_err)PE_ERR_INIT;
	*out = PE_LAYOUT_UNKNOWN;
	return PE_OK;
}

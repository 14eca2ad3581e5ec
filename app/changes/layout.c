#include "app/changes/layout.h"

#include "app/measure/reuse.h"

#include <string.h>

/* Of what a trace has at one side: hashes by the resolvers; "": it has none. */
struct held {
	char hash[PE_N_RESOLVERS][PE_XXH_TEXT];
};

/* Build a side and hash what the trace has there. */
static int hold(struct held *out, struct pe_session *session, size_t revision,
		const struct pe_trace *trace)
{
	struct pe_app *app = session->app;
	struct pe_slot *slot = NULL;
	struct pe_build build;
	int rc = pe_session_build(&slot, &build, session, &session->revisions[revision]);

	*out = (struct held){.hash = {""}};
	if (rc == PE_OK && *app->interrupts > 0)
		rc = pe_fail(app->err, PE_ESTOPPED, "stopped while building");
	if (rc == PE_OK && (slot == NULL || build.outcome != PE_MEASURED))
		rc = pe_fail(app->err, PE_EUNSUPPORTED, "a side does not build");
	for (int by = 0; rc == PE_OK && by < PE_N_RESOLVERS; by++) {
		struct pe_err ignored = PE_ERR_INIT;

		if (by == PE_BY_CODE && trace->executed.n == 0)
			continue;
		if (pe_trace_hash(out->hash[by], trace, (enum pe_resolver)by, NULL, slot->tree,
				  app->interrupts, &ignored) != PE_OK)
			out->hash[by][0] = '\0';
	}
	if (slot != NULL)
		slot->held = false;
	return rc;
}

bool pe_layout_may_move(const char *name)
{
	const struct pe_metric *metric = pe_metric_find(name);

	return metric == NULL ||
	       (metric->kind != PE_METRIC_DETERMINISTIC && strcmp(metric->unit, "ns") == 0);
}

/* By whole programs alone only an equal answer is one: functions that are not executed may differ. */
static enum pe_layout compare(const struct held held[2])
{
	enum pe_layout found = PE_LAYOUT_UNKNOWN;

	for (int by = 0; by < PE_N_RESOLVERS; by++) {
		if (held[0].hash[by][0] == '\0' || held[1].hash[by][0] == '\0')
			continue;
		if (strcmp(held[0].hash[by], held[1].hash[by]) == 0)
			return PE_LAYOUT_ONLY;
		if (by == PE_BY_CODE)
			found = PE_LAYOUT_WORK;
	}
	return found;
}

static int compare_code(enum pe_layout *out, struct pe_session *session, size_t benchmark,
			const size_t at[2], const struct pe_trace *trace)
{
	const struct pe_benchmark *what = session->benchmarks.data[benchmark];
	struct held held[2];

	pe_outside_learn(&session->outside, what, &trace->touched, true);
	if (pe_outside_shared(&session->outside, what) != NULL)
		return pe_fail(session->app->err, PE_EUNSUPPORTED,
			       "it reads what commits share outside of their trees");
	/* One after the other: room for one build is enough. */
	for (int side = 0; side < 2; side++)
		PE_TRY(hold(&held[side], session, at[side], trace));
	*out = compare(held);
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

#include "app/history/executed.h"

#include "app/changes/changed_methods.h"
#include "app/changes/impact.h"
#include "core/base/array.h"
#include "core/base/vec.h"

#include <stdlib.h>
#include <string.h>

/* Distinct bare names, ascending. */
struct names {
	bool read, known;
	const char **at;
	size_t n;
};

struct pe_executed {
	struct pe_app *app;
	const struct pe_revision *revisions;
	const int64_t *mc, *benchmarks;
	struct pe_comparer *comparer;
	struct pe_stored_profile *profiles;
	size_t n_profiles, n_benchmarks;
	struct names *changed;  /* by revision */
	struct names *executes; /* by benchmark */
	int rc;
	struct pe_arena arena;
};

struct pe_executed *pe_executed_new(struct pe_app *app, int64_t machine,
				    const struct pe_revision *revisions, size_t n,
				    const int64_t *mc, const int64_t *benchmarks,
				    size_t n_benchmarks)
{
	struct pe_executed *executed = pe_realloc(NULL, 1, sizeof(*executed));

	*executed = (struct pe_executed){.app = app,
					 .revisions = revisions,
					 .mc = mc,
					 .benchmarks = benchmarks,
					 .n_benchmarks = n_benchmarks,
					 .arena = PE_ARENA_INIT};
	executed->changed = pe_arena_new(&executed->arena, struct names, n);
	executed->executes = pe_arena_new(&executed->arena, struct names, n_benchmarks);
	if (mc != NULL)
		executed->rc = pe_store_profiles(&executed->profiles, &executed->n_profiles,
						 app->store, machine, &executed->arena, app->err);
	if (executed->rc == PE_OK && executed->n_profiles > 0)
		executed->comparer = pe_comparer_new(app, false);
	return executed;
}

void pe_executed_free(struct pe_executed *executed)
{
	if (executed == NULL)
		return;
	pe_comparer_free(executed->comparer);
	pe_arena_release(&executed->arena);
	free(executed);
}

bool pe_executed_knows(const struct pe_executed *executed)
{
	return executed->comparer != NULL;
}

int pe_executed_error(const struct pe_executed *executed)
{
	return executed->rc;
}

static void sort(struct names *names)
{
	size_t n = 0;

	if (names->n > 0)
		qsort(names->at, names->n, sizeof(*names->at), pe_string_order);
	for (size_t i = 0; i < names->n; i++)
		if (n == 0 || strcmp(names->at[n - 1], names->at[i]) != 0)
			names->at[n++] = names->at[i];
	names->n = n;
}

/* Only what is stored: a commit that was not compared yet is not parsed here. */
static void read_changed(struct names *out, struct pe_executed *executed, size_t revision)
{
	struct pe_revision_changes changes;
	int rc;

	out->read = true;
	if (executed->mc[revision] < 0)
		return;
	rc = pe_changes_of(&changes, executed->comparer, &executed->revisions[revision], NULL,
			   &executed->arena);
	if (rc != PE_OK) {
		executed->rc = rc == PE_ESTOPPED ? rc : executed->rc;
		return;
	}
	out->known = true;
	out->at = pe_arena_new(&executed->arena, const char *, 2 * changes.methods.n);
	for (size_t i = 0; i < changes.methods.n; i++) {
		const struct pe_method_change *one = &changes.methods.at[i];

		if (one->kind == PE_METHOD_RENAMED || one->kind == PE_METHOD_MOVED)
			continue;
		if (one->before != NULL)
			out->at[out->n++] = pe_impact_bare(one->before->name, &executed->arena);
		if (one->after != NULL)
			out->at[out->n++] = pe_impact_bare(one->after->name, &executed->arena);
	}
	sort(out);
}

static const struct pe_stored_profile *newest_profile(const struct pe_executed *executed,
						      int64_t benchmark)
{
	const struct pe_stored_profile *newest = NULL;

	for (size_t i = 0; i < executed->n_profiles; i++)
		if (executed->profiles[i].benchmark == benchmark &&
		    (newest == NULL || executed->profiles[i].taken_s >= newest->taken_s))
			newest = &executed->profiles[i];
	return newest;
}

static void read_executes(struct names *out, struct pe_executed *executed, size_t benchmark)
{
	const struct pe_stored_profile *profile =
		newest_profile(executed, executed->benchmarks[benchmark]);
	struct pe_frames frames = PE_FRAMES_INIT;
	pe_auto_arena arena = PE_ARENA_INIT;
	struct pe_cct *tree;
	int rc;

	out->read = true;
	if (profile == NULL)
		return;
	rc = pe_store_get_tree(&tree, executed->app->store, profile->key, 0, &frames, &arena,
			       executed->app->err);
	out->known = rc == PE_OK;
	executed->rc = executed->rc == PE_OK && rc != PE_ENOTFOUND ? rc : executed->rc;
	out->at = pe_arena_new(&executed->arena, const char *, frames.n);
	for (uint32_t i = 0; rc == PE_OK && i < frames.n; i++)
		if (frames.at[i].kind == PE_FRAME_METHOD)
			out->at[out->n++] = pe_impact_bare(frames.at[i].name, &executed->arena);
	sort(out);
	pe_frames_release(&frames);
}

struct pe_event_functions pe_executed_at(struct pe_executed *executed, size_t benchmark,
					 size_t revision)
{
	struct names *changed = &executed->changed[revision];
	struct names *executes = &executed->executes[benchmark];
	size_t *at, n = 0;

	if (!pe_executed_knows(executed))
		return (struct pe_event_functions){.known = false};
	if (!changed->read)
		read_changed(changed, executed, revision);
	if (changed->known && !executes->read)
		read_executes(executes, executed, benchmark);
	if (!changed->known || !executes->known)
		return (struct pe_event_functions){.known = false};
	at = pe_arena_new(&executed->arena, size_t, changed->n);
	for (size_t i = 0; i < changed->n; i++)
		if (executes->n > 0 && bsearch(&changed->at[i], executes->at, executes->n,
					       sizeof(*executes->at), pe_string_order) != NULL)
			at[n++] = i;
	return (struct pe_event_functions){at, n, true};
}

const char *pe_executed_name(const struct pe_executed *executed, size_t revision, size_t function)
{
	return executed->changed[revision].at[function];
}

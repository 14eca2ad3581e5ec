#include "app/history/executed.h"

#include "app/changes/bare_names.h"
#include "app/changes/changed_methods.h"

#include <stdlib.h>

/* What was read of a commit, or of a benchmark. */
struct names {
	bool read, known;
	struct pe_bare_names of;
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
	out->of = pe_bare_names_changed(&changes.methods, true, &executed->arena);
}

static void read_executes(struct names *out, struct pe_executed *executed, size_t benchmark)
{
	int rc = pe_bare_names_executed(&out->of, &out->known, executed->app, executed->profiles,
					executed->n_profiles, executed->benchmarks[benchmark],
					&executed->arena);

	out->read = true;
	out->known = out->known && rc == PE_OK;
	executed->rc = executed->rc == PE_OK && rc != PE_ENOTFOUND ? rc : executed->rc;
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
	at = pe_arena_new(&executed->arena, size_t, changed->of.n);
	for (size_t i = 0; i < changed->of.n; i++)
		if (pe_bare_names_have(&executes->of, changed->of.at[i]))
			at[n++] = i;
	return (struct pe_event_functions){at, n, true};
}

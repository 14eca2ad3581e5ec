#include "app/profiling/stored_profiles.h"

#include "core/base/vec.h"
#include "core/base/regex.h"

#include <string.h>

typedef PE_VEC(struct pe_found_profile) kept_list;

struct search {
	struct pe_app *app;
	const char *revision, *bench;
	struct pe_regex regex;
	kept_list found; /* at most one of a name */
};

static bool has_name(const struct search *search, const char *name)
{
	for (size_t i = 0; i < search->found.n; i++)
		if (strcmp(search->found.data[i].benchmark, name) == 0)
			return true;
	return false;
}

/* Benchmarks come newest version first within a name. */
static int search_machine(struct search *search, int64_t machine)
{
	struct pe_app *app = search->app;
	struct pe_stored_benchmark *benchmarks;
	size_t n;

	PE_TRY(pe_store_benchmarks(&benchmarks, &n, app->store, machine, app->arena, app->err));
	for (size_t i = 0; i < n; i++) {
		const struct pe_profile_query query = {.machine = machine,
						       .benchmark = benchmarks[i].key,
						       .revision = search->revision};
		struct pe_found_profile kept = {.benchmark = benchmarks[i].name};
		int rc;

		if (!pe_regex_matches(&search->regex, kept.benchmark) ||
		    has_name(search, kept.benchmark))
			continue;
		rc = pe_store_find_profile(&kept.row, app->store, &query, app->arena, app->err);
		if (rc == PE_ENOTFOUND)
			continue;
		PE_TRY(rc);
		pe_vec_push(&search->found, kept);
	}
	return PE_OK;
}

static int search_all(struct search *search)
{
	struct pe_app *app = search->app;
	struct pe_stored_machine *machines;
	const struct pe_machine *here = pe_app_machine(app);
	size_t n;

	PE_TRY(pe_store_machines(&machines, &n, app->store, app->arena, app->err));
	for (int others = 0; others < 2; others++)
		for (size_t i = 0; i < n; i++)
			if ((strcmp(machines[i].machine.fingerprint, here->fingerprint) != 0) ==
			    others)
				PE_TRY(search_machine(search, machines[i].key));
	return PE_OK;
}

static int fail_many(const struct search *search)
{
	pe_auto_text names = PE_TEXT_INIT;

	for (size_t i = 0; i < search->found.n; i++)
		pe_text_addf(&names, "%s'%s'", i > 0 ? ", " : "", search->found.data[i].benchmark);
	return pe_fail(search->app->err, PE_EINVALID,
		       "a profile is of one benchmark: choose with --bench one of %s",
		       pe_text_str(&names));
}

static int choose(struct pe_found_profile *out, const struct search *search)
{
	pe_auto_text option = PE_TEXT_INIT;

	for (size_t i = 0; i < search->found.n; i++) {
		const struct pe_found_profile *one = &search->found.data[i];

		if (search->found.n == 1 ||
		    (search->bench != NULL && strcmp(one->benchmark, search->bench) == 0)) {
			*out = *one;
			return PE_OK;
		}
	}
	if (search->found.n > 0)
		return fail_many(search);
	if (search->bench != NULL) {
		pe_text_add(&option, " -b ");
		pe_text_add_word(&option, search->bench);
	}
	return pe_fail(search->app->err, PE_ENOTFOUND,
		       "no profile of %.10s%s%s is stored; 'perfevo profile%s %.10s' collects one",
		       search->revision, search->bench != NULL ? " and " : "",
		       search->bench != NULL ? search->bench : "", pe_text_str(&option),
		       search->revision);
}

int pe_profile_find(struct pe_found_profile *out, struct pe_app *app, const char *revision,
		    const char *bench)
{
	struct search search = {.app = app, .revision = revision, .bench = bench};
	int rc;

	PE_TRY(pe_regex_init_option(&search.regex, "--bench", bench, app->err));
	rc = search_all(&search);
	if (rc == PE_OK)
		rc = choose(out, &search);
	pe_regex_release(&search.regex);
	pe_vec_release(&search.found);
	return rc;
}

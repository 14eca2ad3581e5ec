#include "app/measure/names.h"

#include "configs/read.h"
#include "core/base/array.h"
#include "core/base/text.h"
#include "core/base/vec.h"
#include "core/model/metric.h"

#include <string.h>

enum { NAMED = 5 }; /* names in one sentence */

struct names {
	PE_VEC(const char *) at;
};

static void add_name(struct names *names, const char *name)
{
	if (!pe_has_string(names->at.data, names->at.n, name))
		pe_vec_push(&names->at, name);
}

/* Add names from the store. A store that cannot be read adds none. */
static void add_stored(struct names *names, struct pe_app *app,
		       int (*read)(struct pe_strings *, struct pe_store *, struct pe_arena *,
				   struct pe_err *))
{
	struct pe_strings stored;
	struct pe_err err = {0};

	if (app->store == NULL || read(&stored, app->store, app->arena, &err) != PE_OK)
		return;
	for (size_t i = 0; i < stored.n; i++)
		add_name(names, stored.at[i]);
}

/* " (did you mean 'parse'?)", else "; there are parse, print and 3 more". */
static const char *suggest(const struct names *names, const char *word, size_t named,
			   struct pe_app *app)
{
	const char *near = pe_read_suggestion(app->arena, word, names->at.data, names->at.n);
	pe_auto_text text = PE_TEXT_INIT;

	if (near[0] != '\0' || names->at.n == 0)
		return near;
	pe_text_add(&text, names->at.n == 1 ? "; there is " : "; there are ");
	for (size_t i = 0; i < names->at.n && i < named; i++)
		pe_text_addf(&text, "%s%s", i > 0 ? ", " : "", names->at.data[i]);
	if (names->at.n > named)
		pe_text_addf(&text, " and %zu more", names->at.n - named);
	return pe_arena_strdup(app->arena, pe_text_str(&text));
}

int pe_names_fail_benchmark(struct pe_app *app, const char *bench, bool measured)
{
	struct names names = {0};
	int rc;

	for (size_t i = 0; !measured && app->config != NULL && i < app->config->n_benchmarks; i++)
		add_name(&names, app->config->benchmarks[i].name);
	add_stored(&names, app, measured ? pe_store_benchmark_names : pe_store_member_names);
	rc = pe_fail(app->err, measured ? PE_ENOTFOUND : PE_EINVALID,
		     "no %sbenchmark matches '%s'%s", measured ? "measured " : "", bench,
		     suggest(&names, bench, NAMED, app));
	pe_vec_release(&names.at);
	return rc;
}

int pe_names_check_metrics(struct pe_app *app, const struct pe_strings *metrics)
{
	const struct pe_config *config = app->config;
	struct names names = {0};
	int rc = PE_OK;

	if (metrics == NULL || metrics->n == 0 || (config != NULL && config->n_suites > 0))
		return PE_OK;
	for (size_t i = 0; i < PE_N_METRICS; i++)
		add_name(&names, pe_metrics[i].name);
	for (size_t i = 0; config != NULL && i < config->n_benchmarks; i++)
		for (size_t j = 0; j < config->benchmarks[i].n_customs; j++)
			add_name(&names, config->benchmarks[i].customs[j].metric.name);
	add_stored(&names, app, pe_store_metric_names);
	for (size_t i = 0; rc == PE_OK && i < metrics->n; i++)
		if (!pe_has_string(names.at.data, names.at.n, metrics->at[i]))
			rc = pe_fail(app->err, PE_EINVALID, "there is no metric '%s'%s",
				     metrics->at[i],
				     suggest(&names, metrics->at[i], names.at.n, app));
	pe_vec_release(&names.at);
	return rc;
}

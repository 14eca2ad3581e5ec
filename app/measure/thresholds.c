#include "app/measure/thresholds.h"

#include "core/base/array.h"

#include <string.h>

static const struct pe_threshold *threshold_of(const struct pe_config *config, const char *metric)
{
	for (size_t i = 0; config != NULL && i < config->n_thresholds; i++)
		if (strcmp(config->thresholds[i].metric, metric) == 0)
			return &config->thresholds[i];
	return NULL;
}

const struct pe_metric *pe_thresholds_metric(bool *judged, const struct pe_app *app,
					     const struct pe_metric *metric)
{
	const struct pe_threshold *threshold = threshold_of(app->config, metric->name);
	struct pe_metric *tuned = pe_arena_new(app->arena, struct pe_metric, 1);

	*tuned = *metric;
	/* Counts that are only context by default are as exact as the judged ones. */
	if (pe_metric_is_counted(metric))
		tuned->kind = PE_METRIC_DETERMINISTIC;
	tuned->primary = threshold != NULL && threshold->primary;
	*judged = threshold != NULL ? threshold->judged : metric->kind != PE_METRIC_CONTEXT;
	if (app->counts_only && !pe_metric_is_counted(metric))
		*judged = false;
	if (threshold != NULL && threshold->min_relative >= 0)
		tuned->min_relative = threshold->min_relative;
	if (threshold != NULL && threshold->min_absolute >= 0)
		tuned->min_absolute = threshold->min_absolute;
	return tuned;
}

bool pe_thresholds_wants(const struct pe_app *app, const struct pe_metric *metric,
			 const struct pe_strings *names)
{
	bool judged;

	if (names == NULL) {
		pe_thresholds_metric(&judged, app, metric);
		return judged;
	}
	return pe_has_string(names->at, names->n, metric->name);
}

/* Thresholds: which metrics are judged, and from which change on, by the config and by default. */
#pragma once

#include "app/app.h"
#include "core/model/metric.h"

/**
 * A metric with the config's thresholds, in the application's arena.
 *
 * @param judged  whether changes of it are judged, by the config or by default
 */
const struct pe_metric *pe_thresholds_metric(bool *judged, const struct pe_app *app,
					     const struct pe_metric *metric);

/**
 * Whether changes of a metric are to be found.
 *
 * @param names  the metrics that the user named, and no others; NULL: by the config or by default
 */
bool pe_thresholds_wants(const struct pe_app *app, const struct pe_metric *metric,
			 const struct pe_strings *names);

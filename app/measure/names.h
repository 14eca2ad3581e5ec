/* Names: suggestions where the user named a benchmark or metric that does not exist. */
#pragma once

#include "app/app.h"

/**
 * Fail with "no benchmark matches 'prase' (did you mean 'parse'?)", or with existing names: of the config, and of members
 * of suites that were measured.
 *
 * @param bench     the user's regular expression
 * @param measured  the benchmark must have results: names are those of the store
 * @return          PE_EINVALID; with `measured` PE_ENOTFOUND
 */
int pe_names_fail_benchmark(struct pe_app *app, const char *bench, bool measured);

/**
 * Check that each metric is one of perfevo's, of the config's or of the store's. Suites define metrics while they run:
 * with one in the config every name is accepted.
 *
 * @param metrics  names; NULL: none
 * @return         PE_OK, or PE_EINVALID with a suggestion or the existing names
 */
int pe_names_check_metrics(struct pe_app *app, const struct pe_strings *metrics);

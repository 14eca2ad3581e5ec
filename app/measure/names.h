/* Names that were asked for and are none: what there is in their place, so that nobody has to look it up. */
#ifndef PE_APP_MEASURE_NAMES_H
#define PE_APP_MEASURE_NAMES_H

#include "app/app.h"

/**
 * Fail with "no benchmark matches 'prase' (did you mean 'parse'?)", or with names that there are: of the config, and of
 * members of suites that were measured.
 *
 * @param bench     regular expression that was asked for
 * @param measured  one that has results was asked for: those of the store are named
 * @return          PE_EINVALID; PE_ENOTFOUND for one that was to have results
 */
int pe_names_fail_benchmark(struct pe_app *app, const char *bench, bool measured);

/**
 * Look whether each metric is one of perfevo's, of the config's or of what is stored. Suites say while they run what they
 * measure: with one in the config no name is wrong.
 *
 * @param metrics  names; NULL: none
 * @return         PE_OK, or PE_EINVALID with what was meant, or what there is
 */
int pe_names_check_metrics(struct pe_app *app, const struct pe_strings *metrics);

#endif

/* Gather: the results of libraries that leave a folder of files instead of one, put behind each other for pe_suite_read(). */
#ifndef PE_SUITES_GATHER_H
#define PE_SUITES_GATHER_H

#include "core/base/text.h"

#include <stdint.h>

/**
 * Add the files that Criterion.rs left below target/criterion: of each benchmark new/benchmark.json, new/estimates.json and
 * new/sample.json, benchmarks in the order of their paths. The folder outlives a run, and has what older runs and other
 * revisions left.
 *
 * @param folder   "target/criterion"; no link below it is followed
 * @param since_s  files that were changed before this time (CLOCK_REALTIME) are not of this run
 * @return         PE_ENOTFOUND: there is no such folder, or no result in it; PE_ESYS; PE_EUNSUPPORTED: more than 1 GiB
 */
int pe_suite_gather(struct pe_text *out, const char *folder, int64_t since_s, struct pe_err *err);

#endif

/* Gather: concatenates the results of libraries that write a folder of files instead of one, for pe_suite_read(). */
#pragma once

#include "core/base/text.h"

/**
 * Append the files of Criterion.rs below target/criterion: of each benchmark new/benchmark.json and new/sample.json,
 * benchmarks in the order of their paths. The folder outlives a run: call pe_suite_gather_clear() before it.
 *
 * @param tree    absolute; no link below it is followed
 * @param folder  absolute, below it: TREE/target/criterion
 * @return        PE_ENOTFOUND: there is no such folder, or no result in it; PE_ESYS; PE_EUNSUPPORTED: more than 1 GiB
 */
int pe_suite_gather(struct pe_text *out, const char *tree, const char *folder, struct pe_err *err);

/** Remove the samples of older runs and other revisions, so that only the next run's are gathered. As above. */
int pe_suite_gather_clear(const char *tree, const char *folder, struct pe_err *err);

/* Profiles of other stores. Nothing outside store/ includes it. */
#ifndef PE_STORE_EXCHANGE_PROFILES_H
#define PE_STORE_EXCHANGE_PROFILES_H

#include "store/exchange.h"

/**
 * Take the profiles of a document in, those of commits that are here. One that is there stays unless it is older.
 *
 * @param machine     the key of the document's machine, which is of its origin
 * @param benchmarks  keys, one a benchmark of the document
 * @return            PE_EINVALID: a tree that is damaged, or more nodes than a document may have
 */
int pe_take_profiles(struct pe_results_sum *sum, struct pe_store *store,
		     const struct pe_results *results, const struct pe_results_source *source,
		     int64_t machine, const int64_t *benchmarks, struct pe_err *err);

#endif

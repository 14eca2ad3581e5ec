/* Pairs: the runs of a confirmation's batch, by side. */
#ifndef PE_STORE_PAIRS_H
#define PE_STORE_PAIRS_H

#include "store/store.h"

/** The medians of a metric over the timed runs of a batch: of the old side, of the new one. NaN: the side has no runs. */
int pe_store_pair_medians(double medians[2], struct pe_store *store, int64_t batch,
			  int64_t benchmark, const char *metric, struct pe_err *err);

#endif

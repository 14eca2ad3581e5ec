/*
 * Prior: how likely a commit changed what a benchmark does, before anything of it is measured. A commit that changed
 * no method may still change the performance (a header, a flag, a table): it is unlikely, not impossible. The
 * cost model is that of the methods executed (Perphecy and its kin); its values were chosen so that a wrong
 * prior costs a few runs and no jump.
 */
#pragma once

#include <math.h>
#include <stddef.h>
#include <stdint.h>

/** Weight of a commit by the methods that it changed; below 0: not known. */
static inline double pe_prior_of_methods(int64_t changed)
{
	const double no_method = 0.1;

	if (changed < 0)
		return 1;
	return changed == 0 ? no_method : 1 + log2((double)changed) / 2;
}

/** Factor of a commit that changed methods, by how many of them the benchmark executes. */
static inline double pe_prior_of_executed(size_t hits)
{
	const double not_executed = 0.3, executed = 3;

	return hits > 0 ? executed * log2(1 + (double)hits) : not_executed;
}

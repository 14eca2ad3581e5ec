/*
 * Link: by how much whole blocks were slower or faster, from the commits that they share. The offsets w of a
 * two-way fit
 *
 *	level(cell) = commit + w(block) + error
 *
 * by weighted least squares with Huber's weights (Huber, "Robust estimation of a location parameter", Annals
 * of Mathematical Statistics 35 (1964)), iterated; the weight of a cell is its number of readings. The
 * commits are eliminated and the rest solved by conjugate gradients (Hestenes and Stiefel 1952), which
 * follows a chain of batches to its end where taking turns would crawl.
 */
#pragma once

#include "core/base/arena.h"
#include "core/stats/design.h"

/**
 * Find the offsets of all blocks.
 *
 * @param offset  one a block, 0 at first; each component's are determined up to a constant
 * @param level   one a cell
 * @param arena   for scratch
 */
void pe_link_blocks(double *offset, const struct pe_design *design, const double *level,
		    struct pe_arena *arena);

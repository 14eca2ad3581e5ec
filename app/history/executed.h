/*
 * Executed: which of the methods that a commit changed a benchmark executes, by what the store knows: changed methods
 * of commits that were compared, and the newest profile of the benchmark. Read when asked for, and once.
 */
#ifndef PE_APP_HISTORY_EXECUTED_H
#define PE_APP_HISTORY_EXECUTED_H

#include "app/app.h"
#include "core/stats/events.h"

struct pe_executed;

/**
 * @param revisions   n of them, borrowed
 * @param mc          methods that each changed, -1 where it is not known; NULL: nothing is
 * @param benchmarks  keys, one a number that is asked with; borrowed
 */
struct pe_executed *pe_executed_new(struct pe_app *app, int64_t machine,
				    const struct pe_revision *revisions, size_t n,
				    const int64_t *mc, const int64_t *benchmarks,
				    size_t n_benchmarks);

/** Welcomes NULL. */
void pe_executed_free(struct pe_executed *executed);

/** Whether anything can be known at all: profiles are stored, and changed methods of some commit. */
bool pe_executed_knows(const struct pe_executed *executed);

/** The changed methods of a commit that a benchmark executes, by their numbers among its changed methods. */
struct pe_event_functions pe_executed_at(struct pe_executed *executed, size_t benchmark,
					 size_t revision);

/** The first failure of reading the store; PE_OK: none. What could not be read counts as not known. */
int pe_executed_error(const struct pe_executed *executed);

#endif

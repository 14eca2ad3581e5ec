/*
 * Executed: which of a commit's changed methods a benchmark executes, from the store: changed methods of compared
 * commits, and the newest profile of the benchmark. Read on the first call, and once.
 */
#ifndef PE_APP_HISTORY_EXECUTED_H
#define PE_APP_HISTORY_EXECUTED_H

#include "app/app.h"
#include "core/stats/events.h"

struct pe_executed;

/**
 * @param revisions   n of them, borrowed
 * @param mc          number of methods that each changed, -1: unknown; NULL: all unknown
 * @param benchmarks  keys, by the benchmark numbers of later calls; borrowed
 */
struct pe_executed *pe_executed_new(struct pe_app *app, int64_t machine,
				    const struct pe_revision *revisions, size_t n,
				    const int64_t *mc, const int64_t *benchmarks,
				    size_t n_benchmarks);

/** NULL is allowed. */
void pe_executed_free(struct pe_executed *executed);

/** Whether the store has profiles, and changed methods of some commit. */
bool pe_executed_knows(const struct pe_executed *executed);

/** The changed methods of a commit that a benchmark executes, by their numbers among its changed methods. */
struct pe_event_functions pe_executed_at(struct pe_executed *executed, size_t benchmark,
					 size_t revision);

/** The first failure of reading the store; PE_OK: none. What could not be read counts as not known. */
int pe_executed_error(const struct pe_executed *executed);

#endif

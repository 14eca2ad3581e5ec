/*
 * Generic: functions of which only the generic variant is counted. valgrind simulates a processor without the newest
 * instructions; a program that checks the processor's features may execute other functions there.
 */
#pragma once

#include "app/measure/session.h"
#include "app/measure/trace.h"

/** Functions of a benchmark that a run enters on this processor, and that execute no instruction where they are counted. */
struct pe_generic {
	bool known;        /**< both the run and the counts are available; else the rest is empty */
	const char *first; /**< name of one, for messages; NULL: there is none */
	struct pe_executed chosen; /**< all of them, by program and module */
};

/** Whether a program of a built tree has code of its own that checks the processor's features (cpuid, xgetbv, ifunc). */
bool pe_generic_asks(const struct pe_strings *programs, const char *tree);

/**
 * Compare the functions that a run entered with the stored counts of a revision, for a benchmark whose programs check the
 * processor.
 *
 * @param revision, benchmark  keys in the store
 * @param executed             functions that the run entered; without programs: it was not watched
 * @return                     failures of the store
 */
int pe_generic_find(struct pe_generic *out, struct pe_session *session, int64_t revision,
		    int64_t benchmark, const char *tree, const struct pe_executed *executed);

/** Store the comparison for each built revision of a session, once. @return  failures of the store */
int pe_generic_mark(struct pe_session *session);

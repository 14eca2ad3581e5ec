/*
 * Generic: counts of the generic code. Instructions are counted on a processor without the newest instructions; a program that
 * asks which processor it has may execute other functions there.
 */
#ifndef PE_APP_MEASURE_GENERIC_H
#define PE_APP_MEASURE_GENERIC_H

#include "app/measure/session.h"
#include "app/measure/trace.h"

/** Functions of a benchmark that a run enters on this processor, and that execute nothing where they are counted. */
struct pe_generic {
	bool known;                /**< both were seen; else the rest is empty */
	const char *first;         /**< the name of one, for people; NULL: there is none */
	struct pe_executed chosen; /**< all of them, by program and module */
};

/** Whether a program of a built tree has code of its own that asks the processor what it can (cpuid, xgetbv, ifunc). */
bool pe_generic_asks(const struct pe_strings *programs, const char *tree);

/**
 * Compare what a run entered with the stored counts of a revision, of a benchmark whose programs ask.
 *
 * @param revision, benchmark  keys in the store
 * @param executed             what the run entered; without programs: it was not seen
 * @return                     failures of the store
 */
int pe_generic_find(struct pe_generic *out, struct pe_session *session, int64_t revision,
		    int64_t benchmark, const char *tree, const struct pe_executed *executed);

/** Store it for each revision of a session that stands built, once. @return  failures of the store */
int pe_generic_mark(struct pe_session *session);

#endif

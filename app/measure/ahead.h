/*
 * Ahead: what is needed next, built side by side before it is asked for one by one. pe_session_build() then finds what
 * came of it. What is stored is what builds one after the other store, but for the order of the rows.
 *
 *   (1) The store, the slots and the session are the caller's thread's alone; a build's row is written as soon as it is
 *       over, so that a killed perfevo loses those that were at work and no other.
 *   (2) A build that ends badly beside others for want of memory, of disk or of time is tried again alone before it
 *       counts; where it then succeeds, half as many are at work from then on. So is the first one of a session that
 *       fails in another way: recipes that share a place outside of their trees are built one after the other then.
 *   (3) Nothing is at work any more when the call is over: nothing builds while something is timed.
 *   (4) Where a change is judged and nothing confines its build, it is not at work beside its base's
 *       (session->apart): it could write into that while it is built, and no list would show it (docs/security.md, P7).
 */
#ifndef PE_APP_MEASURE_AHEAD_H
#define PE_APP_MEASURE_AHEAD_H

#include "core/exec/slots.h"
#include "core/model/build.h"

struct pe_session;
struct pe_session_revision;

/** A build that is needed. Borrowed for the call. */
struct pe_build_request {
	const struct pe_session_revision *revision;
	struct pe_slots *slots; /**< where it goes */
	const struct pe_recipe *recipe;
	const char *recipe_hash;
	/**
	 * What comes of it has a row in the store, and is taken with its slot. Otherwise only a failure is taken: who opens
	 * the slots again finds what was built.
	 */
	bool stored;
};

/** What came of a build that nobody has asked for yet. */
struct pe_ahead {
	const char *id;
	char recipe_hash[PE_HASH_HEX];
	struct pe_slot *slot; /**< held, if it was built */
	struct pe_build build;
};

/** The timed build of a revision. */
struct pe_build_request pe_session_build_request(struct pe_session *session,
						 const struct pe_session_revision *revision);

/**
 * Build what is not built yet, as many as there is room for, in the order of the wishes.
 *
 * Where there would be but one, or one lane, nothing happens: it is built when it is asked for.
 *
 * @param done  how many of the wishes, from the first on, had their turn; NULL: nobody asks
 * @return      PE_ESTOPPED after Ctrl-C, when those that were at work are stored; PE_ESYS, PE_EFULL, PE_ESTORE
 */
int pe_session_build_ahead(size_t *done, struct pe_session *session,
			   const struct pe_build_request *requests, size_t n);

/** Have session->pool, where more than one job may be at work; else it may stay NULL. PE_ESYS. */
int pe_session_open_pool(struct pe_session *session);

/** How many builds this session may have at one time: as `build: {parallel:}` says, and fewer where they disturbed each other. */
unsigned pe_session_workers(struct pe_session *session);

/** Take what came of a build. False: it was not built ahead, or was taken. */
bool pe_session_take_ahead(struct pe_ahead *out, struct pe_session *session, const char *id,
			   const char *recipe_hash);

#endif

/*
 * Ahead: build revisions side by side before they are requested one by one. pe_session_build() then finds the outcomes.
 * The stored rows are those of sequential builds, except for their order.
 *
 *   (1) The store, the slots and the session are used by the caller's thread alone; a build's row is written as soon as it
 *       is over, so that a killed perfevo loses the running builds and no other.
 *   (2) A build that fails beside others for lack of memory, disk or time does not count, nor does the first one of a session
 *       that fails in another way: no other begins, and it is made again, alone, when it is requested. If it then succeeds,
 *       half as many run at one time from then on, or one, where recipes share a place outside of their trees.
 *   (3) No build runs any more when the call is over: nothing builds while something is timed.
 *   (4) Where a change is judged and its build is not confined, it does not run beside its base's (session->apart): it could
 *       write into that while it is built, and no list would show it (docs/security.md, P7).
 */
#pragma once

#include "core/exec/slots.h"
#include "core/model/build.h"
#include "core/model/revision.h"

struct pe_session;

/** A request to build a revision. Borrowed for the call. */
struct pe_build_request {
	const struct pe_revision *revision;
	struct pe_slots *slots; /**< that it is built in */
	const struct pe_recipe *recipe;
	const char *recipe_hash;
	/**
	 * The outcome gets a row in the store, and is taken with its slot. false: only a failure is kept for
	 * pe_session_take_ahead(); a build is found when the slots are opened again.
	 */
	bool stored;
};

/** The outcome of a build that was not requested yet. */
struct pe_ahead {
	const char *id;
	char recipe_hash[PE_HASH_HEX];
	struct pe_slot *slot; /**< held, if it was built */
	struct pe_build build;
};

/** The request for the timed build of a revision. */
struct pe_build_request pe_session_build_request(struct pe_session *session,
						 const struct pe_revision *revision);

/**
 * Build the unbuilt ones of the requests in their order, as many at one time as there is room for. Nothing happens where
 * there would be only one build, or one worker: it is built when it is requested.
 *
 * @param done  set to the number of requests, from the first on, that were handled; NULL is allowed
 * @return      PE_ESTOPPED after Ctrl-C, when the running builds are stored; PE_ESYS, PE_EFULL, PE_ESTORE
 */
int pe_session_build_ahead(size_t *done, struct pe_session *session,
			   const struct pe_build_request *requests, size_t n);

/** After a build alone: decide whether builds disturb each other, if it had failed beside others. @param id  of its revision */
void pe_session_learn_alone(struct pe_session *session, const char *id, enum pe_outcome outcome);

/** Open session->pool if more than one job may run at a time; else it may stay NULL. PE_ESYS. */
int pe_session_open_pool(struct pe_session *session);

/** The number of builds at one time: by `build: {parallel:}`, and fewer after they disturbed each other. */
unsigned pe_session_workers(struct pe_session *session);

/** Take the outcome of a build. False: it was not built ahead, or was taken. */
bool pe_session_take_ahead(struct pe_ahead *out, struct pe_session *session, const char *id,
			   const char *recipe_hash);

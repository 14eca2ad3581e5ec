/*
 * Shared: builds that the workers of a farm make for each other. They lie in a folder that all of them see, one for each
 * revision and recipe, whoever came first: N nodes take the time of b / N builds each.
 *
 * Who builds a revision holds a lock meanwhile, which the kernel lets go of when he dies; the others go on with revisions
 * that nobody builds, and take what was built when they need it. A build is a parcel (core/base/parcel.h) that is named by
 * the digest of its content, and an offer beside it, which is written last and says which parcel it is. What does not
 * have its digest is not taken: it is built again, and offered anew.
 *
 * Only what means the same in another folder is offered. Under `sandbox:` in namespaces every build sees its tree at one path;
 * without, a build is offered where nothing in it names the folder that it lies in. Those that cannot be offered are marked
 * so, and everybody builds them for himself; so is what fails to build, which each worker tells for itself.
 */
#ifndef PE_APP_MEASURE_SHARED_H
#define PE_APP_MEASURE_SHARED_H

#include "core/base/hash.h"
#include "core/base/vec.h"
#include "core/exec/slots.h"
#include "core/model/build.h"

struct pe_session;
struct pe_session_revision;
struct pe_stored_reads;

/** A build that this worker was the first to begin. */
struct pe_shared_claim {
	char key[PE_HASH_HEX];
	int lock;
};

struct pe_shared {
	const char *
		dir; /**< the folder, which nobody else may write to; NULL: each builds for itself */
	PE_VEC(struct pe_shared_claim) claims;
	size_t taken, offered; /**< builds, in this session */
};

/** What becomes of a build that is needed. */
enum pe_shared_answer {
	PE_SHARED_BUILD, /**< it is to be built here */
	PE_SHARED_TAKEN, /**< it lies in a slot, or there is no slot for it (NULL) */
	PE_SHARED_BUSY,  /**< somebody else builds it */
};

/**
 * Take a build that another worker made, or the duty to make it. Whatever stands in the way of taking it, it is built here.
 *
 * @param slot   of PE_SHARED_TAKEN: held, as if it had been built here, and stored
 * @param build  likewise
 * @return       PE_ESYS, PE_EFULL: the session cannot go on
 */
int pe_shared_take(enum pe_shared_answer *out, struct pe_slot **slot, struct pe_build *build,
		   struct pe_session *session, const struct pe_session_revision *revision);

/** As pe_shared_take(), waiting for who builds it, as long as a build may take. PE_ESTOPPED. */
int pe_shared_await(enum pe_shared_answer *out, struct pe_slot **slot, struct pe_build *build,
		    struct pe_session *session, const struct pe_session_revision *revision);

/** A build is stored: offer it, where it is one that others can use, and let go of its claim. */
void pe_shared_offer(struct pe_session *session, const struct pe_session_revision *revision,
		     const struct pe_slot *slot, const struct pe_build *build,
		     const struct pe_stored_reads *reads);

/** Let go of what was begun and not finished. */
void pe_shared_let_go(struct pe_shared *shared);

#endif

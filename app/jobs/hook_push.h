/* Pushing: what the files of pe_hook_push() share; nobody else includes it. */
#ifndef PE_APP_JOBS_HOOK_PUSH_H
#define PE_APP_JOBS_HOOK_PUSH_H

#include "app/search/ab_test.h"
#include "core/base/vec.h"

/** A commit that is new on the other side, and what it is compared with. */
struct pe_pushing_commit {
	struct pe_revision base, tip;
	const char *ref; /**< "main" */
};

/** A push while it is looked at. */
struct pe_pushing {
	struct pe_app *app;
	const char *remote;
	uint64_t began_ns;
	PE_VEC(struct pe_pushing_commit) commits;
	bool unknown; /**< something is new of which no base is known */
};

/** Read from standard input what is pushed, and find out which commits of it are new on the other side. */
int pe_pushing_read(struct pe_pushing *pushing);

/** Say what came of a commit, and what got worse: "main 3f2a91c8: no regression since 1a2b3c4d, after 12 s (...)". */
void pe_pushing_report(const struct pe_pushing *pushing, const struct pe_pushing_commit *commit,
		       const struct pe_ab_test_answer *answer, const struct pe_commit_class *class);

#endif

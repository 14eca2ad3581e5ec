/*
 * Trouble: failures of builds and runs. The same trouble at many commits is one note with their number, after measuring;
 * meanwhile the progress shows the number.
 */
#pragma once

#include "app/app.h"
#include "core/base/vec.h"
#include "core/model/build.h"
#include "core/model/revision.h"
#include "core/model/run.h"

/** One trouble and the commits that have it. */
struct pe_trouble {
	const char *what;                   /**< "words: crashed" */
	bool has_log;                       /**< 'perfevo show' prints its log */
	PE_VEC(struct pe_revision) commits; /**< ids and subjects, each once */
};

/** Zero-initialise; pe_troubles_report() releases. */
struct pe_troubles {
	PE_VEC(struct pe_trouble) at;
};

/** Remember a trouble of a revision, once for each revision. Texts are copied. */
void pe_trouble_add(struct pe_troubles *troubles, const struct pe_revision *revision,
		    const char *what, bool has_log, struct pe_arena *arena);

/** Remember that a revision was not built, with the reason of its build. */
void pe_trouble_add_build(struct pe_troubles *troubles, const struct pe_revision *revision,
			  const struct pe_build *build, struct pe_arena *arena);

/** Remember a run that failed; a run that cannot be counted is no failure. */
void pe_trouble_add_run(struct pe_troubles *troubles, const struct pe_revision *revision,
			const char *benchmark, const struct pe_run *run, struct pe_arena *arena);

/** The number of revisions with any trouble. */
size_t pe_troubles_commits(const struct pe_troubles *troubles);

/** Note each trouble once, in order of appearance, and forget them. */
void pe_troubles_report(struct pe_troubles *troubles, const struct pe_app *app);

/*
 * Trouble: what could not be built or run. The same trouble at many commits is one note with their number, when the
 * measuring is over; meanwhile the progress has the number.
 */
#ifndef PE_APP_MEASURE_TROUBLE_H
#define PE_APP_MEASURE_TROUBLE_H

#include "app/app.h"
#include "core/base/vec.h"
#include "core/model/build.h"
#include "core/model/revision.h"
#include "core/model/run.h"

/** One trouble and the commits that have it. */
struct pe_trouble {
	const char *what;                   /**< "words: crashed" */
	bool has_log;                       /**< 'perfevo show' prints more of it */
	PE_VEC(struct pe_revision) commits; /**< ids and subjects, each once */
};

/** Zero-initialise; pe_troubles_report() releases. */
struct pe_troubles {
	PE_VEC(struct pe_trouble) at;
};

/** Remember a trouble of a revision; once more for the same revision changes nothing. Texts are copied. */
void pe_trouble_add(struct pe_troubles *troubles, const struct pe_revision *revision,
		    const char *what, bool has_log, struct pe_arena *arena);

/** Remember that a revision was not built, for the reason that the build has. */
void pe_trouble_add_build(struct pe_troubles *troubles, const struct pe_revision *revision,
			  const struct pe_build *build, struct pe_arena *arena);

/** Remember a run that failed; one that cannot be counted is none. */
void pe_trouble_add_run(struct pe_troubles *troubles, const struct pe_revision *revision,
			const char *benchmark, const struct pe_run *run, struct pe_arena *arena);

/** How many revisions have any trouble. */
size_t pe_troubles_commits(const struct pe_troubles *troubles);

/** Note each trouble once, in the order in which they came up, and forget them. */
void pe_troubles_report(struct pe_troubles *troubles, const struct pe_app *app);

#endif

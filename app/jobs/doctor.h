/*
 * Doctor: checks the files that perfevo relies on, and what works in the background: config, store, cache, locks, hooks,
 * nightly run. The machine and its sandbox are tried by `perfevo check`. Each fault is a sentence with its remedy; a fault that can be mended without losing anything is mended on request.
 * Nothing is measured, and a running measurement is neither waited for nor disturbed.
 */
#pragma once

#include "app/app.h"
#include "core/base/vec.h"

#include <sys/types.h>

enum pe_finding_kind {
	PE_FINDING_FACT,   /**< how it is, and may be */
	PE_FINDING_ADVICE, /**< it works, and could be better */
	PE_FINDING_WRONG,
	PE_FINDING_MENDED, /**< it was wrong */
};

struct pe_finding {
	enum pe_finding_kind kind;
	const char *area; /**< "store" */
	const char *text; /**< in the arena of the application */
};

struct pe_doctor {
	struct pe_app *app; /**< with a repository; config and store are opened where they can be */
	bool mends;         /**< --fix */
	PE_VEC(struct pe_finding) findings;
	size_t n_wrong;
};

/** "fact", "advice", "wrong", "mended". */
const char *pe_finding_name(enum pe_finding_kind kind);

/** Look at everything. What cannot be looked at is a finding, too. Release the findings. */
void pe_doctor_look(struct pe_doctor *doctor);

/* --- For its parts --- */

/** Add a finding; one that is wrong is counted. */
void pe_doctor_add(struct pe_doctor *doctor, enum pe_finding_kind kind, const char *area,
		   const char *format, ...) PE_PRINTF(4, 5);

/**
 * Mend a fault if that is requested, else report it with its remedy.
 *
 * @param mend  PE_OK: it is mended; else its sentence is reported, too
 * @param what  "the hook post-commit was edited"
 */
void pe_doctor_mend(struct pe_doctor *doctor, const char *area,
		    int (*mend)(void *payload, struct pe_err *err), void *payload,
		    const char *what);

/** The same, of permission bits of a file. */
void pe_doctor_mend_mode(struct pe_doctor *doctor, const char *area, const char *path, mode_t add,
			 mode_t remove, const char *what);

/** The cache folder with its builds, and who measures (doctor_cache.c). */
void pe_doctor_look_at_cache(struct pe_doctor *doctor);

/** Hooks, the commits that wait for them, and the nightly run (doctor_jobs.c). */
void pe_doctor_look_at_jobs(struct pe_doctor *doctor);

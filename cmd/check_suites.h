/* What `check` sees of suites: one process of each, read as track reads it. */
#ifndef PE_CMD_CHECK_SUITES_H
#define PE_CMD_CHECK_SUITES_H

#include "app/measure/session.h"
#include "json/writer.h"
#include "suites/suite.h"

/** One suite, after its program ran. */
struct pe_checked_suite {
	const struct pe_suite *suite;
	struct pe_suite_process process;
	const char *format,
		*library; /**< "google-benchmark"; its version, "" where it gives none */
	const struct pe_suite_note *notes;
	size_t n_notes, n_chosen; /**< benchmarks that include, exclude and --bench leave */
	const char *alone; /**< what confirming runs for the first of them; NULL: the whole suite */
	const char *error; /**< why its program could not be asked; NULL: it ran */
	const struct pe_suite_port *port;
};

struct pe_checked_suites {
	struct pe_checked_suite *at;
	size_t n;
};

/** Run the program of every suite once that has a benchmark in the session. */
int pe_check_suites(struct pe_checked_suites *out, struct pe_session *session, const char *tree);

/** Whether all programs ran, and every benchmark in them. */
bool pe_check_suites_ran(const struct pe_checked_suites *suites);

/** Append what was seen: a paragraph a suite, for people. */
void pe_check_suites_print(struct pe_text *out, const struct pe_checked_suites *suites);
/** The same as a member "suites" of an object. */
void pe_check_suites_json(struct pe_json *json, const struct pe_checked_suites *suites);

#endif

/* Suite port: implements the port of core/exec/suite.h with the libraries of suites/. */
#pragma once

#include "app/measure/session.h"

/** A suite of the config in the session; NULL: it is not there. */
struct pe_session_suite *pe_suite_port_find(struct pe_session *session,
					    const struct pe_suite *suite);

/** The port of a session, which must outlive it. */
struct pe_suite_port pe_suite_port_of(struct pe_session *session);

/**
 * Detect the library of benchmarks that a command runs: by its text, and by the contents of the files that it names.
 *
 * @param tree  a built one
 * @return      an enum pe_suite_format; PE_SUITE_AUTO: none was detected
 */
int pe_suite_port_format_of(const struct pe_benchmark *benchmark, const char *tree,
			    struct pe_arena *arena);

/** Advice about a benchmark that runs such a library: its wall time hides changes of its program. */
#define PE_SUITE_TIMED_SAYS                                                                        \
	"runs many benchmarks, each for as long as its library likes, however fast the program is: its wall time shows no change; name it under 'suites:' in place of 'benchmarks:'"

/**
 * Detect the library of a suite's program: by its command, and by its file's content. Does nothing where the config names
 * the format.
 *
 * @param tree  a built one
 */
void pe_suite_port_look(struct pe_session_suite *suite, const char *tree, struct pe_arena *arena);

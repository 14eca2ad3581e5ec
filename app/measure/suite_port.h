/* Suite port: what core/exec/suite.h asks of the libraries, answered by suites/. */
#ifndef PE_APP_MEASURE_SUITE_PORT_H
#define PE_APP_MEASURE_SUITE_PORT_H

#include "app/measure/session.h"

/** The port of a session, which outlives it. */
struct pe_suite_port pe_suite_port_of(struct pe_session *session);

/**
 * The library of benchmarks that a command runs: by its text, and by what the files that it names hold.
 *
 * @param tree  a built one
 * @return      an enum pe_suite_format; PE_SUITE_AUTO: none is seen
 */
int pe_suite_port_format_of(const struct pe_benchmark *benchmark, const char *tree,
			    struct pe_arena *arena);

/** Of a benchmark that is such a command: no step of its program's shows. */
#define PE_SUITE_TIMED_SAYS                                                                        \
	"runs many benchmarks, each for as long as its library likes, however fast the program is: its wall time shows no change; name it under 'suites:' in place of 'benchmarks:'"

/**
 * Say once a session which of its benchmarks are suites that are timed as one.
 *
 * @param tree  a built one
 */
void pe_suite_port_note_timed(struct pe_session *session, const char *tree);

/**
 * See which library a suite's program is linked with: by its command, and by what its file holds. Says nothing where the
 * config names the format.
 *
 * @param tree  a built one
 */
void pe_suite_port_look(struct pe_session_suite *suite, const char *tree, struct pe_arena *arena);

/**
 * Unpack what gzip compressed, as pyperf does for -o FILE.json.gz; leave other bytes as they are.
 *
 * @param name  for messages
 * @return      PE_EINVALID: broken compression
 */
int pe_suite_port_unpack(const char **bytes, size_t *n, const char *name, struct pe_arena *arena,
			 struct pe_err *err);

#endif

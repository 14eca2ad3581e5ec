/* Suite port: what core/exec/suite.h asks of the libraries, answered by suites/. */
#ifndef PE_APP_MEASURE_SUITE_PORT_H
#define PE_APP_MEASURE_SUITE_PORT_H

#include "app/measure/session.h"

/** The port of a session, which outlives it. */
struct pe_suite_port pe_suite_port_of(struct pe_session *session);

/**
 * See which library a suite's program is linked with: by its command, and by what its file holds. Says nothing where the
 * config names the format.
 *
 * @param tree  a built one
 */
void pe_suite_port_look(struct pe_session_suite *suite, const char *tree, struct pe_arena *arena);

#endif

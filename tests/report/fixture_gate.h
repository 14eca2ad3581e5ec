/* A gate with one check of every answer, and names that would be markup anywhere. */
#ifndef PE_TESTS_REPORT_FIXTURE_GATE_H
#define PE_TESTS_REPORT_FIXTURE_GATE_H

#include "report/gate.h"

/** Fill in a gate of static checks: "every", "hostile", "quiet" or "broken". false: there is no such kind. */
bool fixture_gate(struct pe_gate *out, const char *kind);

#endif

/* A gate with one check of every answer, and names that would be markup anywhere. */
#pragma once

#include "report/gate.h"

/** Fill in a gate of static checks: "every", "hostile", "quiet" or "broken". false: there is no such kind. */
bool fixture_gate(struct pe_gate *out, const char *kind);

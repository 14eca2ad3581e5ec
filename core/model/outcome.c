#include "core/model/outcome.h"

const char *pe_outcome_name(enum pe_outcome outcome)
{
	static const char *const names[PE_N_OUTCOMES] = {
		[PE_MEASURED] = "measured",
		[PE_TREE_REFUSED] = "tree refused",
		[PE_BUILD_FAILED] = "build failed",
		[PE_BUILD_TIMED_OUT] = "build timed out",
		[PE_SETUP_FAILED] = "setup failed",
		[PE_EXIT_WRONG] = "wrong exit status",
		[PE_CRASHED] = "crashed",
		[PE_TIMED_OUT] = "timed out",
		[PE_OUTPUT_FULL] = "too much output",
		[PE_NOT_STARTED] = "not started",
		[PE_METRIC_MISSING] = "metric missing",
		[PE_NOT_COUNTABLE] = "not countable",
		[PE_INCONCLUSIVE] = "inconclusive",
		[PE_ABSENT] = "not there",
	};

	return (unsigned)outcome < PE_N_OUTCOMES ? names[outcome] : "unknown";
}

const char *pe_outcome_say(enum pe_outcome outcome)
{
	if (outcome == PE_TREE_REFUSED)
		return "files not written";
	if (outcome == PE_NOT_COUNTABLE)
		return "not counted";
	return pe_outcome_name(outcome);
}

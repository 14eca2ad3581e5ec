#include "core/model/evolution.h"

const char *pe_jump_state_name(enum pe_jump_state state)
{
	static const char *const names[PE_N_JUMP_STATES] = {
		[PE_JUMP_SUSPECT] = "suspect",
		[PE_JUMP_CONFIRMED] = "confirmed",
		[PE_JUMP_ACCEPTED] = "accepted",
		[PE_JUMP_REFUTED] = "refuted",
	};

	return names[state];
}

const char *pe_estimate_name(enum pe_estimate estimate)
{
	static const char *const names[PE_N_ESTIMATES] = {
		[PE_ESTIMATE_LEVELS] = "levels",
		[PE_ESTIMATE_PAIRS] = "pairs",
		[PE_ESTIMATE_EXACT] = "exact",
	};

	return names[estimate];
}

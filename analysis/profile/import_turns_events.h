/* Events of Chrome's that schedule something or run it. For the parts of import_turns alone. */
#ifndef PE_PROFILE_IMPORT_TURNS_EVENTS_H
#define PE_PROFILE_IMPORT_TURNS_EVENTS_H

#include "analysis/profile/import_turns.h"

enum pe_turn_role {
	PE_TURN_ASKS,
	PE_TURN_RUNS,    /**< from its time on, as long as it lasts */
	PE_TURN_ARRIVES, /**< what runs from then on until the thread is idle is due to it */
};

enum pe_turn_kind {
	PE_TURN_TIMER,
	PE_TURN_FRAME,
	PE_TURN_IDLE,
	PE_TURN_MESSAGE,
	PE_TURN_TASK,
	PE_TURN_RESPONSE,
	PE_TURN_ADDRESS, /**< a response that is known by its address alone */
};

struct pe_turn_event {
	const char *name;
	enum pe_turn_role role;
	enum pe_turn_kind kind;
};

enum { PE_TURN_EVENTS = 16 };

extern const struct pe_turn_event pe_turn_events[PE_TURN_EVENTS];

/** By enum pe_turn_kind: name of the node that has the waiting. */
extern const char *const pe_turn_waits[];

#endif

/* Chrome's events that schedule a task or run it. Private to import_turns. */
#ifndef PE_PROFILE_IMPORT_TURNS_EVENTS_H
#define PE_PROFILE_IMPORT_TURNS_EVENTS_H

#include "analysis/profile/import_turns.h"

enum pe_turn_role {
	PE_TURN_ASKS,
	PE_TURN_RUNS,    /**< the event is the task, from its time on for its duration */
	PE_TURN_ARRIVES, /**< the task runs from then on until the thread is idle */
};

enum pe_turn_kind {
	PE_TURN_TIMER,
	PE_TURN_FRAME,
	PE_TURN_IDLE,
	PE_TURN_MESSAGE,
	PE_TURN_TASK,
	PE_TURN_RESPONSE,
	PE_TURN_ADDRESS, /**< a response identified by its address alone */
};

struct pe_turn_event {
	const char *name;
	enum pe_turn_role role;
	enum pe_turn_kind kind;
};

enum { PE_TURN_EVENTS = 16 };

extern const struct pe_turn_event pe_turn_events[PE_TURN_EVENTS];

/** Names of waiting nodes, by enum pe_turn_kind. */
extern const char *const pe_turn_waits[];

#endif

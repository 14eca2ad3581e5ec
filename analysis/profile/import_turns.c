/* Turns: keeps the events that schedule or run tasks. import_turns_spread.c evaluates them. */
#include "analysis/profile/import_turns_events.h"

#include "analysis/profile/import_chrome.h"

#include <string.h>

const struct pe_turn_event pe_turn_events[] = {
	{"TimerInstall", PE_TURN_ASKS, PE_TURN_TIMER},
	{"TimerFire", PE_TURN_RUNS, PE_TURN_TIMER},
	{"RequestAnimationFrame", PE_TURN_ASKS, PE_TURN_FRAME},
	{"FireAnimationFrame", PE_TURN_RUNS, PE_TURN_FRAME},
	{"RequestIdleCallback", PE_TURN_ASKS, PE_TURN_IDLE},
	{"FireIdleCallback", PE_TURN_RUNS, PE_TURN_IDLE},
	{"SchedulePostMessage", PE_TURN_ASKS, PE_TURN_MESSAGE},
	{"HandlePostMessage", PE_TURN_RUNS, PE_TURN_MESSAGE},
	{"SchedulePostTaskCallback", PE_TURN_ASKS, PE_TURN_TASK},
	{"RunPostTaskCallback", PE_TURN_RUNS, PE_TURN_TASK},
	{"ResourceSendRequest", PE_TURN_ASKS, PE_TURN_RESPONSE},
	{"ResourceReceiveResponse", PE_TURN_ARRIVES, PE_TURN_RESPONSE},
	{"ResourceReceivedData", PE_TURN_ARRIVES, PE_TURN_RESPONSE},
	{"ResourceFinish", PE_TURN_ARRIVES, PE_TURN_RESPONSE},
	{"XHRReadyStateChange", PE_TURN_RUNS, PE_TURN_ADDRESS},
	{"XHRLoad", PE_TURN_RUNS, PE_TURN_ADDRESS},
};

const char *const pe_turn_waits[] = {
	[PE_TURN_TIMER] = "(waiting: timer)",      [PE_TURN_FRAME] = "(waiting: frame)",
	[PE_TURN_IDLE] = "(waiting: idle period)", [PE_TURN_MESSAGE] = "(waiting: message)",
	[PE_TURN_TASK] = "(waiting: task)",        [PE_TURN_RESPONSE] = "(waiting: response)",
	[PE_TURN_ADDRESS] = "(waiting: response)",
};

/* Add the calls of an event's stack, whose innermost one is listed first; returns the innermost call. */
static uint32_t stack_of(struct pe_turns *turns, const struct pe_chrome_event *event)
{
	uint32_t call = PE_CCT_NONE;

	for (size_t i = event->stack.n; i-- > 0;) {
		uint32_t frame = event->stack.data[i], next;
		bool is_new;

		/* V8's pseudo-frames, as "(idle)", are no functions. */
		if (turns->frames.at[frame].kind != PE_FRAME_METHOD)
			continue;
		next = pe_map_get(&turns->call_of, call, frame, PE_CCT_NONE);
		if (next == PE_CCT_NONE && turns->calls.n == PE_TURNS_MOST_CALLS)
			return call;
		if (next == PE_CCT_NONE) {
			next = *pe_map_put(&turns->call_of, call, frame, (uint32_t)turns->calls.n,
					   &is_new);
			pe_vec_push(&turns->calls, (struct pe_turn_call){call, frame});
		}
		call = next;
	}
	return call;
}

static uint64_t address_key(const struct pe_chrome_event *event)
{
	return pe_xxh_short(PE_TURN_ADDRESS, pe_text_str(&event->url), event->url.len);
}

/* The key of a task. Each document numbers its own timers and frames; request numbers are global. */
static uint64_t key_of(const struct pe_chrome_event *event, enum pe_turn_kind kind)
{
	uint64_t key = pe_xxh_short(kind, pe_text_str(&event->subject), event->subject.len);

	return kind == PE_TURN_TIMER || kind == PE_TURN_FRAME || kind == PE_TURN_IDLE
		       ? pe_xxh_short(key, pe_text_str(&event->document), event->document.len)
		       : key;
}

void pe_turns_take(struct pe_turns *turns, const struct pe_chrome_event *event, uint32_t thread)
{
	const char *name = pe_text_str(&event->name);
	uint8_t row = 0;
	struct pe_turn_mark mark;

	while (row < PE_TURN_EVENTS && strcmp(name, pe_turn_events[row].name) != 0)
		row++;
	if (row == PE_TURN_EVENTS || event->phase == 'M')
		return;
	if (turns->marks.n == PE_TURNS_MOST_MARKS) {
		turns->is_full = true;
		return;
	}
	mark = (struct pe_turn_mark){
		.at_us = event->at_ns / 1000,
		.thread = thread,
		.order = (uint32_t)turns->marks.n,
		.stack = stack_of(turns, event),
		.row = row,
	};
	if (__builtin_add_overflow(mark.at_us, event->duration_ns / 1000 + 1, &mark.end_us))
		mark.end_us = INT64_MAX;
	if (pe_turn_events[row].kind == PE_TURN_ADDRESS) {
		mark.key = mark.url_key = address_key(event);
	} else {
		mark.key = key_of(event, pe_turn_events[row].kind);
		mark.url_key = event->url.len > 0 ? address_key(event) : mark.key;
	}
	pe_vec_push(&turns->marks, mark);
}

void pe_turns_release(struct pe_turns *turns)
{
	pe_vec_release(&turns->marks);
	pe_vec_release(&turns->calls);
	pe_map_release(&turns->call_of);
	pe_frames_release(&turns->frames);
}

/*
 * Turns: keeps the events that schedule or run tasks, then moves samples and idle time below the functions that requested the
 * tasks: one pass over the runs of samples of a thread and its events, both in order of time.
 *
 * Idle time is kept as gaps until a task runs. The part of each gap after the task's request becomes a wait for it.
 * Where unrequested code runs (a click, the first script), the gaps before it have no cause, and stay where they are.
 */
#include "analysis/profile/import_chrome.h"
#include "core/base/search.h"
#include "core/base/sort.h"

#include <assert.h>
#include <string.h>

/* --- Chrome's events that schedule a task or run it --- */

enum turn_role {
	PE_TURN_ASKS,
	PE_TURN_RUNS,    /* the event is the task, from its time on for its duration */
	PE_TURN_ARRIVES, /* the task runs from then on until the thread is idle */
	PE_TURN_CALLS, /* the engine calls a function, which schedules what has no stack of its own */
};

enum turn_kind {
	PE_TURN_TIMER,
	PE_TURN_FRAME,
	PE_TURN_IDLE,
	PE_TURN_MESSAGE,
	PE_TURN_TASK,
	PE_TURN_RESPONSE,
	PE_TURN_ADDRESS, /* a response identified by its address alone */
	PE_TURN_CALL,
};

struct turn_event {
	const char *name;
	enum turn_role role;
	enum turn_kind kind;
};

static const struct turn_event events[] = {
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
	{"FunctionCall", PE_TURN_CALLS, PE_TURN_CALL},
};

enum { N_EVENTS = sizeof(events) / sizeof(*events) };

/* Names of waiting nodes. */
static const char *const waits[] = {
	[PE_TURN_TIMER] = "(waiting: timer)",      [PE_TURN_FRAME] = "(waiting: frame)",
	[PE_TURN_IDLE] = "(waiting: idle period)", [PE_TURN_MESSAGE] = "(waiting: message)",
	[PE_TURN_TASK] = "(waiting: task)",        [PE_TURN_RESPONSE] = "(waiting: response)",
	[PE_TURN_ADDRESS] = "(waiting: response)",
};

static uint32_t call_below(struct pe_turns *turns, uint32_t caller, uint32_t frame)
{
	bool is_new;
	uint32_t call =
		*pe_map_put(&turns->call_of, caller, frame, (uint32_t)turns->calls.n, &is_new);

	if (is_new)
		pe_vec_push(&turns->calls, (struct pe_turn_call){caller, frame});
	return call;
}

/* Add the calls of an event's stack, whose innermost one is listed first; returns the innermost call. */
static uint32_t stack_of(struct pe_turns *turns, const struct pe_chrome_event *event)
{
	uint32_t call = PE_CCT_NONE;

	for (size_t i = event->stack.n; i-- > 0;) {
		uint32_t frame = event->stack.data[i];

		/* V8's pseudo-frames, as "(idle)", are no functions. */
		if (turns->frames.at[frame].kind == PE_FRAME_METHOD)
			call = call_below(turns, call, frame);
	}
	return call;
}

/* The function that the engine calls, as a stack of one. */
static uint32_t callee_of(struct pe_turns *turns, struct pe_chrome_event *event)
{
	uint32_t frame;

	event->stack.n = 0;
	if (event->callee.len == 0)
		return PE_CCT_NONE;
	frame = pe_v8_frame(&event->calls, &event->callee, &event->url, -1);
	if (frame != PE_FRAME_NONE)
		pe_vec_push(&event->stack, frame);
	return stack_of(turns, event);
}

static uint64_t address_key(const struct pe_chrome_event *event)
{
	return pe_xxh_short(PE_TURN_ADDRESS, pe_text_str(&event->url), event->url.len);
}

/* The key of a task. Each document numbers its own timers and frames; request numbers are global. */
static uint64_t key_of(const struct pe_chrome_event *event, enum turn_kind kind)
{
	uint64_t key = pe_xxh_short(kind, pe_text_str(&event->subject), event->subject.len);

	return kind == PE_TURN_TIMER || kind == PE_TURN_FRAME || kind == PE_TURN_IDLE
		       ? pe_xxh_short(key, pe_text_str(&event->document), event->document.len)
		       : key;
}

void pe_turns_take(struct pe_turns *turns, struct pe_chrome_event *event, uint32_t thread)
{
	const char *name = pe_text_str(&event->name);
	uint8_t row = 0;
	struct pe_turn_mark mark;

	while (row < N_EVENTS && strcmp(name, events[row].name) != 0)
		row++;
	if (row == N_EVENTS || event->phase == 'M')
		return;
	mark = (struct pe_turn_mark){
		.at_us = event->at_ns / 1000,
		.thread = thread,
		.order = (uint32_t)turns->marks.n,
		.stack = events[row].role == PE_TURN_CALLS ? callee_of(turns, event)
							   : stack_of(turns, event),
		.row = row,
	};
	if (__builtin_add_overflow(mark.at_us, event->duration_ns / 1000 + 1, &mark.end_us))
		mark.end_us = INT64_MAX;
	if (events[row].kind == PE_TURN_ADDRESS) {
		mark.key = mark.url_key = address_key(event);
	} else {
		mark.key = key_of(event, events[row].kind);
		mark.url_key = event->url.len > 0 ? address_key(event) : mark.key;
	}
	pe_vec_push(&turns->marks, mark);
}

/* --- Below the functions that requested them --- */

/* Deeper paths are cut: finding a function on one costs its length. */
enum { MOST_DEPTH = 1000 };

/* A task that runs. Tasks nest: the last one has the processor. */
struct task {
	int64_t end_us; /* INT64_MAX: until the thread is idle */
	uint32_t context;
};

/* A call of a function by the engine. */
struct call {
	int64_t end_us;
	uint32_t stack; /* with the calls around it; PE_CCT_NONE: no name is known */
};

/* A requested task, and the node that requested it; PE_CCT_NONE: unknown. */
struct plan {
	int64_t at_us;
	uint32_t context;
};

struct gap {
	int64_t from_us, to_us;
	uint32_t node; /* of V8's; it has the time */
};

struct spread {
	struct pe_turns *turns;
	const struct pe_turns_target *target;
	size_t next, end; /* the next mark of this thread, and the end of its marks */
	PE_VEC(struct task) tasks;
	PE_VEC(struct call) calls;
	PE_VEC(struct plan) plans;
	struct pe_map plan_of; /* by key: in plans */
	PE_VEC(struct gap) gaps;
	struct pe_map places;   /* by context and node of V8's: node of the tree */
	PE_VEC(uint32_t) depth; /* by node of the tree; 0: not made here */
	PE_VEC(uint32_t) path;
	uint32_t last_code; /* V8's node of the last code since the thread was idle; PE_CCT_NONE */
	bool has_moved;
};

/* --- Places in the tree --- */

static uint32_t depth_of(const struct spread *spread, uint32_t node)
{
	return node < spread->depth.n ? spread->depth.data[node] : 0;
}

/*
 * Make a child. A function that already is on the path leads back to its node there. Anonymous functions share a name and
 * may differ: such a one leads back only to a parent of the same frame.
 */
static uint32_t child(struct spread *spread, uint32_t parent, uint32_t frame)
{
	struct pe_cct_builder *builder = spread->target->builder;
	bool is_nameless = strcmp(spread->target->frames->at[frame].name, PE_V8_ANONYMOUS) == 0;
	uint32_t n = pe_cct_builder_count(builder), node;

	if (is_nameless && pe_cct_builder_node(builder, parent)->frame == frame)
		return parent;

	if (depth_of(spread, parent) >= MOST_DEPTH) {
		pe_cct_builder_flag(builder, parent, PE_CCT_CUT);
		return parent;
	}
	node = is_nameless ? pe_cct_builder_child(builder, parent, frame, 0)
			   : pe_cct_builder_fold(builder, parent, frame, 0);
	if (node < n)
		return node;
	while (spread->depth.n <= node)
		pe_vec_push(&spread->depth, 0);
	spread->depth.data[node] = depth_of(spread, parent) + 1;
	return node;
}

/* Find or make the tree's node for a node of V8's in a context. */
static uint32_t place(struct spread *spread, uint32_t context, uint32_t node)
{
	const struct pe_v8 *v8 = spread->target->v8;
	uint32_t at = context;

	spread->path.n = 0;
	for (uint32_t i = node; i != PE_CCT_NONE; i = v8->nodes.data[i].parent) {
		uint32_t known = pe_map_get(&spread->places, context, i, PE_CCT_NONE);

		if (known != PE_CCT_NONE) {
			at = known;
			break;
		}
		if (!pe_v8_is_root(v8, spread->target->frames, i))
			pe_vec_push(&spread->path, i);
	}
	while (spread->path.n > 0) {
		uint32_t i = spread->path.data[--spread->path.n];

		at = child(spread, at, v8->nodes.data[i].frame);
		pe_map_set(&spread->places, context, i, at);
	}
	return at;
}

static uint32_t call_node(struct spread *spread, uint32_t context, uint32_t call)
{
	const struct pe_turn_call *calls = spread->turns->calls.data;

	spread->path.n = 0;
	for (; call != PE_CCT_NONE; call = calls[call].caller)
		pe_vec_push(&spread->path, calls[call].frame);
	while (spread->path.n > 0) {
		uint32_t frame = spread->path.data[--spread->path.n];

		context = child(
			spread, context,
			pe_frames_add(spread->target->frames, &spread->turns->frames.at[frame]));
	}
	return context;
}

/* --- Events --- */

static uint32_t context_now(const struct spread *spread)
{
	return spread->tasks.n > 0 ? spread->tasks.data[spread->tasks.n - 1].context : PE_CCT_NONE;
}

/* Find the outermost function on the last stack: without a stack or a call around the event, this one made the request. */
static uint32_t outermost(const struct spread *spread)
{
	const struct pe_v8 *v8 = spread->target->v8;
	uint32_t found = PE_CCT_NONE;

	for (uint32_t i = spread->last_code; i != PE_CCT_NONE; i = v8->nodes.data[i].parent)
		if (!pe_v8_is_root(v8, spread->target->frames, i))
			found = i;
	return found;
}

static void ask(struct spread *spread, const struct pe_turn_mark *mark)
{
	uint32_t now = context_now(spread),
		 above = now != PE_CCT_NONE ? now : spread->target->under;
	struct plan plan = {mark->at_us, now};
	uint32_t stack = mark->stack, code = outermost(spread);

	if (stack == PE_CCT_NONE && spread->calls.n > 0)
		stack = spread->calls.data[spread->calls.n - 1].stack;
	if (stack != PE_CCT_NONE)
		plan.context = call_node(spread, above, stack);
	else if (code != PE_CCT_NONE)
		plan.context = place(spread, above, code);
	spread->turns->unknown += plan.context == PE_CCT_NONE;
	pe_map_set(&spread->plan_of, mark->key, 0, (uint32_t)spread->plans.n);
	pe_map_set(&spread->plan_of, mark->url_key, 0, (uint32_t)spread->plans.n);
	pe_vec_push(&spread->plans, plan);
}

/* Take time away from a node of V8's; returns the amount, in µs. */
static uint64_t take_us(struct spread *spread, uint32_t node, int64_t us)
{
	struct pe_v8_sum *sum = &spread->target->v8->sums.data[node];
	uint64_t taken = us <= 0 ? 0 : (uint64_t)us < sum->us ? (uint64_t)us : sum->us;

	sum->us -= taken;
	return taken;
}

static void claim_gaps(struct spread *spread, const struct plan *plan, const char *name)
{
	const struct pe_frame waiting = {.name = name, .kind = PE_FRAME_WAITING};
	const struct pe_turns_target *target = spread->target;
	uint64_t us = 0;

	for (size_t i = 0; i < spread->gaps.n; i++) {
		const struct gap *gap = &spread->gaps.data[i];
		int64_t from = gap->from_us > plan->at_us ? gap->from_us : plan->at_us;

		us += take_us(spread, gap->node, gap->to_us - from);
	}
	if (us > 0) {
		uint32_t node = pe_cct_builder_child(target->builder, plan->context,
						     pe_frames_add(target->frames, &waiting), 0);
		struct pe_cct_values *values = pe_cct_builder_at(target->builder, node);

		pe_cct_add(&values->self_ns, us < UINT64_MAX / 1000 ? us * 1000 : UINT64_MAX);
		spread->has_moved = true;
	}
}

static void start(struct spread *spread, const struct pe_turn_mark *mark)
{
	const struct turn_event *event = &events[mark->row];
	uint32_t index = pe_map_get(&spread->plan_of, mark->key, 0, PE_CCT_NONE);
	struct task task = {mark->end_us, context_now(spread)};

	assert(index == PE_CCT_NONE || spread->plans.data != NULL);
	if (index != PE_CCT_NONE && spread->plans.data[index].context != PE_CCT_NONE) {
		claim_gaps(spread, &spread->plans.data[index], waits[event->kind]);
		task.context = spread->plans.data[index].context;
	}
	spread->gaps.n = 0;
	if (event->role == PE_TURN_ARRIVES)
		task.end_us = INT64_MAX;
	if (event->role == PE_TURN_RUNS || task.context != PE_CCT_NONE)
		pe_vec_push(&spread->tasks, task);
}

static void end_tasks(struct spread *spread, int64_t now_us)
{
	while (spread->calls.n > 0 && spread->calls.data[spread->calls.n - 1].end_us <= now_us)
		spread->calls.n--;
	while (spread->tasks.n > 0 && spread->tasks.data[spread->tasks.n - 1].end_us <= now_us)
		spread->tasks.n--;
}

/* The engine calls a function, below those that it called and that have not returned. */
static void enter(struct spread *spread, const struct pe_turn_mark *mark)
{
	struct pe_turns *turns = spread->turns;
	struct call call = {mark->end_us, mark->stack};
	const uint32_t above =
		spread->calls.n > 0 ? spread->calls.data[spread->calls.n - 1].stack : PE_CCT_NONE;

	if (call.stack == PE_CCT_NONE)
		call.stack = above;
	else if (above != PE_CCT_NONE)
		call.stack = call_below(turns, above, turns->calls.data[mark->stack].frame);
	pe_vec_push(&spread->calls, call);
}

/* Process all events up to a time, in order. */
static void advance(struct spread *spread, int64_t now_us)
{
	const struct pe_turn_mark *marks = spread->turns->marks.data;

	for (; spread->next < spread->end && marks[spread->next].at_us <= now_us; spread->next++) {
		const struct pe_turn_mark *mark = &marks[spread->next];

		end_tasks(spread, mark->at_us);
		if (events[mark->row].role == PE_TURN_ASKS)
			ask(spread, mark);
		else if (events[mark->row].role == PE_TURN_CALLS)
			enter(spread, mark);
		else
			start(spread, mark);
	}
	end_tasks(spread, now_us);
}

/* The next time after now, at most `limit`, at which a task begins or ends. */
static int64_t next_edge(const struct spread *spread, int64_t limit)
{
	int64_t edge = limit;

	if (spread->next < spread->end && spread->turns->marks.data[spread->next].at_us < edge)
		edge = spread->turns->marks.data[spread->next].at_us;
	if (spread->tasks.n > 0 && spread->tasks.data[spread->tasks.n - 1].end_us < edge)
		edge = spread->tasks.data[spread->tasks.n - 1].end_us;
	return edge;
}

/* Whether a task begins to run at a time that the marks have reached. */
static bool starts_at(const struct spread *spread, int64_t now_us)
{
	const struct pe_turn_mark *mark = &spread->turns->marks.data[spread->next];

	return spread->next < spread->end && mark->at_us == now_us &&
	       (events[mark->row].role == PE_TURN_RUNS ||
		events[mark->row].role == PE_TURN_ARRIVES);
}

/* --- Samples --- */

static bool is_waiting(const struct spread *spread, uint32_t node)
{
	return spread->target->frames->at[spread->target->v8->nodes.data[node].frame].kind ==
	       PE_FRAME_WAITING;
}

/* Whether a node is the engine's own: "(program)", "(garbage collector)", outermost, without a script. These stay. */
static bool is_engine(const struct spread *spread, uint32_t node)
{
	const struct pe_v8_node *nodes = spread->target->v8->nodes.data;
	const struct pe_frame *frame = &spread->target->frames->at[nodes[node].frame];

	return frame->name[0] == '(' && frame->component[0] == '\0' &&
	       (nodes[node].parent == PE_CCT_NONE ||
		pe_v8_is_root(spread->target->v8, spread->target->frames, nodes[node].parent));
}

static void add_gap(struct spread *spread, uint32_t node, int64_t from_us, int64_t to_us)
{
	while (spread->tasks.n > 0 && spread->tasks.data[spread->tasks.n - 1].end_us == INT64_MAX)
		spread->tasks.n--;
	spread->last_code = PE_CCT_NONE;
	if (spread->tasks.n == 0)
		pe_vec_push(&spread->gaps, (struct gap){from_us, to_us, node});
}

static void move_code(struct spread *spread, uint32_t node, int64_t us, uint64_t samples)
{
	const struct pe_turns_target *target = spread->target;
	struct pe_v8_sum *sum = &target->v8->sums.data[node];
	uint32_t context = context_now(spread);
	struct pe_cct_values *values;
	uint64_t moved;

	spread->last_code = node;
	if (context == PE_CCT_NONE) {
		spread->gaps.n = 0;
		return;
	}
	moved = take_us(spread, node, us);
	samples = samples < sum->samples ? samples : sum->samples;
	sum->samples -= samples;
	values = pe_cct_builder_at(target->builder, place(spread, context, node));
	pe_cct_add(&values->samples, samples);
	pe_cct_add(&values->self_ns, moved < UINT64_MAX / 1000 ? moved * 1000 : UINT64_MAX);
	spread->has_moved = true;
}

/*
 * Attribute part of a run. A sample's time is the time since the sample before: if that one was idle, the code that runs
 * now began no earlier than the event that started it, and the time before the event is idle.
 */
static void give(struct spread *spread, const struct pe_v8_run *run, int64_t from_us, int64_t to_us,
		 uint64_t samples, uint32_t idle)
{
	if (is_waiting(spread, run->node)) {
		add_gap(spread, run->node, from_us, to_us);
	} else if (idle != PE_CCT_NONE && context_now(spread) == PE_CCT_NONE &&
		   from_us < run->first_us && starts_at(spread, to_us)) {
		spread->target->v8->sums.data[idle].us +=
			take_us(spread, run->node, to_us - from_us);
		add_gap(spread, idle, from_us, to_us);
	} else if (!is_engine(spread, run->node)) {
		move_code(spread, run->node, to_us - from_us, samples);
	}
}

static void spread_run(struct spread *spread, size_t i)
{
	const struct pe_v8_run *runs = spread->target->v8->runs.data;
	struct pe_v8_run run = runs[i];
	uint32_t idle =
		i > 0 && is_waiting(spread, runs[i - 1].node) ? runs[i - 1].node : PE_CCT_NONE;
	uint64_t given = 0;
	int64_t now;

	run.from_us += spread->target->start_us;
	run.first_us += spread->target->start_us;
	run.to_us += spread->target->start_us;
	now = run.from_us;
	do {
		int64_t edge;
		uint64_t so_far = run.samples;

		advance(spread, now);
		edge = next_edge(spread, run.to_us);
		if (edge < run.to_us)
			so_far = (uint64_t)((double)run.samples * (double)(edge - run.from_us) /
					    (double)(run.to_us - run.from_us));
		give(spread, &run, now, edge, so_far - given, idle);
		given = so_far;
		now = edge;
	} while (now < run.to_us);
}

PE_SORT_BY(by_time, struct pe_turn_mark, thread, at_us, order);

static void find_marks(struct spread *spread)
{
	struct pe_turns *turns = spread->turns;
	const uint32_t thread = spread->target->thread;

	if (!turns->is_sorted && turns->marks.n > 1)
		pe_sort(turns->marks.data, turns->marks.n, by_time);
	turns->is_sorted = true;
	pe_search(spread->next, turns->marks.n, i, turns->marks.data[i].thread < thread);
	spread->end = spread->next;
	pe_search(spread->end, turns->marks.n, i, turns->marks.data[i].thread <= thread);
}

bool pe_turns_spread(struct pe_turns *turns, const struct pe_turns_target *target)
{
	const int64_t most = INT64_MAX / 4;
	struct spread spread = {.turns = turns, .target = target, .last_code = PE_CCT_NONE};

	find_marks(&spread);
	/* The limits keep sums of times from overflowing. */
	if (spread.next == spread.end || target->start_us > most || target->start_us < -most ||
	    target->v8->latest_us > most)
		return false;
	for (size_t i = 0; i < target->v8->runs.n; i++)
		spread_run(&spread, i);
	target->v8->is_spread = spread.has_moved;
	pe_vec_release(&spread.tasks);
	pe_vec_release(&spread.calls);
	pe_vec_release(&spread.plans);
	pe_vec_release(&spread.gaps);
	pe_vec_release(&spread.depth);
	pe_vec_release(&spread.path);
	pe_map_release(&spread.plan_of);
	pe_map_release(&spread.places);
	return spread.has_moved;
}

void pe_turns_release(struct pe_turns *turns)
{
	pe_vec_release(&turns->marks);
	pe_vec_release(&turns->calls);
	pe_map_release(&turns->call_of);
	pe_frames_release(&turns->frames);
}

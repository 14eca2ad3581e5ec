/*
 * From marks to times: the path is walked from the main threads on, through time.
 *
 *	struct walk    the walk, and the time of each node so far
 *	struct doing   the state of a lane at a point in time
 */
#include "analysis/profile/samples_path.h"

#include "core/base/search.h"
#include "core/base/sort.h"
#include "core/base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- Processes --- */

/* Whether a node is below a function with a known source file: one of the tree, not of a shell or another tool. */
static bool is_started_by_source(const struct pe_samples_path *path, uint32_t node)
{
	for (; node != PE_CCT_NONE; node = pe_cct_builder_node(path->builder, node)->parent) {
		const struct pe_frame *frame =
			&path->frames->at[pe_cct_builder_node(path->builder, node)->frame];

		if (frame->kind == PE_FRAME_PROCESS)
			return false;
		if (frame->kind == PE_FRAME_METHOD && frame->component[0] != '\0' &&
		    strcmp(frame->component, frame->module) != 0)
			return true;
	}
	return false;
}

/* Whether a process was started by popen(3) or system(3): a shell, whose children count as started by the caller. */
static bool is_shell(const struct pe_samples_path *path, uint32_t process)
{
	return process != PE_CCT_NONE && path->processes.data[process].shell;
}

/* The program of a process; of a shell, that of its latest child. */
static const char *name_of(const struct pe_samples_path *path, uint32_t process)
{
	const struct pe_samples_process *at = &path->processes.data[process];

	if (at->shell && at->child != PE_CCT_NONE)
		at = &path->processes.data[at->child];
	return path->images.data[at->last].program;
}

/* Register the mark of a process's start, to which waits refer. */
static void link_start(struct pe_samples_path *path, uint32_t process, uint64_t mark, uint32_t node)
{
	struct pe_samples_process *at = &path->processes.data[process];

	pe_map_set(&path->began, at->parent, mark, process);
	if (at->node != PE_CCT_NONE || node == PE_CCT_NONE)
		return;
	at->node = node;
	at->shell = mark >> 32 != pe_samples_mark(PE_SAMPLES_STARTED, 0) >> 32;
}

/* Link a process to its system(3) call: the latest one before its start. */
static void link_system(struct pe_samples_path *path, uint32_t process, uint64_t started_ns)
{
	for (size_t i = path->systems.n; i-- > 0;) {
		struct pe_samples_system *system = &path->systems.data[i];

		if (system->taken || system->began_ns > started_ns ||
		    system->process != path->processes.data[process].parent)
			continue;
		system->taken = true;
		link_start(path, process, pe_samples_mark(PE_SAMPLES_STARTED_SYSTEM, system->id),
			   system->node);
		return;
	}
}

static uint32_t add_process(struct pe_samples_path *path, const struct pe_samples_header *header)
{
	const uint32_t process = (uint32_t)path->processes.n;
	const uint64_t by_pid = pe_samples_mark(PE_SAMPLES_STARTED, header->pid);
	uint32_t parent = pe_map_get(&path->by_pid, 0, header->parent, PE_CCT_NONE);
	const uint32_t *found;

	/* Its parent may have ended before it began. */
	for (uint32_t i = process; parent == PE_CCT_NONE && i-- > 0;)
		if (pe_map_find(&path->starts, i, by_pid) != NULL)
			parent = i;
	pe_vec_push(&path->processes, (struct pe_samples_process){
					      .pid = header->pid,
					      .parent_pid = header->parent,
					      .parent = parent,
					      .node = PE_CCT_NONE,
					      .last = PE_CCT_NONE,
					      .child = PE_CCT_NONE,
					      .sibling = PE_CCT_NONE,
				      });
	pe_map_set(&path->by_pid, 0, header->pid, process);
	if (parent == PE_CCT_NONE)
		return process;
	path->processes.data[process].sibling = path->processes.data[parent].child;
	path->processes.data[parent].child = process;
	found = pe_map_find(&path->starts, parent, by_pid);
	if (found != NULL)
		link_start(path, process, by_pid, *found);
	for (int fd = 0; fd < 3; fd++) {
		const uint64_t mark = pe_samples_mark(PE_SAMPLES_STARTED_POPEN, header->pipes[fd]);

		if (header->pipes[fd] == 0)
			continue;
		found = pe_map_find(&path->starts, parent, mark);
		/* A pipe made for this process, or shared by several children, of which the first one gets it. */
		if (pe_map_find(&path->began, parent, mark) == NULL)
			link_start(path, process, mark, found != NULL ? *found : PE_CCT_NONE);
	}
	if (path->processes.data[process].node == PE_CCT_NONE)
		link_system(path, process, header->started_ns);
	return process;
}

/* Find the process of a file: after exec(3), another program continues a process. */
static uint32_t find_process(struct pe_samples_path *path, const struct pe_samples_header *header)
{
	const uint32_t process = pe_map_get(&path->by_pid, 0, header->pid, PE_CCT_NONE);

	/* A process that outlives its parent has another one. */
	if (process == PE_CCT_NONE || (header->flags & PE_SAMPLES_FORKED) != 0 ||
	    (path->processes.data[process].parent_pid != header->parent &&
	     pe_map_find(&path->by_pid, 0, header->parent) != NULL))
		return add_process(path, header);
	return process;
}

uint32_t pe_samples_path_image(struct pe_samples_path *path, const struct pe_samples_header *header)
{
	const uint32_t number = find_process(path, header);
	struct pe_samples_process *process = &path->processes.data[number];
	const char *name = pe_path_name(header->program);
	struct pe_frame frame = {.name = name, .kind = PE_FRAME_PROCESS};
	uint32_t above = 0, node, before;

	if (is_shell(path, process->parent))
		process->node = path->processes.data[process->parent].node;
	if (process->node != PE_CCT_NONE &&
	    (is_started_by_source(path, process->node) ||
	     (process->parent != PE_CCT_NONE && path->processes.data[process->parent].hung))) {
		above = process->node;
		frame.name = pe_arena_printf(path->arena, PE_FRAME_CHILD "%s)", name);
	}
	/* The stacks of a forked child begin with its parent's. */
	if ((header->flags & PE_SAMPLES_FORKED) != 0 && process->parent != PE_CCT_NONE) {
		node = path->images.data[path->processes.data[process->parent].last].node;
	} else {
		node = pe_cct_builder_child(path->builder, above,
					    pe_frames_add(path->frames, &frame), 0);
		process->hung = above != 0;
	}
	before = process->last;
	process->last = (uint32_t)path->images.n;
	pe_vec_push(&path->images, (struct pe_samples_image){
					   .process = number,
					   .node = node,
					   .started_ns = header->started_ns,
					   .interval_ns = header->interval_ns,
					   .lane = path->lanes.n,
					   .before = before,
					   .program = pe_arena_strdup(path->arena, name),
				   });
	return node;
}

/* --- Threads --- */

void pe_samples_path_thread(struct pe_samples_path *path, const struct pe_samples_header *header,
			    uint32_t thread)
{
	const struct pe_samples_thread *lives =
		(const void *)((const char *)header + PE_SAMPLES_THREADS_AT);
	struct pe_samples_lane lane = {
		.image = (uint32_t)path->images.n - 1,
		.work = path->work.n,
		.wait = path->waits.n,
	};

	if (thread < PE_SAMPLES_THREADS)
		lane.life = lives[thread];
	if (lane.life.seen_ns < lane.life.begun_ns)
		lane.life = (struct pe_samples_thread){0};
	path->timed = path->timed || lane.life.begun_ns != 0;
	pe_vec_push(&path->lanes, lane);
	path->images.data[lane.image].n_lanes++;
}

void pe_samples_path_work(struct pe_samples_path *path, uint32_t node,
			  const struct pe_samples_event *event)
{
	struct pe_samples_lane *lane = &path->lanes.data[path->lanes.n - 1];

	pe_vec_push(&path->work, (struct pe_samples_work){event->end_ns, node, event->value, 0});
	lane->n_work++;
	lane->samples += event->value;
}

void pe_samples_path_wait(struct pe_samples_path *path, uint32_t node, uint64_t mark,
			  const struct pe_samples_event *event)
{
	struct pe_samples_lane *lane = &path->lanes.data[path->lanes.n - 1];
	const uint32_t kind = (uint32_t)(mark >> 32) & 0xff;
	const uint64_t waited_ns = UINT64_C(1000) * (event->value & ~PE_SAMPLES_SEVERAL);
	uint64_t before_ns = lane->life.begun_ns, begin_ns = before_ns;

	if (kind >= PE_SAMPLES_N_WAITS)
		return;
	if (lane->n_waits > 0)
		before_ns = begin_ns = path->waits.data[path->waits.n - 1].end_ns;
	if (event->end_ns <= before_ns)
		return;
	if ((event->value & PE_SAMPLES_SEVERAL) == 0 && waited_ns < event->end_ns - before_ns)
		begin_ns = event->end_ns - waited_ns;
	pe_vec_push(
		&path->waits,
		(struct pe_samples_wait){
			.begin_ns = begin_ns,
			.end_ns = event->end_ns,
			.share = fmin(1, (double)waited_ns / (double)(event->end_ns - begin_ns)),
			.node = node,
			.kind = (enum pe_samples_mark)kind,
			.id = (uint32_t)mark,
		});
	lane->n_waits++;
}

void pe_samples_path_start(struct pe_samples_path *path, uint32_t node, uint64_t mark,
			   uint32_t value)
{
	const struct pe_samples_lane *lane = &path->lanes.data[path->lanes.n - 1];
	const struct pe_samples_image *image = &path->images.data[lane->image];
	const uint32_t kind = (uint32_t)(mark >> 32) & 0xff;

	if (kind < PE_SAMPLES_N_WAITS || kind >= PE_SAMPLES_N_MARKS)
		return;
	if (kind != PE_SAMPLES_STARTED_SYSTEM) {
		pe_map_set(&path->starts, image->process, mark, node);
		return;
	}
	pe_vec_push(&path->systems,
		    (struct pe_samples_system){image->process, node, (uint32_t)mark,
					       image->started_ns + UINT64_C(1000) * value, false});
}

/* --- Awaited lanes --- */

/* Use of a connection or pipe by a lane, which joins it with the other users. */
struct user {
	uint64_t mark;
	size_t lane;
};

struct lanes {
	size_t *data;
	size_t n, capacity;
};

struct walk {
	struct pe_samples_path *path;
	double *ns;                /* by node; grows as waits become nodes */
	uint32_t n;                /* length of ns */
	PE_VEC(struct user) users; /* by mark, then lane */
	size_t start;              /* the lane that it begins in */
	bool first;                /* it is the first run */
};

static uint32_t process_of(const struct pe_samples_path *path, const struct pe_samples_lane *lane)
{
	return path->images.data[lane->image].process;
}

/* The process that a wait refers to; PE_CCT_NONE: none. */
static uint32_t awaited(const struct pe_samples_path *path, uint32_t waiter,
			const struct pe_samples_wait *wait)
{
	static const enum pe_samples_mark starts[] = {
		[PE_SAMPLES_CHILD] = PE_SAMPLES_STARTED,
		[PE_SAMPLES_POPEN] = PE_SAMPLES_STARTED_POPEN,
		[PE_SAMPLES_SYSTEM] = PE_SAMPLES_STARTED_SYSTEM,
		[PE_SAMPLES_PIPE] = PE_SAMPLES_STARTED_POPEN,
	};

	if (wait->kind > PE_SAMPLES_PIPE || wait->id == 0)
		return PE_CCT_NONE;
	return pe_map_get(&path->began, waiter, pe_samples_mark(starts[wait->kind], wait->id),
			  PE_CCT_NONE);
}

PE_SORT_BY(by_mark, struct user, mark, lane);

static void index_users(struct walk *walk)
{
	const struct pe_samples_path *path = walk->path;
	size_t n = 0;

	for (size_t i = 0; i < path->lanes.n; i++) {
		const struct pe_samples_lane *lane = &path->lanes.data[i];

		for (size_t j = lane->wait; j < lane->wait + lane->n_waits; j++) {
			const struct pe_samples_wait *wait = &path->waits.data[j];

			if (wait->id != 0 &&
			    (wait->kind == PE_SAMPLES_PIPE || wait->kind == PE_SAMPLES_SOCKET))
				pe_vec_push(
					&walk->users,
					(struct user){pe_samples_mark(wait->kind, wait->id), i});
		}
	}
	pe_sort(walk->users.data, walk->users.n, by_mark);
	for (size_t i = 0; i < walk->users.n; i++)
		if (n == 0 || by_mark(&walk->users.data[n - 1], &walk->users.data[i]) != 0)
			walk->users.data[n++] = walk->users.data[i];
	walk->users.n = n;
}

/* Whether a wait ended by its timeout. The program may have waited for the threads that computed meanwhile. */
static bool timed_out(const struct pe_samples_wait *wait)
{
	return wait->id == PE_SAMPLES_TIMED_OUT &&
	       (wait->kind == PE_SAMPLES_CONDITION || wait->kind == PE_SAMPLES_POLL);
}

/* Whether a wait is for something outside of all lanes: a point in time, a disk, another machine. */
static bool is_outside(const struct pe_samples_wait *wait)
{
	return timed_out(wait) || wait->kind == PE_SAMPLES_SLEEP || wait->kind == PE_SAMPLES_FILE ||
	       wait->kind == PE_SAMPLES_FSYNC || wait->kind == PE_SAMPLES_OPEN ||
	       (wait->kind == PE_SAMPLES_SOCKET && wait->id == 0);
}

static bool is_child(const struct pe_samples_wait *wait)
{
	return wait->kind <= PE_SAMPLES_SYSTEM;
}

static void add_lane(struct lanes *out, const struct walk *walk, size_t lane)
{
	if (!walk->path->lanes.data[lane].visiting)
		pe_vec_push(out, lane);
}

/* Add the main thread of each image of a process. */
static void add_process_lanes(struct lanes *out, const struct walk *walk, uint32_t process)
{
	const struct pe_samples_path *path = walk->path;

	for (uint32_t i = path->processes.data[process].last; i != PE_CCT_NONE;
	     i = path->images.data[i].before)
		add_lane(out, walk, path->images.data[i].lane);
}

/* Add threads of the same image: with a tid, or an id for joins; 0: all others. */
static void add_threads(struct lanes *out, const struct walk *walk,
			const struct pe_samples_lane *waiter, uint32_t tid, uint32_t joined)
{
	const struct pe_samples_path *path = walk->path;
	const struct pe_samples_image *image = &path->images.data[waiter->image];

	for (size_t i = image->lane; i < image->lane + image->n_lanes; i++) {
		const struct pe_samples_thread *life = &path->lanes.data[i].life;

		if (&path->lanes.data[i] != waiter && (tid == 0 || life->tid == tid) &&
		    (joined == 0 || life->id == joined))
			add_lane(out, walk, i);
	}
}

static void add_users(struct lanes *out, const struct walk *walk,
		      const struct pe_samples_lane *waiter, const struct pe_samples_wait *wait)
{
	const uint64_t mark = pe_samples_mark(wait->kind, wait->id);
	size_t at = 0;

	pe_search(at, walk->users.n, i, walk->users.data[i].mark < mark);
	for (; at < walk->users.n && walk->users.data[at].mark == mark; at++)
		if (&walk->path->lanes.data[walk->users.data[at].lane] != waiter)
			add_lane(out, walk, walk->users.data[at].lane);
}

static void add_children(struct lanes *out, const struct walk *walk, uint32_t process)
{
	const struct pe_samples_path *path = walk->path;

	for (uint32_t i = path->processes.data[process].child; i != PE_CCT_NONE;
	     i = path->processes.data[i].sibling)
		add_process_lanes(out, walk, i);
}

/* Find the lanes that a wait may be for. True: the found ones are certain; false: those of them that compute. */
static bool find_awaited(struct lanes *out, const struct walk *walk,
			 const struct pe_samples_lane *waiter, const struct pe_samples_wait *wait)
{
	const struct pe_samples_path *path = walk->path;
	const uint32_t process = process_of(path, waiter);
	const uint32_t child = awaited(path, process, wait);

	if (child != PE_CCT_NONE) {
		add_process_lanes(out, walk, child);
		return true;
	}
	switch (wait->kind) {
	case PE_SAMPLES_JOIN:
		add_threads(out, walk, waiter, 0, wait->id);
		return true;
	case PE_SAMPLES_LOCK:
	case PE_SAMPLES_CONDITION:
		add_threads(out, walk, waiter, timed_out(wait) ? 0 : wait->id, 0);
		return wait->id != 0 && !timed_out(wait);
	case PE_SAMPLES_PIPE:
	case PE_SAMPLES_SOCKET:
		if (wait->id != 0)
			add_users(out, walk, waiter, wait);
		if (out->n > 0 || is_outside(wait))
			return true;
		add_threads(out, walk, waiter, 0, 0);
		add_children(out, walk, process);
		return false;
	case PE_SAMPLES_POLL:
		add_threads(out, walk, waiter, 0, 0);
		add_children(out, walk, process);
		return false;
	case PE_SAMPLES_CHILD:
		add_children(out, walk, process);
		return false;
	default:
		return true;
	}
}

/* --- Times of nodes --- */

static void give(struct walk *walk, uint32_t node, double ns)
{
	const uint32_t n = pe_cct_builder_count(walk->path->builder);

	if (n > walk->n) {
		walk->ns = pe_realloc(walk->ns, n, sizeof(*walk->ns));
		memset(walk->ns + walk->n, 0, (n - walk->n) * sizeof(*walk->ns));
		walk->n = n;
	}
	walk->ns[node] += ns;
}

const char *pe_samples_path_wait_name(const struct pe_samples_path *path,
				      const struct pe_samples_lane *lane,
				      const struct pe_samples_wait *wait)
{
	static const char *const names[PE_SAMPLES_N_WAITS] = {
		[PE_SAMPLES_CHILD] = "child",  [PE_SAMPLES_POPEN] = "child",
		[PE_SAMPLES_SYSTEM] = "child", [PE_SAMPLES_PIPE] = "pipe",
		[PE_SAMPLES_FILE] = "file",    [PE_SAMPLES_SOCKET] = "socket",
		[PE_SAMPLES_FSYNC] = "fsync",  [PE_SAMPLES_OPEN] = "open",
		[PE_SAMPLES_LOCK] = "lock",    [PE_SAMPLES_CONDITION] = "condition",
		[PE_SAMPLES_JOIN] = "join",    [PE_SAMPLES_SLEEP] = "sleep",
		[PE_SAMPLES_POLL] = "poll",
	};
	const uint32_t process = awaited(path, process_of(path, lane), wait);

	if (process != PE_CCT_NONE)
		return pe_arena_printf(path->arena, PE_FRAME_WAITING_CHILD "%s)",
				       name_of(path, process));
	return pe_arena_printf(path->arena, "(waiting: %s)", names[wait->kind]);
}

/* Add the time of a wait to its node below the call path. */
static void give_wait(struct walk *walk, const struct pe_samples_lane *lane,
		      const struct pe_samples_wait *wait, double ns)
{
	struct pe_samples_path *path = walk->path;
	struct pe_frame frame = {.kind = PE_FRAME_WAITING};

	if (ns <= 0)
		return;
	frame.name = pe_samples_path_wait_name(path, lane, wait);
	give(walk,
	     pe_cct_builder_child(path->builder, wait->node, pe_frames_add(path->frames, &frame),
				  0),
	     ns);
}

/* Add a stretch of the path in a lane: ns of this interval. */
static void add_stretch(const struct walk *walk, const struct pe_samples_lane *lane,
			double begin_ns, double end_ns, double ns)
{
	struct pe_samples_path *path = walk->path;

	if (walk->first && ns > 0 && end_ns > begin_ns)
		pe_vec_push(&path->stretches,
			    (struct pe_samples_stretch){begin_ns, end_ns, ns / (end_ns - begin_ns),
							(size_t)(lane - path->lanes.data)});
}

/* Add ns of an interval to the path through a lane that computes. */
static void compute(struct walk *walk, struct pe_samples_lane *lane, double begin_ns, double end_ns,
		    double ns)
{
	struct pe_samples_work *works = walk->path->work.data;
	const size_t end = lane->work + lane->n_work;
	size_t first = lane->work;
	double at_ns = begin_ns;

	lane->on_path_ns += ns;
	if (lane->busy > 0)
		add_stretch(walk, lane, begin_ns, end_ns, ns / lane->busy);
	pe_search(first, end, i, (double)works[i].end_ns < begin_ns);
	for (size_t i = first; i < end && at_ns < end_ns; i++) {
		const double until_ns =
			i + 1 == end ? end_ns : fmin(end_ns, (double)works[i].end_ns);

		works[i].on_path_ns += ns * (until_ns - at_ns) / (end_ns - begin_ns);
		at_ns = until_ns;
	}
	/* The rest is after the last sample. */
	if (at_ns < end_ns && lane->n_work > 0)
		works[end - 1].on_path_ns += ns * (end_ns - at_ns) / (end_ns - begin_ns);
}

/* Meter of the time without a wait that ends with each sample. */
struct meter {
	size_t wait;
	double at_ns;
};

static double measure(struct meter *meter, const struct pe_samples_path *path,
		      const struct pe_samples_lane *lane, double until_ns)
{
	double ns = until_ns - meter->at_ns;

	for (; meter->wait < lane->n_waits; meter->wait++) {
		const struct pe_samples_wait *wait = &path->waits.data[lane->wait + meter->wait];
		const double begin_ns = fmax(meter->at_ns, (double)wait->begin_ns);
		const double end_ns = fmin(until_ns, (double)wait->end_ns);

		if (end_ns > begin_ns)
			ns -= wait->share * (end_ns - begin_ns);
		if ((double)wait->end_ns > until_ns)
			break;
	}
	meter->at_ns = until_ns;
	return ns;
}

/*
 * Split a lane's processor time on the path among its samples, by the part of each sample's time that is on it. So a lane
 * that is on the path as a whole has its samples' shares.
 */
static void give_work(struct walk *walk, const struct pe_samples_lane *lane)
{
	struct pe_samples_path *path = walk->path;
	struct pe_samples_work *works = lane->n_work > 0 ? &path->work.data[lane->work] : NULL;
	struct meter meter = {0, (double)lane->life.begun_ns};
	double sum = 0;

	for (size_t i = 0; i < lane->n_work; i++) {
		const double ns = measure(&meter, path, lane, (double)works[i].end_ns);

		works[i].on_path_ns = ns > 0 ? fmin(works[i].on_path_ns / ns, 1) : 0;
		works[i].on_path_ns *= works[i].samples;
		sum += works[i].on_path_ns;
	}
	for (size_t i = 0; i < lane->n_work && sum > 0; i++)
		if (works[i].on_path_ns > 0)
			give(walk, works[i].node, lane->on_path_ns * works[i].on_path_ns / sum);
	if (sum <= 0 && lane->on_path_ns > 0)
		give(walk, lane->n_work > 0 ? works[0].node : path->images.data[lane->image].node,
		     lane->on_path_ns);
}

/* --- The path --- */

/* Position of a lane in a walk over an interval. */
struct cursor {
	size_t lane, wait; /* wait: the current one, or the next */
};

/* State of a lane at a point in time. */
struct doing {
	const struct pe_samples_wait *wait; /* NULL: none */
	double until_ns;
	double computes, waits; /* share of the time; 0 before and after its life */
	double lacks;           /* share of the time without a processor */
};

static struct doing look(const struct pe_samples_path *path, struct cursor *cursor, double at_ns)
{
	const struct pe_samples_lane *lane = &path->lanes.data[cursor->lane];
	const size_t end = lane->wait + lane->n_waits;
	struct doing doing = {NULL, INFINITY, 0, 0, 0};

	if (at_ns < (double)lane->life.begun_ns)
		doing.until_ns = (double)lane->life.begun_ns;
	if (at_ns < (double)lane->life.begun_ns || at_ns >= (double)lane->life.seen_ns)
		return doing;
	while (cursor->wait < end && (double)path->waits.data[cursor->wait].end_ns <= at_ns)
		cursor->wait++;
	doing.computes = lane->busy;
	doing.lacks = 1 - lane->busy;
	doing.until_ns = (double)lane->life.seen_ns;
	if (cursor->wait == end)
		return doing;
	if ((double)path->waits.data[cursor->wait].begin_ns > at_ns) {
		doing.until_ns =
			fmin(doing.until_ns, (double)path->waits.data[cursor->wait].begin_ns);
		return doing;
	}
	doing.wait = &path->waits.data[cursor->wait];
	doing.until_ns = fmin(doing.until_ns, (double)doing.wait->end_ns);
	doing.waits = doing.wait->share;
	doing.computes = lane->busy * (1 - doing.wait->share);
	doing.lacks = 1 - doing.waits - doing.computes;
	return doing;
}

static double follow(struct walk *walk, size_t number, const struct pe_samples_wait *wait,
		     double begin_ns, double end_ns, double ns);

/*
 * Place part of a wait in the awaited lanes: first in those that compute, or would if they had a processor, then in those
 * that wait themselves.
 *
 * @param known  the lanes are certain; else their waits count only if they are for children or outside of all lanes
 * @param ns     waited time in the interval
 * @return       the time that has no place in the lanes
 */
static double place(struct walk *walk, const struct lanes *lanes, bool known, double begin_ns,
		    double end_ns, double ns)
{
	struct pe_samples_path *path = walk->path;
	pe_auto_free struct cursor *cursors = pe_realloc(NULL, lanes->n, sizeof(*cursors));
	pe_auto_free struct doing *doings = pe_realloc(NULL, lanes->n, sizeof(*doings));
	double left = 0;

	for (size_t i = 0; i < lanes->n; i++) {
		const struct pe_samples_lane *lane = &path->lanes.data[lanes->data[i]];

		cursors[i] = (struct cursor){lanes->data[i], lane->wait};
		pe_search(cursors[i].wait, lane->wait + lane->n_waits, k,
			  (double)path->waits.data[k].end_ns <= begin_ns);
	}
	for (double at_ns = begin_ns, until_ns; at_ns < end_ns; at_ns = until_ns) {
		double computes = 0, waits = 0, lacks = 0, part, placed;

		until_ns = end_ns;
		for (size_t i = 0; i < lanes->n; i++) {
			doings[i] = look(path, &cursors[i], at_ns);
			if (doings[i].wait != NULL && !known && !is_outside(doings[i].wait) &&
			    !is_child(doings[i].wait))
				doings[i].waits = 0;
			computes += doings[i].computes;
			waits += doings[i].waits;
			lacks += known ? doings[i].lacks : 0;
			until_ns = fmin(until_ns, doings[i].until_ns);
		}
		part = ns * (until_ns - at_ns) / (end_ns - begin_ns);
		placed = fmin(part, computes * (until_ns - at_ns));
		for (size_t i = 0; i < lanes->n; i++)
			if (doings[i].computes > 0)
				compute(walk, &path->lanes.data[lanes->data[i]], at_ns, until_ns,
					placed * doings[i].computes / computes);
		part -= placed;
		part -= fmin(part, lacks * (until_ns - at_ns));
		for (size_t i = 0; i < lanes->n && part > 0; i++)
			if (doings[i].waits > 0)
				left += follow(walk, lanes->data[i], doings[i].wait, at_ns,
					       until_ns, part * doings[i].waits / waits);
		if (waits <= 0)
			left += part;
	}
	return left;
}

/*
 * Follow a wait of a lane, during which another lane, or the path itself, waits for it.
 *
 * @return  the time without a place here: it stays with the lane that waits for this one; none waits for the first one
 */
static double follow(struct walk *walk, size_t number, const struct pe_samples_wait *wait,
		     double begin_ns, double end_ns, double ns)
{
	struct pe_samples_lane *lane = &walk->path->lanes.data[number];
	struct lanes lanes = {NULL, 0, 0};
	bool known;

	lane->visiting = true;
	known = find_awaited(&lanes, walk, lane, wait);
	if (lanes.n > 0)
		ns = place(walk, &lanes, known, begin_ns, end_ns, ns);
	lane->visiting = false;
	pe_vec_release(&lanes);
	if (!is_outside(wait) && !is_child(wait) && number != walk->start)
		return ns;
	give_wait(walk, lane, wait, ns);
	add_stretch(walk, lane, begin_ns, end_ns, ns);
	return 0;
}

/* Walk from the main thread of a program that has no recorded parent. */
static void walk_from(struct walk *walk, size_t number)
{
	const struct pe_samples_thread *life = &walk->path->lanes.data[number].life;
	const double begin_ns = (double)life->begun_ns, end_ns = (double)life->seen_ns;
	struct lanes lanes = {&number, 1, 1};

	walk->start = number;
	place(walk, &lanes, true, begin_ns, end_ns, end_ns - begin_ns);
}

/* Compute a lane's busy share and the end of its life, before the walk. */
static void begin_lane(struct pe_samples_path *path, struct pe_samples_lane *lane)
{
	const double sampled =
		(double)lane->samples * (double)path->images.data[lane->image].interval_ns;
	/* cpu_ns is too small for a thread without a record after its begin. */
	const double cpu_ns =
		(double)lane->life.cpu_ns > sampled / 2 ? (double)lane->life.cpu_ns : sampled;
	double ns;

	if (lane->life.begun_ns == 0)
		return;
	if (lane->n_waits > 0 &&
	    lane->life.seen_ns < path->waits.data[lane->wait + lane->n_waits - 1].end_ns)
		lane->life.seen_ns = path->waits.data[lane->wait + lane->n_waits - 1].end_ns;
	if (lane->n_work > 0 &&
	    lane->life.seen_ns < path->work.data[lane->work + lane->n_work - 1].end_ns)
		lane->life.seen_ns = path->work.data[lane->work + lane->n_work - 1].end_ns;
	ns = (double)(lane->life.seen_ns - lane->life.begun_ns);
	for (size_t i = lane->wait; i < lane->wait + lane->n_waits; i++)
		ns -= path->waits.data[i].share *
		      (double)(path->waits.data[i].end_ns - path->waits.data[i].begin_ns);
	lane->busy = ns > 0 ? fmin(1, cpu_ns / ns) : 0;
}

static void count_children(struct pe_samples_path *path)
{
	for (size_t i = 0; i < path->processes.n; i++) {
		const struct pe_samples_process *process = &path->processes.data[i];

		if (process->hung && !(process->shell && process->child != PE_CCT_NONE))
			pe_cct_builder_at(path->builder, path->images.data[process->last].node)
				->calls++;
	}
}

void pe_samples_path_finish(struct pe_samples_path *path)
{
	struct walk walk = {.path = path};

	if (!path->timed)
		return;
	index_users(&walk);
	for (size_t i = 0; i < path->lanes.n; i++)
		begin_lane(path, &path->lanes.data[i]);
	for (size_t i = 0; i < path->images.n; i++) {
		const struct pe_samples_image *image = &path->images.data[i];

		walk.first = image->process == 0;
		if (path->processes.data[image->process].parent == PE_CCT_NONE &&
		    image->n_lanes > 0)
			walk_from(&walk, image->lane);
	}
	for (size_t i = 0; i < path->lanes.n; i++)
		give_work(&walk, &path->lanes.data[i]);
	for (uint32_t i = 0; i < walk.n; i++)
		pe_cct_builder_at(path->builder, i)->self_ns += (uint64_t)(walk.ns[i] + 0.5);
	count_children(path);
	pe_cct_builder_know(path->builder, PE_CCT_TIME | PE_CCT_CALLS);
	free(walk.ns);
	pe_vec_release(&walk.users);
}

void pe_samples_path_release(struct pe_samples_path *path)
{
	pe_vec_release(&path->processes);
	pe_vec_release(&path->images);
	pe_vec_release(&path->lanes);
	pe_vec_release(&path->work);
	pe_vec_release(&path->waits);
	pe_vec_release(&path->systems);
	pe_vec_release(&path->stretches);
	pe_map_release(&path->by_pid);
	pe_map_release(&path->starts);
	pe_map_release(&path->began);
}

/*
 * From marks to times. Threads are visited from the main ones on, each once, with the share of its life that somebody
 * waited for it.
 *
 *	struct target   what a wait is for, and who else waits for it
 *	struct sharing  the visit
 */
#include "analysis/profile/samples_path.h"

#include "core/base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- Processes --- */

/* Whether a node stands below a function whose source is known: one of the tree, not of a shell or another tool. */
static bool is_started_by_source(const struct pe_samples_path *path, uint32_t node)
{
	for (; node != PE_CCT_NONE; node = pe_cct_builder_parent(path->builder, node)) {
		const struct pe_frame *frame =
			&path->frames->at[pe_cct_builder_frame(path->builder, node)];

		if (frame->kind == PE_FRAME_PROCESS)
			return false;
		if (frame->kind == PE_FRAME_METHOD && frame->component[0] != '\0' &&
		    strcmp(frame->component, frame->module) != 0)
			return true;
	}
	return false;
}

/* What popen(3) or system(3) started, and what that started. The shell between the two is nobody's choice. */
static bool is_shell(const struct pe_samples_path *path, uint32_t process)
{
	return process != PE_CCT_NONE && path->processes.data[process].shell;
}

/* The program of a process; of a shell, what it runs. */
static const char *name_of(const struct pe_samples_path *path, uint32_t process)
{
	const struct pe_samples_process *at = &path->processes.data[process];

	if (at->shell && at->child != PE_CCT_NONE)
		at = &path->processes.data[at->child];
	return path->images.data[at->last].program;
}

/* Remember a mark under which a process was started, and which waits name. */
static void link_start(struct pe_samples_path *path, uint32_t process, uint64_t mark, uint32_t node)
{
	struct pe_samples_process *at = &path->processes.data[process];

	pe_map_set(&path->began, at->parent, mark, process);
	if (at->node != PE_CCT_NONE || node == PE_CCT_NONE)
		return;
	at->node = node;
	at->shell = mark >> 32 != pe_samples_mark(PE_SAMPLES_STARTED, 0) >> 32;
}

/* The start of system(3) that a process is of: the latest one before it. */
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
	const uint32_t *found;
	uint32_t parent;

	pe_vec_push(&path->processes,
		    (struct pe_samples_process){
			    .pid = header->pid,
			    .parent_pid = header->parent,
			    .parent = pe_map_get(&path->by_pid, 0, header->parent, PE_CCT_NONE),
			    .node = PE_CCT_NONE,
			    .last = PE_CCT_NONE,
			    .child = PE_CCT_NONE,
			    .sibling = PE_CCT_NONE,
		    });
	pe_map_set(&path->by_pid, 0, header->pid, process);
	parent = path->processes.data[process].parent;
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
		/* A pipe that was made for this one, or that several children share: then it is the first one's. */
		if (pe_map_find(&path->began, parent, mark) == NULL)
			link_start(path, process, mark, found != NULL ? *found : PE_CCT_NONE);
	}
	if (path->processes.data[process].node == PE_CCT_NONE)
		link_system(path, process, header->started_ns);
	return process;
}

/* The process that a file is of: a program that took the place of another goes on with it. */
static uint32_t find_process(struct pe_samples_path *path, const struct pe_samples_header *header)
{
	const uint32_t process = pe_map_get(&path->by_pid, 0, header->pid, PE_CCT_NONE);

	if (process == PE_CCT_NONE || (header->flags & PE_SAMPLES_FORKED) != 0 ||
	    path->processes.data[process].parent_pid != header->parent)
		return add_process(path, header);
	return process;
}

uint32_t pe_samples_path_image(struct pe_samples_path *path, const struct pe_samples_file *file)
{
	const struct pe_samples_header *header = file->header;
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

void pe_samples_path_thread(struct pe_samples_path *path, const struct pe_samples_file *file,
			    uint32_t thread)
{
	const struct pe_samples_thread *lives = (const void *)(file->bytes + PE_SAMPLES_THREADS_AT);
	struct pe_samples_lane lane = {
		.image = (uint32_t)path->images.n - 1,
		.work = path->work.n,
		.event = path->events.n,
	};

	if (thread < PE_SAMPLES_THREADS)
		lane.life = lives[thread];
	if (lane.life.seen_ns < lane.life.begun_ns)
		lane.life = (struct pe_samples_thread){0};
	path->timed = path->timed || lane.life.begun_ns != 0;
	pe_vec_push(&path->lanes, lane);
	path->images.data[lane.image].n_lanes++;
}

void pe_samples_path_work(struct pe_samples_path *path, uint32_t node, uint32_t samples)
{
	struct pe_samples_lane *lane = &path->lanes.data[path->lanes.n - 1];

	pe_vec_push(&path->work, (struct pe_samples_work){node, samples});
	lane->n_work++;
	lane->samples += samples;
}

void pe_samples_path_mark(struct pe_samples_path *path, uint32_t node, uint64_t address,
			  uint32_t value)
{
	struct pe_samples_lane *lane = &path->lanes.data[path->lanes.n - 1];
	const struct pe_samples_image *image = &path->images.data[lane->image];
	const uint32_t kind = (uint32_t)(address >> 32) & 0xff;

	if (kind >= PE_SAMPLES_N_MARKS)
		return;
	if (kind == PE_SAMPLES_STARTED_SYSTEM) {
		pe_vec_push(&path->systems,
			    (struct pe_samples_system){image->process, node, (uint32_t)address,
						       image->started_ns + UINT64_C(1000) * value,
						       false});
	} else if (kind >= PE_SAMPLES_N_WAITS) {
		pe_map_set(&path->starts, image->process, address, node);
	} else {
		pe_vec_push(&path->events,
			    (struct pe_samples_event){node, (enum pe_samples_mark)kind,
						      (uint32_t)address, value});
		lane->n_events++;
	}
}

/* --- What a wait is for --- */

enum target_kind {
	FOR_NOBODY, /* that is known */
	FOR_PROCESS,
	FOR_THREAD,   /* of an id */
	FOR_OTHERS,   /* threads of this process */
	FOR_CHILDREN, /* of this process */
};

struct target {
	enum target_kind kind;
	uint32_t id;
	size_t event;
};

struct turn {
	size_t lane;
	double share;
	enum target_kind waiter; /* what it was waited for as */
};

struct sharing {
	struct pe_samples_path *path;
	double *ns; /* by node; grows as waits become nodes */
	uint32_t n; /* of them */
	PE_VEC(struct turn) turns;
	PE_VEC(struct target) targets;
	PE_VEC(size_t) found;
};

static uint32_t process_of(const struct pe_samples_path *path, const struct pe_samples_lane *lane)
{
	return path->images.data[lane->image].process;
}

/* The process that a wait is for; PE_CCT_NONE. */
static uint32_t awaited(const struct pe_samples_path *path, uint32_t waiter,
			const struct pe_samples_event *event)
{
	static const enum pe_samples_mark starts[] = {
		[PE_SAMPLES_CHILD] = PE_SAMPLES_STARTED,
		[PE_SAMPLES_POPEN] = PE_SAMPLES_STARTED_POPEN,
		[PE_SAMPLES_SYSTEM] = PE_SAMPLES_STARTED_SYSTEM,
		[PE_SAMPLES_PIPE] = PE_SAMPLES_STARTED_POPEN,
	};

	if (event->kind > PE_SAMPLES_PIPE || event->id == 0)
		return PE_CCT_NONE;
	return pe_map_get(&path->began, waiter, pe_samples_mark(starts[event->kind], event->id),
			  PE_CCT_NONE);
}

static struct target target_of(const struct pe_samples_path *path,
			       const struct pe_samples_lane *lane, size_t event)
{
	const struct pe_samples_event *at = &path->events.data[event];
	const uint32_t process = awaited(path, process_of(path, lane), at);

	if (process != PE_CCT_NONE)
		return (struct target){FOR_PROCESS, process, event};
	switch (at->kind) {
	case PE_SAMPLES_JOIN:
		return (struct target){FOR_THREAD, at->id, event};
	case PE_SAMPLES_LOCK:
	case PE_SAMPLES_CONDITION:
		return (struct target){FOR_OTHERS, 0, event};
	case PE_SAMPLES_CHILD:
	case PE_SAMPLES_PIPE:
	case PE_SAMPLES_POLL:
		return (struct target){FOR_CHILDREN, 0, event};
	default:
		return (struct target){FOR_NOBODY, 0, event};
	}
}

static int by_target(const void *a, const void *b)
{
	const struct target *x = a, *y = b;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return (x->event > y->event) - (x->event < y->event);
}

/* --- Sharing --- */

static double cpu_of(const struct pe_samples_path *path, const struct pe_samples_lane *lane)
{
	const double sampled =
		(double)lane->samples * (double)path->images.data[lane->image].interval_ns;

	/* One that was never seen again since it began. */
	return (double)lane->life.cpu_ns > sampled / 2 ? (double)lane->life.cpu_ns : sampled;
}

/* What somebody may have waited for: not what it waited for others itself, unless they are its own children. */
static double capacity(const struct pe_samples_path *path, const struct pe_samples_lane *lane,
		       enum target_kind kind)
{
	double ns = cpu_of(path, lane);

	for (size_t i = 0; i < lane->n_events; i++) {
		const struct pe_samples_event *event = &path->events.data[lane->event + i];
		const bool idle = event->kind == PE_SAMPLES_LOCK ||
				  event->kind == PE_SAMPLES_CONDITION ||
				  event->kind == PE_SAMPLES_POLL || event->kind == PE_SAMPLES_JOIN;

		if (!idle || kind == FOR_PROCESS || kind == FOR_CHILDREN)
			ns += 1000.0 * event->value;
	}
	return ns;
}

static void give(struct sharing *sharing, uint32_t node, double ns)
{
	const uint32_t n = pe_cct_builder_count(sharing->path->builder);

	if (n > sharing->n) {
		sharing->ns = pe_realloc(sharing->ns, n, sizeof(*sharing->ns));
		memset(sharing->ns + sharing->n, 0, (n - sharing->n) * sizeof(*sharing->ns));
		sharing->n = n;
	}
	sharing->ns[node] += ns;
}

/* "(waiting: child git)" below the call path. */
static void give_wait(struct sharing *sharing, const struct pe_samples_lane *lane,
		      const struct pe_samples_event *event, double ns)
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
	struct pe_samples_path *path = sharing->path;
	const uint32_t process = awaited(path, process_of(path, lane), event);
	struct pe_frame frame = {.kind = PE_FRAME_WAITING};

	if (ns <= 0)
		return;
	if (process != PE_CCT_NONE)
		frame.name = pe_arena_printf(path->arena, PE_FRAME_WAITING_CHILD "%s)",
					     name_of(path, process));
	else
		frame.name = pe_arena_printf(path->arena, "(waiting: %s)", names[event->kind]);
	give(sharing,
	     pe_cct_builder_child(path->builder, event->node, pe_frames_add(path->frames, &frame),
				  0),
	     ns);
}

static void find_lane(struct sharing *sharing, size_t lane)
{
	if (!sharing->path->lanes.data[lane].visited)
		pe_vec_push(&sharing->found, lane);
}

/* The main thread of each image of a process. */
static void find_process_lanes(struct sharing *sharing, uint32_t process)
{
	const struct pe_samples_path *path = sharing->path;

	for (uint32_t i = path->processes.data[process].last; i != PE_CCT_NONE;
	     i = path->images.data[i].before)
		find_lane(sharing, path->images.data[i].lane);
}

/* Who may be meant by a wait of a lane, and was not visited. */
static void find_lanes(struct sharing *sharing, const struct pe_samples_lane *waiter,
		       const struct target *target)
{
	const struct pe_samples_path *path = sharing->path;
	const struct pe_samples_image *image = &path->images.data[waiter->image];

	sharing->found.n = 0;
	switch (target->kind) {
	case FOR_PROCESS:
		find_process_lanes(sharing, target->id);
		break;
	case FOR_CHILDREN:
		for (uint32_t i = path->processes.data[image->process].child; i != PE_CCT_NONE;
		     i = path->processes.data[i].sibling)
			find_process_lanes(sharing, i);
		break;
	case FOR_THREAD:
	case FOR_OTHERS:
		for (size_t i = image->lane; i < image->lane + image->n_lanes; i++)
			if (&path->lanes.data[i] != waiter &&
			    (target->kind == FOR_OTHERS ||
			     path->lanes.data[i].life.id == target->id))
				find_lane(sharing, i);
		break;
	default:
		break;
	}
}

/* All waits of a lane for one target: as much of it as was found there goes there, the rest stays a wait. */
static void share_waits(struct sharing *sharing, const struct pe_samples_lane *lane, double share,
			const struct target *targets, size_t n)
{
	struct pe_samples_path *path = sharing->path;
	double waited = 0, there = 0, part = 0;

	for (size_t i = 0; i < n; i++)
		waited += 1000.0 * path->events.data[targets[i].event].value;
	find_lanes(sharing, lane, targets);
	for (size_t i = 0; i < sharing->found.n; i++)
		there += capacity(path, &path->lanes.data[sharing->found.data[i]], targets->kind);
	if (there > 0)
		part = fmin(1, share * waited / there);
	for (size_t i = 0; part > 0 && i < sharing->found.n; i++) {
		path->lanes.data[sharing->found.data[i]].visited = true;
		pe_vec_push(&sharing->turns,
			    (struct turn){sharing->found.data[i], part, targets->kind});
	}
	for (size_t i = 0; i < n; i++) {
		const struct pe_samples_event *event = &path->events.data[targets[i].event];

		if (waited > 0)
			give_wait(sharing, lane, event,
				  (share * waited - part * there) * 1000.0 * event->value / waited);
	}
}

/* Waits of a thread that are no part of what others waited for. */
static bool is_left_out(enum target_kind visited_for, enum target_kind kind,
			enum pe_samples_mark mark)
{
	if (visited_for == FOR_PROCESS || visited_for == FOR_CHILDREN || visited_for == FOR_NOBODY)
		return false;
	return kind == FOR_OTHERS || mark == PE_SAMPLES_POLL || mark == PE_SAMPLES_JOIN;
}

static void visit(struct sharing *sharing, struct turn turn)
{
	struct pe_samples_path *path = sharing->path;
	const struct pe_samples_lane *lane = &path->lanes.data[turn.lane];
	const double cpu = cpu_of(path, lane) * turn.share;
	size_t end;

	for (size_t i = 0; i < lane->n_work; i++) {
		const struct pe_samples_work *work = &path->work.data[lane->work + i];

		give(sharing, work->node, cpu * work->samples / (double)lane->samples);
	}
	if (lane->samples == 0)
		give(sharing, path->images.data[lane->image].node, cpu);
	sharing->targets.n = 0;
	for (size_t i = 0; i < lane->n_events; i++) {
		const struct target target = target_of(path, lane, lane->event + i);

		if (!is_left_out(turn.waiter, target.kind, path->events.data[target.event].kind))
			pe_vec_push(&sharing->targets, target);
	}
	if (sharing->targets.n > 1)
		qsort(sharing->targets.data, sharing->targets.n, sizeof(*sharing->targets.data),
		      by_target);
	for (size_t i = 0; i < sharing->targets.n; i = end) {
		const struct target *first = &sharing->targets.data[i];

		for (end = i + 1; end < sharing->targets.n &&
				  sharing->targets.data[end].kind == first->kind &&
				  sharing->targets.data[end].id == first->id;)
			end++;
		share_waits(sharing, lane, turn.share, first, end - i);
	}
}

/* Of a main thread's life, what is neither work nor a wait. */
static double unseen_of(const struct pe_samples_path *path, const struct pe_samples_lane *lane)
{
	double ns = (double)(lane->life.seen_ns - lane->life.begun_ns) - cpu_of(path, lane);

	for (size_t i = 0; i < lane->n_events; i++)
		ns -= 1000.0 * path->events.data[lane->event + i].value;
	return fmax(0, ns);
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

uint64_t pe_samples_path_finish(struct pe_samples_path *path)
{
	struct sharing sharing = {.path = path};
	double unseen = 0;

	if (!path->timed)
		return 0;
	for (size_t i = 0; i < path->images.n; i++) {
		const struct pe_samples_image *image = &path->images.data[i];

		if (path->processes.data[image->process].parent != PE_CCT_NONE ||
		    image->n_lanes == 0)
			continue;
		path->lanes.data[image->lane].visited = true;
		unseen += unseen_of(path, &path->lanes.data[image->lane]);
		pe_vec_push(&sharing.turns, (struct turn){image->lane, 1, FOR_NOBODY});
	}
	for (size_t i = 0; i < sharing.turns.n; i++)
		visit(&sharing, sharing.turns.data[i]);
	for (uint32_t i = 0; i < sharing.n; i++)
		pe_cct_builder_at(path->builder, i)->self_ns += (uint64_t)(sharing.ns[i] + 0.5);
	count_children(path);
	pe_cct_builder_know(path->builder, PE_CCT_TIME | PE_CCT_CALLS);
	free(sharing.ns);
	pe_vec_release(&sharing.turns);
	pe_vec_release(&sharing.targets);
	pe_vec_release(&sharing.found);
	return (uint64_t)unseen;
}

void pe_samples_path_release(struct pe_samples_path *path)
{
	pe_vec_release(&path->processes);
	pe_vec_release(&path->images);
	pe_vec_release(&path->lanes);
	pe_vec_release(&path->work);
	pe_vec_release(&path->events);
	pe_vec_release(&path->systems);
	pe_map_release(&path->by_pid);
	pe_map_release(&path->starts);
	pe_map_release(&path->began);
}

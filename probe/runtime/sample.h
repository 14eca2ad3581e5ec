/*
 * Sampler: the data of a thread for its signal handler, one a thread. Nothing in a handler locks, allocates or
 * calls anything that is not safe there; memory comes from mmap(2).
 *
 *	sample.c          the handler; starting and ending threads and forked children
 *	sample_clock.c    the clock of the samples: perf events or timers
 *	sample_unwind.c   from registers to addresses
 *	sample_tree.c     from addresses to a node of the thread's tree
 *	sample_file.c     the mapped tree, and the modules of its addresses
 *	sample_hooks.c    wrapped calls: threads, the program's own use of our signal
 *	sample_waits.c    wrapped calls that wait, and how long
 *	sample_starts.c   wrapped calls that start other processes
 *	sample_stdio.c    wrapped calls of streams, and how long they wait
 */
#pragma once

#include "probe/formats/samples.h"
#include "probe/runtime/next.h"
#include "probe/runtime/sample_periods.h"

#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

/**
 * The signal of the clocks. Its default is to be ignored, so one that is still pending when the process
 * becomes another program by execve(2) does no harm; it is not a real-time signal, so it is never queued and
 * no limit on queues turns it into a deadly SIGIO; and programs hardly use it.
 */
#define PE_SAMPLE_SIGNAL SIGURG

enum {
	PE_SAMPLE_DEPTH =
		4096, /**< frames of a stack; those beyond, at the root's end, are cut off */
	PE_SAMPLE_CHUNKS = 16384, /**< of one thread: 33 million nodes */
	PE_SAMPLE_ALTSTACK =
		1 << 16, /**< bytes; the handler's frame with wide vector registers takes 12 KB */
};

/** The tree of a thread: nodes in chunks of the file, and an index over (parent, address) in memory. */
struct pe_sample_tree {
	struct pe_samples_chunk *chunks[PE_SAMPLE_CHUNKS];
	uint32_t n_chunks;
	uint32_t n;                   /**< nodes */
	uint32_t *slots;              /**< node + 1, or 0 */
	uint32_t n_slots;             /**< a power of two, or 0 */
	uint32_t thread, tid;         /**< for chunks */
	struct pe_samples_chunk *log; /**< where events go; NULL: none yet */
	uint32_t n_logs;
};

enum pe_sample_clock_kind {
	PE_SAMPLE_NO_CLOCK,  /**< none can be had */
	PE_SAMPLE_PERF,      /**< the kernel's task clock, in the kernel too */
	PE_SAMPLE_PERF_USER, /**< the same, but not in the kernel, where no more is allowed */
	PE_SAMPLE_TIMER,
};

struct pe_sample_clock {
	enum pe_sample_clock_kind kind;
	int fd;
	uint64_t
		id; /**< of the perf event: the program may have closed our descriptor and opened it anew */
	/** mapped, because that keeps the event alive when the program closes all descriptors */
	void *page;
	timer_t wall, cpu;
	bool armed; /**< the monotonic timer is to tick, at tick_ns */
	uint64_t tick_ns;
	bool idle;       /**< the CPU timer ticks as well */
	bool waiting;    /**< the last tick found the thread in a call that waits */
	bool resting;    /**< and it had not computed since the tick before */
	uint64_t cpu_ns; /**< of the thread at the last tick */
	int64_t due_ns;  /**< CPU time from then to the next sample */
	long waits;      /**< voluntary switches at the last tick */
	bool hasty; /**< the thread switches often, or is new: the CPU timer ticks, the other one seldom */
	bool may_perf; /**< perf events were not tried yet */
	uint64_t switches,
		between_ns; /**< what pe_sample_clock_settle() has seen, and processor time meanwhile */
	struct pe_sample_periods periods;
};

/** What a thread waited and did not write down yet. */
struct pe_sample_waits {
	uint64_t wall_ns, cpu_ns; /**< clocks of the thread when they were last read */
	long switches;            /**< that the thread asked for, by then */
	uint64_t begun_cpu_ns;
	uint64_t owed_ns; /**< that calls took since the last mark */
	uint64_t due_ns;  /**< of which a mark is due */
	struct pe_sample_periods periods;
	struct pe_samples_thread *entry; /**< in the file; NULL: there is no room */
};

struct pe_sampler {
	struct pe_sample_clock clock;
	struct pe_sample_tree tree;
	struct pe_sample_waits waits;
	volatile sig_atomic_t
		busy;  /**< outside of a handler, at work on the tree: a handler leaves it alone */
	bool altstack; /**< the alternate signal stack of this thread is ours */
	/** In the unwinder: a fault is to lead back to where it was called. */
	volatile sig_atomic_t unwinding;
	sigjmp_buf escape;
	uint64_t addresses[PE_SAMPLE_DEPTH];
	_Alignas(16) char stack[PE_SAMPLE_ALTSTACK];
};

/* sample.c */

/** Begin to sample the calling thread; without effect when it is sampled or samples were not requested. */
void pe_sample_thread_begin(void);

/** The sampler of the calling thread, or NULL. */
struct pe_sampler *pe_sample_self(void);

/* sample_clock.c */

/** Start a clock for the calling thread. False, with kind PE_SAMPLE_NO_CLOCK: none can be had. */
bool pe_sample_clock_start(struct pe_sample_clock *clock, uint64_t interval_ns);

/** Stop a clock of the calling thread and give back what it holds; without effect when it was not started. */
void pe_sample_clock_stop(struct pe_sample_clock *clock);

/** In a forked child: drop our copy of the parent's clock, which goes on. */
void pe_sample_clock_forget(struct pe_sample_clock *clock);

/**
 * Go on with the timer of processor time where a thread switches often: the kernel starts and stops its own clock at each
 * switch, and a monotonic timer would interrupt each other wait.
 *
 * @param switches  that the thread asked for since the last call
 * @param cpu_ns    that it computed since
 */
void pe_sample_clock_settle(struct pe_sample_clock *clock, long switches, uint64_t cpu_ns);

/** Keep ticks from the calling thread, or let them come: one that was kept comes then. */
void pe_sample_clock_hold(bool hold);

/** A wait of the calling thread has ended: its monotonic timer is to tick again. */
void pe_sample_clock_resume(struct pe_sample_clock *clock);

/** Whether a signal is a tick of this clock, rather than the program's own. */
bool pe_sample_clock_owns(const struct pe_sample_clock *clock, const siginfo_t *info);

/** How many samples were due at a tick; 0: it found the thread waiting, or came too early. Draws the next period. */
uint32_t pe_sample_clock_weigh(struct pe_sample_clock *clock, const siginfo_t *info,
			       const void *context);

/** Begin the next period, when all else of a tick is done. */
void pe_sample_clock_rearm(struct pe_sample_clock *clock);

/** Nanoseconds of the monotonic clock. */
uint64_t pe_sample_now_ns(void);

/* sample_unwind.c */

/**
 * The addresses to look up of all frames from one outwards, into the sampler.
 *
 * @param from      what was interrupted, or where a call returns to
 * @param n         addresses that are there already, to stay in front
 * @param complete  whether the stack was unwound to its end
 * @return          their number, at most PE_SAMPLE_DEPTH, at least n + 1
 */
size_t pe_sample_unwind(struct pe_sampler *sampler, uint64_t from, size_t n, bool *complete);

/* sample_tree.c */

/**
 * Count a stack, innermost first, and log it. False: there is no room for it.
 *
 * @param value  as in struct pe_samples_event
 */
bool pe_sample_tree_add(struct pe_sample_tree *tree, const uint64_t *addresses, size_t n,
			bool complete, uint32_t value);

/** Give back what is in memory; what is in the file stays. */
void pe_sample_tree_release(struct pe_sample_tree *tree);

/* sample_file.c */

/** The header of this process's file; NULL: not requested, or it cannot be written. */
struct pe_samples_header *pe_sample_file(void);

/** Begin a file. Called once at the start, and in each forked child. */
void pe_sample_file_begin(bool forked);

/** A new chunk of the file, zeroed, or NULL. Safe in a handler. */
struct pe_samples_chunk *pe_sample_file_chunk(void);

/** Make sure that the table knows the module of an address. Safe in a handler. False: it has none. */
bool pe_sample_file_module(uint64_t address);

/* sample_waits.c */

/** A call in which the program may wait, from begin to end. */
struct pe_sample_wait {
	struct pe_sampler *sampler; /**< NULL: not sampled */
	uint64_t began;             /**< pe_machine_ticks() */
	bool held;                  /**< ticks are kept from the thread */
};

/** A call begins. */
struct pe_sample_wait pe_sample_wait_begin(void);

/**
 * A call begins that a signal breaks off, also one that is handled with SA_RESTART: none of ours comes meanwhile.
 *
 * @param longest_ns  that it can wait; 0: it looks, and ticks may come
 */
struct pe_sample_wait pe_sample_wait_begin_unbroken(uint64_t longest_ns);

/**
 * The call came back: its wait is added to its caller. errno is kept.
 *
 * @param kind    PE_SAMPLES_FILE: what a descriptor is of, a pipe, a socket or a file
 * @param id      of the kind; the descriptor
 * @param caller  where the wrapper returns to
 */
void pe_sample_wait_end(const struct pe_sample_wait *wait, enum pe_samples_mark kind, uint32_t id,
			const void *caller);

/* A wrapper of a call that waits for one kind of thing; `id` may use the call's `result`. */
#define WAITS(type, name, parameters, arguments, kind, id)                                         \
	WAITS_FROM(pe_sample_wait_begin(), type, name, parameters, arguments, kind, id)

#define WAITS_FROM(begin, type, name, parameters, arguments, kind, id)                             \
	PE_PUBLIC type name parameters;                                                            \
	type name parameters                                                                       \
	{                                                                                          \
		const struct pe_sample_wait waited = begin;                                        \
		const type result = PE_NEXT(name) arguments;                                       \
		pe_sample_wait_end(&waited, kind, (uint32_t)(id), __builtin_return_address(0));    \
		return result;                                                                     \
	}

/** Mark below a call path that a process is started. */
void pe_sample_mark_start(enum pe_samples_mark kind, uint32_t id, uint32_t value,
			  const void *caller);

/** The id of the pipe that a descriptor is of; 0: it is none. */
uint32_t pe_sample_pipe(int fd);

/** Begin to record the waits of the calling thread, whose sampler this is. */
void pe_sample_waits_begin(struct pe_sampler *sampler);

/** Read the clocks of the calling thread, and record that it lived until now. */
void pe_sample_waits_look(struct pe_sampler *sampler);

/* sample_hooks.c */

/** A mask that the program has for the time of a call, with our signal: none of ours breaks the call off. NULL: it has none. */
const sigset_t *pe_sample_hooks_held(sigset_t *copy, const sigset_t *set);

/** Take the signal over from the program. */
void pe_sample_hooks_install(void (*handler)(int, siginfo_t *, void *));

/** Pass a signal that is not ours on to the program. */
void pe_sample_hooks_forward(int signal, siginfo_t *info, void *context);

/** Give the calling thread our alternate signal stack when it has none, and let it take our signal. */
bool pe_sample_hooks_altstack(struct pe_sampler *sampler);

/** Take our alternate signal stack away from the calling thread, before its memory goes. */
void pe_sample_hooks_altstack_drop(void);

/*
 * Clocks. A thread begins with a timer of its processor time, which expires at the kernel's ticks only, 250 a second
 * on most systems, and costs nothing where threads switch. A thread that computes from one tick to the next gets
 * the kernel's task clock: it is as fine as requested, but each switch costs more with it, and also after it was closed, as
 * long as any program has such a clock. A thread that often switches with it goes back to the timer for good.
 *
 * On a busy machine the kernel's ticks may meet other threads only: one that loses its processor after 1.4 ms and gets it at
 * ticks is never met. So a monotonic timer ticks as well, some milliseconds after the thread's begin or its last wait.
 *
 * Where perf_event_open(2) is not allowed, a thread that computes has a monotonic timer. It is fine enough, but
 * continues while the thread waits. So a tick that finds the thread in a call that waits, after next to no work, stops it,
 * and the end of the wait or the other timer starts it again: one wait is interrupted twice at most. A sample is due at a point of the thread's processor
 * time: a tick that comes earlier, as the thread had no processor for a while, sets the timer again for the rest.
 *
 * Signals break off some calls that wait, whatever SA_RESTART says: in these the thread has its ticks held back. The kernel's
 * clock ticks there, too, on the way into a wait and out of it.
 */
#include "probe/runtime/sample.h"

#include "probe/formats/machine.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

static uint64_t read_clock(clockid_t id)
{
	struct timespec now = {0};

	clock_gettime(id, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t pe_sample_now_ns(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

/* Descriptors of ours stand where a program that counts on low numbers does not meet them. */
static int move_away(int fd)
{
	struct rlimit limit;
	int moved = -1;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur > 256)
		moved = fcntl(fd, F_DUPFD_CLOEXEC,
			      (limit.rlim_cur < 1024 ? (int)limit.rlim_cur : 1024) - 128);
	if (moved < 0)
		return fd;
	close(fd);
	return moved;
}

static bool open_perf(struct pe_sample_clock *clock, bool kernel)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.sample_period = (uint64_t)clock->due_ns,
		.disabled = 1,
		.exclude_kernel = !kernel,
		.exclude_hv = 1,
	};
	struct f_owner_ex owner = {.type = F_OWNER_TID};
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	clock->fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (clock->fd < 0)
		return false;
	clock->fd = move_away(clock->fd);
	clock->page = mmap(NULL, page, PROT_READ, MAP_SHARED, clock->fd, 0);
	if (clock->page == MAP_FAILED)
		clock->page = NULL;
	clock->kind = kernel ? PE_SAMPLE_PERF : PE_SAMPLE_PERF_USER;
	owner.pid = (pid_t)syscall(SYS_gettid);
	if (fcntl(clock->fd, F_SETFL, O_ASYNC | O_NONBLOCK) == 0 &&
	    fcntl(clock->fd, F_SETSIG, PE_SAMPLE_SIGNAL) == 0 &&
	    fcntl(clock->fd, F_SETOWN_EX, &owner) == 0 &&
	    ioctl(clock->fd, PERF_EVENT_IOC_ID, &clock->id) == 0 &&
	    ioctl(clock->fd, PERF_EVENT_IOC_REFRESH, 1) == 0)
		return true;
	pe_sample_clock_stop(clock);
	return false;
}

static bool start_perf(struct pe_sample_clock *clock)
{
	clock->may_perf = false;
	return open_perf(clock, true) || open_perf(clock, false);
}

static uint64_t new_seed(void)
{
	uint64_t seed;

	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) != (ssize_t)sizeof(seed))
		seed = pe_sample_now_ns() ^ (uint64_t)syscall(SYS_gettid) << 32;
	return seed;
}

static void set_timer(timer_t timer, int64_t ns)
{
	struct itimerspec when = {
		.it_value = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)},
	};

	timer_settime(timer, 0, &when, NULL);
}

static void arm_cpu(const struct pe_sample_clock *clock)
{
	set_timer(clock->cpu, clock->due_ns > 0 ? clock->due_ns : 1);
}

/* Of a thread that switches often it only tells whether it still does. Before the next tick it would cost three times as much. */
static void arm_wall(struct pe_sample_clock *clock)
{
	enum { SWITCHING_NS = 10000000 };
	int64_t ns = clock->hasty ? SWITCHING_NS : clock->due_ns;

	if (ns <= 0)
		ns = 1;
	clock->armed = true;
	clock->tick_ns = pe_sample_now_ns() + (uint64_t)ns;
	set_timer(clock->wall, ns);
}

/* Make timers that do not expire yet. */
static bool start_timers(struct pe_sample_clock *clock)
{
	struct sigevent event = {
		.sigev_notify = SIGEV_THREAD_ID,
		.sigev_signo = PE_SAMPLE_SIGNAL,
		.sigev_value = {.sival_ptr = &clock->wall},
	};

	clock->armed = false;
	event.sigev_notify_thread_id = (pid_t)syscall(SYS_gettid);
	if (timer_create(CLOCK_MONOTONIC, &event, &clock->wall) != 0)
		return false;
	event.sigev_value.sival_ptr = &clock->cpu;
	if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &clock->cpu) != 0) {
		timer_delete(clock->wall);
		return false;
	}
	clock->kind = PE_SAMPLE_TIMER;
	return true;
}

/* How often the thread waited since the tick before, or since it began. */
static uint64_t count_switches(struct pe_sample_clock *clock)
{
	struct rusage usage;
	long before = clock->waits;

	getrusage(RUSAGE_THREAD, &usage);
	clock->waits = usage.ru_nvcsw;
	return (uint64_t)(clock->waits - before);
}

bool pe_sample_clock_start(struct pe_sample_clock *clock, uint64_t interval_ns)
{
	const char *only = getenv(PE_SAMPLES_CLOCK_ENV);
	bool any = only == NULL;

	memset(clock, 0, sizeof(*clock));
	clock->periods = (struct pe_sample_periods){new_seed(), interval_ns};
	clock->due_ns = (int64_t)pe_sample_periods_first(&clock->periods);
	clock->cpu_ns = read_clock(CLOCK_THREAD_CPUTIME_ID);
	clock->may_perf = any || strcmp(only, "perf") == 0;
	/* A short program has no time for the kernel's ticks. */
	if (clock->may_perf && (!any || interval_ns < PE_SAMPLES_INTERVAL_NS) && start_perf(clock))
		return true;
	if ((!any && strcmp(only, "perf") == 0) || !start_timers(clock))
		return false;
	clock->hasty = clock->idle = clock->may_perf;
	count_switches(clock);
	if (!any && strcmp(only, "never") == 0)
		return true;
	if (clock->hasty)
		arm_cpu(clock);
	arm_wall(clock);
	return true;
}

/* Whether the descriptor is still ours: the program may have closed it, and have a file of its own there. */
static bool owns_descriptor(const struct pe_sample_clock *clock)
{
	uint64_t id = 0;

	return ioctl(clock->fd, PERF_EVENT_IOC_ID, &id) == 0 && id == clock->id;
}

static void close_own(const struct pe_sample_clock *clock)
{
	if (clock->id == 0 || owns_descriptor(clock))
		close(clock->fd);
}

void pe_sample_clock_forget(struct pe_sample_clock *clock)
{
	if (clock->kind == PE_SAMPLE_PERF || clock->kind == PE_SAMPLE_PERF_USER)
		close_own(clock);
	clock->kind = PE_SAMPLE_NO_CLOCK;
}

/* A tick in between may replace the timers: the kernel then refuses to set one that is gone. */
void pe_sample_clock_resume(struct pe_sample_clock *clock)
{
	if (clock->kind == PE_SAMPLE_TIMER && !clock->armed)
		arm_wall(clock);
}

void pe_sample_clock_stop(struct pe_sample_clock *clock)
{
	if (clock->kind == PE_SAMPLE_TIMER) {
		timer_delete(clock->wall);
		timer_delete(clock->cpu);
	} else if (clock->kind != PE_SAMPLE_NO_CLOCK) {
		ioctl(clock->fd, PERF_EVENT_IOC_DISABLE, 0); /* another file's refuses */
		if (clock->page != NULL)
			munmap(clock->page, (size_t)sysconf(_SC_PAGESIZE));
		close_own(clock);
	}
	clock->kind = PE_SAMPLE_NO_CLOCK;
}

/* Past the hook that keeps our signal out of the program's masks. */
void pe_sample_clock_hold(bool hold)
{
	const uint64_t set = UINT64_C(1) << (PE_SAMPLE_SIGNAL - 1);

	syscall(SYS_rt_sigprocmask, hold ? SIG_BLOCK : SIG_UNBLOCK, &set, NULL, sizeof(set));
}

/* Drop what is pending, where it is of a clock that is gone. */
static void drop_pending(void)
{
	const uint64_t set = UINT64_C(1) << (PE_SAMPLE_SIGNAL - 1);
	const struct timespec now = {0, 0};

	while (syscall(SYS_rt_sigtimedwait, &set, NULL, &now, sizeof(set)) > 0)
		;
}

/* On a virtual machine a switch costs 3.5 to 20 µs more with the kernel's clock. */
enum { BETWEEN_NS = 100000 };

static bool switches_often(uint64_t switches, uint64_t cpu_ns)
{
	return cpu_ns < BETWEEN_NS * switches;
}

void pe_sample_clock_settle(struct pe_sample_clock *clock, long switches, uint64_t cpu_ns)
{
	enum { SWITCHES = 64 };
	bool hasty;

	if (clock->kind == PE_SAMPLE_NO_CLOCK || clock->hasty)
		return;
	clock->switches += (uint64_t)switches;
	clock->between_ns += cpu_ns;
	if (clock->switches < SWITCHES && clock->between_ns < SWITCHES * BETWEEN_NS)
		return;
	hasty = switches_often(clock->switches, clock->between_ns);
	clock->switches = clock->between_ns = 0;
	if (!hasty || getenv(PE_SAMPLES_CLOCK_ENV) != NULL)
		return;
	pe_sample_clock_hold(true);
	if (clock->kind != PE_SAMPLE_TIMER) {
		pe_sample_clock_stop(clock);
		clock->cpu_ns = read_clock(CLOCK_THREAD_CPUTIME_ID);
		start_timers(clock);
	}
	clock->hasty = clock->idle = true;
	if (clock->kind == PE_SAMPLE_TIMER)
		arm_cpu(clock);
	drop_pending();
	pe_sample_clock_hold(false);
}

bool pe_sample_clock_owns(const struct pe_sample_clock *clock, const siginfo_t *info)
{
	if (clock->kind == PE_SAMPLE_TIMER)
		return info->si_code == SI_TIMER && (info->si_value.sival_ptr == &clock->wall ||
						     info->si_value.sival_ptr == &clock->cpu);
	return (info->si_code == SI_SIGIO ||
		(info->si_code >= POLL_IN && info->si_code <= POLL_HUP)) &&
	       info->si_fd == clock->fd;
}

/* Struck within a system call, that is, right behind the instruction that makes one. */
static bool in_system_call(const ucontext_t *context)
{
	return pe_machine_behind_call(pe_machine_pc(context));
}

uint32_t pe_sample_clock_weigh(struct pe_sample_clock *clock, const siginfo_t *info,
			       const void *context)
{
	enum {
		EARLY_NS = 2000, /* less than another tick costs */
		RESTING_NS =
			1000000, /* a thread that computed less since the tick before waits for long */
	};
	uint64_t now = read_clock(CLOCK_THREAD_CPUTIME_ID);
	bool timer = clock->kind == PE_SAMPLE_TIMER, rested = clock->idle;
	bool by_wall = timer && info->si_value.sival_ptr == &clock->wall;
	uint64_t spent_ns = now - clock->cpu_ns, switches = timer ? count_switches(clock) : 0;
	int64_t late = (int64_t)spent_ns - clock->due_ns, period;
	uint32_t weight = 1;

	clock->cpu_ns = now;
	clock->due_ns = -late;
	if (clock->hasty)
		clock->hasty = clock->may_perf ? switches_often(switches, spent_ns) : switches > 0;
	clock->waiting = switches > 0 && in_system_call(context);
	clock->resting = clock->waiting && spent_ns < RESTING_NS;
	clock->idle = clock->hasty || (!clock->may_perf && clock->waiting);
	if (by_wall)
		clock->armed = false;
	if ((clock->waiting && (by_wall || !clock->hasty)) || (timer && late < -EARLY_NS))
		return 0;
	period = (int64_t)pe_sample_periods_next(&clock->periods);
	/*
	 * How long a signal takes is no time of the program's. But it waits for the end of a long system call, and the timer
	 * of CPU time expires at the kernel's ticks only.
	 */
	if (!rested && (clock->kind == PE_SAMPLE_PERF_USER || !in_system_call(context)))
		late = 0;
	for (; late >= period; weight++) {
		late -= period;
		period = (int64_t)pe_sample_periods_next(&clock->periods);
	}
	clock->due_ns = period - (rested ? late : 0);
	return weight;
}

void pe_sample_clock_rearm(struct pe_sample_clock *clock)
{
	/* The time of the handler does not count. */
	clock->cpu_ns = read_clock(CLOCK_THREAD_CPUTIME_ID);
	if (clock->may_perf && !clock->hasty) {
		pe_sample_clock_stop(clock);
		if (start_perf(clock) || !start_timers(clock))
			return;
	}
	if (clock->kind == PE_SAMPLE_TIMER) {
		if (clock->idle)
			arm_cpu(clock);
		if (!clock->armed && !clock->resting)
			arm_wall(clock);
	} else if (owns_descriptor(clock)) {
		ioctl(clock->fd, PERF_EVENT_IOC_PERIOD, &clock->due_ns);
		ioctl(clock->fd, PERF_EVENT_IOC_REFRESH, 1);
	} else { /* the program closed our descriptor */
		if (clock->page != NULL)
			munmap(clock->page, (size_t)sysconf(_SC_PAGESIZE));
		open_perf(clock, clock->kind == PE_SAMPLE_PERF);
	}
}

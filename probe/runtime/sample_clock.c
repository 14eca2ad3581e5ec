/*
 * Clocks. The kernel's task clock is best: it runs only while the thread runs, is as fine as requested, and never
 * interrupts a waiting thread. Where perf_event_open(2) is not allowed, timers are used. Those of a
 * thread's CPU time fire at the kernel's tick only, 250 a second at most; monotonic ones are fine
 * enough, but go on while the thread waits. So a tick that finds the thread waiting stops the monotonic timer,
 * and a CPU timer starts it again: one wait is interrupted once at most. For a thread that switches often the
 * monotonic timer stays stopped until a tick comes without a wait before it, and the kernel's clock for good. A sample is due at a
 * point of the thread's CPU time: a tick that comes earlier, as the thread had no processor for a while, sets the timer again for the rest.
 */
#include "probe/runtime/sample.h"

#include "probe/formats/machine.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
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

static bool start_perf(struct pe_sample_clock *clock, bool kernel)
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
	clock->kind = kernel ? PE_SAMPLES_PERF : PE_SAMPLES_PERF_USER;
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

static uint64_t new_seed(void)
{
	uint64_t seed;

	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) != (ssize_t)sizeof(seed))
		seed = pe_sample_now_ns() ^ (uint64_t)syscall(SYS_gettid) << 32;
	return seed;
}

static void arm(timer_t timer, int64_t ns)
{
	struct itimerspec when = {
		.it_value = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)},
	};

	if (ns <= 0) /* zero would stop it */
		when.it_value = (struct timespec){.tv_nsec = 1};
	timer_settime(timer, 0, &when, NULL);
}

/* @param never  they do not expire */
static bool start_timers(struct pe_sample_clock *clock, bool never)
{
	struct sigevent event = {
		.sigev_notify = SIGEV_THREAD_ID,
		.sigev_signo = PE_SAMPLE_SIGNAL,
		.sigev_value = {.sival_ptr = clock},
	};

	event.sigev_notify_thread_id = (pid_t)syscall(SYS_gettid);
	if (timer_create(CLOCK_MONOTONIC, &event, &clock->wall) != 0)
		return false;
	if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &clock->cpu) != 0) {
		timer_delete(clock->wall);
		return false;
	}
	clock->kind = PE_SAMPLES_TIMER;
	if (!never)
		arm(clock->wall, clock->due_ns);
	return true;
}

bool pe_sample_clock_start(struct pe_sample_clock *clock, uint64_t interval_ns)
{
	const char *only = getenv(PE_SAMPLES_CLOCK_ENV);
	bool never = only != NULL && strcmp(only, "never") == 0;
	bool perf = only == NULL || strcmp(only, "perf") == 0;
	bool timer = only == NULL || !perf;

	memset(clock, 0, sizeof(*clock));
	clock->periods = (struct pe_sample_periods){new_seed(), interval_ns};
	clock->due_ns = (int64_t)pe_sample_periods_first(&clock->periods);
	clock->cpu_ns = read_clock(CLOCK_THREAD_CPUTIME_ID);
	return (perf && (start_perf(clock, true) || start_perf(clock, false))) ||
	       (timer && start_timers(clock, never));
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
	if (clock->kind == PE_SAMPLES_PERF || clock->kind == PE_SAMPLES_PERF_USER)
		close_own(clock);
	clock->kind = PE_SAMPLES_NO_CLOCK;
}

void pe_sample_clock_stop(struct pe_sample_clock *clock)
{
	if (clock->kind == PE_SAMPLES_TIMER) {
		timer_delete(clock->wall);
		timer_delete(clock->cpu);
	} else if (clock->kind != PE_SAMPLES_NO_CLOCK) {
		ioctl(clock->fd, PERF_EVENT_IOC_DISABLE, 0); /* another file's refuses */
		if (clock->page != NULL)
			munmap(clock->page, (size_t)sysconf(_SC_PAGESIZE));
		close_own(clock);
	}
	clock->kind = PE_SAMPLES_NO_CLOCK;
}

/* Block our signal or unblock it, past the hook that keeps it out of the program's masks. What is pending is dropped. */
static void hold_signal(bool hold)
{
	const uint64_t set = UINT64_C(1) << (PE_SAMPLE_SIGNAL - 1);
	const struct timespec now = {0, 0};

	if (!hold)
		while (syscall(SYS_rt_sigtimedwait, &set, NULL, &now, sizeof(set)) > 0)
			;
	syscall(SYS_rt_sigprocmask, hold ? SIG_BLOCK : SIG_UNBLOCK, &set, NULL, sizeof(set));
}

void pe_sample_clock_settle(struct pe_sample_clock *clock, long switches, uint64_t cpu_ns)
{
	/* On a virtual machine a switch costs 3.5 to 20 µs more with the kernel's clock. */
	enum { SWITCHES = 64, BETWEEN_NS = 100000 };
	bool hasty;

	if (clock->kind == PE_SAMPLES_NO_CLOCK || clock->hasty)
		return;
	clock->switches += (uint64_t)switches;
	clock->between_ns += cpu_ns;
	if (clock->switches < SWITCHES && clock->between_ns < SWITCHES * BETWEEN_NS)
		return;
	hasty = clock->between_ns < BETWEEN_NS * clock->switches;
	clock->switches = clock->between_ns = 0;
	if (!hasty || getenv(PE_SAMPLES_CLOCK_ENV) != NULL)
		return;
	hold_signal(true);
	if (clock->kind != PE_SAMPLES_TIMER) {
		pe_sample_clock_stop(clock);
		clock->cpu_ns = read_clock(CLOCK_THREAD_CPUTIME_ID);
		start_timers(clock, true);
	}
	clock->hasty = clock->idle = true;
	if (clock->kind == PE_SAMPLES_TIMER)
		arm(clock->cpu, clock->due_ns);
	hold_signal(false);
}

bool pe_sample_clock_owns(const struct pe_sample_clock *clock, const siginfo_t *info)
{
	if (clock->kind == PE_SAMPLES_TIMER)
		return info->si_code == SI_TIMER && info->si_value.sival_ptr == clock;
	return (info->si_code == SI_SIGIO ||
		(info->si_code >= POLL_IN && info->si_code <= POLL_HUP)) &&
	       info->si_fd == clock->fd;
}

/* Struck within a system call, that is, right behind the instruction that makes one. */
static bool in_system_call(const ucontext_t *context)
{
	return pe_machine_behind_call(pe_machine_pc(context));
}

/* Whether the thread waited since the tick before. */
static bool has_waited(struct pe_sample_clock *clock)
{
	struct rusage usage;
	bool waited;

	getrusage(RUSAGE_THREAD, &usage);
	waited = usage.ru_nvcsw != clock->waits;
	clock->waits = usage.ru_nvcsw;
	return waited;
}

uint32_t pe_sample_clock_weigh(struct pe_sample_clock *clock, const void *context)
{
	enum { EARLY_NS = 2000 }; /* less than another tick costs */
	uint64_t now = read_clock(CLOCK_THREAD_CPUTIME_ID);
	bool timer = clock->kind == PE_SAMPLES_TIMER, rested = clock->idle;
	int64_t late = (int64_t)(now - clock->cpu_ns) - clock->due_ns, period;
	uint32_t weight = 1;
	bool waited;

	clock->cpu_ns = now;
	clock->due_ns = -late;
	waited = timer && has_waited(clock);
	clock->hasty = clock->hasty && waited;
	clock->idle = clock->hasty || (waited && in_system_call(context));
	if ((clock->idle && !clock->hasty) || (timer && late < -EARLY_NS))
		return 0;
	period = (int64_t)pe_sample_periods_next(&clock->periods);
	/*
	 * How long a signal takes is no time of the program's. But it waits for the end of a long system call, and the timer
	 * of CPU time expires at the kernel's ticks only.
	 */
	if (!rested && (clock->kind == PE_SAMPLES_PERF_USER || !in_system_call(context)))
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
	if (clock->kind == PE_SAMPLES_TIMER) {
		arm(clock->idle ? clock->cpu : clock->wall, clock->due_ns);
	} else if (owns_descriptor(clock)) {
		ioctl(clock->fd, PERF_EVENT_IOC_PERIOD, &clock->due_ns);
		ioctl(clock->fd, PERF_EVENT_IOC_REFRESH, 1);
	} else { /* the program closed our descriptor */
		if (clock->page != NULL)
			munmap(clock->page, (size_t)sysconf(_SC_PAGESIZE));
		start_perf(clock, clock->kind == PE_SAMPLES_PERF);
	}
}

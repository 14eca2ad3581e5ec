/*
 * Clocks. The kernel's task clock is best: it runs only while the thread runs, is as fine as asked, and says
 * nothing to a thread that waits. Where perf_event_open(2) is not allowed, timers have to do. Those of a
 * thread's CPU time come at the kernel's tick only, 250 a second whatever is asked; monotonic ones are fine
 * enough, but go on while the thread waits. So a tick that finds the thread waiting puts the monotonic timer
 * to rest and leaves it to a CPU timer to wake it: one wait is interrupted once at most. What a tick counts
 * for is the CPU time since the one before.
 */
#include "runtime/sample.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <ucontext.h>
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

static bool start_perf(struct pe_sample_clock *clock, uint64_t interval_ns, bool kernel)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.sample_period = interval_ns,
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
	    ioctl(clock->fd, PERF_EVENT_IOC_ENABLE, 0) == 0)
		return true;
	pe_sample_clock_stop(clock);
	return false;
}

static void arm(timer_t timer, uint64_t ns)
{
	struct itimerspec when = {
		.it_value = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)},
	};

	timer_settime(timer, 0, &when, NULL);
}

static bool start_timers(struct pe_sample_clock *clock, uint64_t interval_ns)
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
	clock->cpu_ns = read_clock(CLOCK_THREAD_CPUTIME_ID);
	arm(clock->wall, interval_ns);
	return true;
}

bool pe_sample_clock_start(struct pe_sample_clock *clock, uint64_t interval_ns)
{
	const char *only = getenv(PE_SAMPLES_CLOCK_ENV);
	bool perf = only == NULL || strcmp(only, "timer") != 0;
	bool timer = only == NULL || strcmp(only, "perf") != 0;

	memset(clock, 0, sizeof(*clock));
	return (perf &&
		(start_perf(clock, interval_ns, true) || start_perf(clock, interval_ns, false))) ||
	       (timer && start_timers(clock, interval_ns));
}

/* Ours still? The program may have closed it, and have a file of its own there. */
static void close_own(const struct pe_sample_clock *clock)
{
	uint64_t id = 0;

	if (clock->id == 0 || (ioctl(clock->fd, PERF_EVENT_IOC_ID, &id) == 0 && id == clock->id))
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
#if defined(__x86_64__)
	const unsigned char *at = (const unsigned char *)context->uc_mcontext.gregs[REG_RIP];

	return at[-2] == 0x0f && at[-1] == 0x05;
#elif defined(__aarch64__)
	return ((const uint32_t *)context->uc_mcontext.pc)[-1] == 0xd4000001;
#endif
}

static uint32_t weigh_timer(struct pe_sample_clock *clock, uint64_t interval_ns,
			    const ucontext_t *context)
{
	struct rusage usage;
	uint64_t now = read_clock(CLOCK_THREAD_CPUTIME_ID);
	int64_t weight;
	bool waited;

	getrusage(RUSAGE_THREAD, &usage);
	waited = usage.ru_nvcsw != clock->waits;
	clock->waits = usage.ru_nvcsw;
	clock->credit_ns += (int64_t)(now - clock->cpu_ns);
	clock->cpu_ns = now;
	clock->idle = waited && in_system_call(context);
	if (clock->idle)
		return 0;
	weight = (clock->credit_ns + (int64_t)(interval_ns / 2)) / (int64_t)interval_ns;
	if (weight <= 0)
		return 0;
	clock->credit_ns -= weight * (int64_t)interval_ns;
	return (uint32_t)weight;
}

uint32_t pe_sample_clock_weigh(struct pe_sample_clock *clock, uint64_t interval_ns,
			       const siginfo_t *info, const void *context)
{
	(void)info;
	return clock->kind == PE_SAMPLES_TIMER ? weigh_timer(clock, interval_ns, context) : 1;
}

void pe_sample_clock_rearm(struct pe_sample_clock *clock, uint64_t interval_ns)
{
	if (clock->kind != PE_SAMPLES_TIMER)
		return;
	/* What the handler took is nobody's. */
	clock->cpu_ns = read_clock(CLOCK_THREAD_CPUTIME_ID);
	arm(clock->idle ? clock->cpu : clock->wall, interval_ns);
}

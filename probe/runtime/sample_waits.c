/*
 * Waits. A call that may wait is timed from outside, and the time in which the thread had no processor is added
 * to its call path. Waits are sampled like work: short ones add up, and when a period of them
 * has passed, the stack is unwound once and all of it written down there; a long wait is written down at once. So a
 * program that waits a million times is unwound a few thousand times.
 *
 * A call that takes less than LEAST_NS did not wait, for a switch of threads alone takes longer; it costs two readings of
 * the processor's ticks. Locks are tried first, and cost none where they are free.
 */
#undef _FILE_OFFSET_BITS
#undef _FORTIFY_SOURCE
#include "probe/runtime/sample.h"

#include "probe/formats/machine.h"

#include <errno.h>
#include <linux/futex.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdarg.h>
#include <sys/epoll.h>
#include <sys/msg.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <threads.h>
#include <unistd.h>

enum { LEAST_NS = 5000 };

/* --- Ticks --- */

/* When the process was first looked at, and how many ticks have come in a millisecond since. A guess until one is over. */
static struct {
	uint64_t ticks, ns;
} origin;
static uint64_t ticks_a_ms = 1000000;
static uint64_t least_ticks = LEAST_NS;

static void compare_clocks(uint64_t now_ns)
{
	const uint64_t ticks = pe_machine_ticks();
	uint64_t rate;

	if (origin.ns == 0) {
		origin.ticks = ticks;
		origin.ns = now_ns;
	}
	if (now_ns < origin.ns + 1000000 || ticks <= origin.ticks)
		return;
	rate = (uint64_t)((double)(ticks - origin.ticks) * 1e6 / (double)(now_ns - origin.ns));
	__atomic_store_n(&ticks_a_ms, rate + 1, __ATOMIC_RELAXED);
	__atomic_store_n(&least_ticks, LEAST_NS * rate / 1000000, __ATOMIC_RELAXED);
}

/* --- A wait from begin to end --- */

void pe_sample_waits_look(struct pe_sampler *sampler)
{
	struct pe_sample_waits *waits = &sampler->waits;
	struct rusage usage = {.ru_nvcsw = 0};

	getrusage(RUSAGE_THREAD, &usage);
	waits->wall_ns = pe_sample_now_ns();
	waits->cpu_ns = 1000000000u * (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
			1000u * (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
	waits->switches = usage.ru_nvcsw;
	compare_clocks(waits->wall_ns);
	if (waits->entry == NULL)
		return;
	waits->entry->seen_ns = waits->wall_ns;
	waits->entry->cpu_ns = waits->cpu_ns - waits->begun_cpu_ns;
}

void pe_sample_waits_begin(struct pe_sampler *sampler)
{
	struct pe_sample_waits *waits = &sampler->waits;
	char *file = (char *)pe_sample_file();

	*waits = (struct pe_sample_waits){.due_ns = 0};
	pe_sample_waits_look(sampler);
	waits->begun_cpu_ns = waits->cpu_ns;
	waits->periods = (struct pe_sample_periods){waits->wall_ns ^ (uintptr_t)sampler,
						    pe_sample_file()->interval_ns};
	waits->due_ns = pe_sample_periods_first(&waits->periods);
	if (sampler->tree.thread >= PE_SAMPLES_THREADS)
		return;
	waits->entry =
		(struct pe_samples_thread *)(file + PE_SAMPLES_THREADS_AT) + sampler->tree.thread;
	*waits->entry = (struct pe_samples_thread){
		.begun_ns = waits->wall_ns,
		.seen_ns = waits->wall_ns,
		.id = pe_samples_id((uintptr_t)pthread_self() >> 6),
		.tid = sampler->tree.tid,
	};
}

struct pe_sample_wait pe_sample_wait_begin(void)
{
	struct pe_sample_wait wait = {.sampler = pe_sample_self()};

	if (wait.sampler != NULL && (wait.sampler->busy || pe_sample_file() == NULL))
		wait.sampler = NULL;
	if (wait.sampler != NULL)
		wait.began = pe_machine_ticks();
	return wait;
}

struct pe_sample_wait pe_sample_wait_begin_unbroken(uint64_t longest_ns)
{
	struct pe_sample_wait wait = pe_sample_wait_begin();

	wait.held = wait.sampler != NULL && longest_ns > 0;
	if (wait.held)
		pe_sample_clock_hold(true);
	return wait;
}

/* Count a mark below the call path that returns to `caller`. */
static void mark(struct pe_sampler *sampler, uint64_t address, uint32_t value, const void *caller)
{
	bool complete;
	size_t n;

	sampler->busy = 1;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	sampler->addresses[0] = address;
	n = pe_sample_unwind(sampler, (uintptr_t)caller, 1, &complete);
	if (!pe_sample_tree_add(&sampler->tree, sampler->addresses, n, complete, value))
		__atomic_fetch_add(&pe_sample_file()->lost, 1, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	sampler->busy = 0;
}

/*
 * What the calls since the last mark waited, in microseconds. They may have worked as well, and the thread may have lost its
 * processor in between: it waited no longer than they took, no longer than it had no processor, and not at all where it
 * never gave that away.
 */
static uint32_t take_owed(struct pe_sampler *sampler)
{
	struct pe_sample_waits *waits = &sampler->waits;
	const struct pe_sample_waits before = *waits;
	int64_t off_ns, owed_ns = (int64_t)waits->owed_ns;

	pe_sample_waits_look(sampler);
	waits->owed_ns = 0;
	waits->due_ns = pe_sample_periods_next(&waits->periods);
	off_ns = (int64_t)(waits->wall_ns - before.wall_ns) -
		 (int64_t)(waits->cpu_ns - before.cpu_ns);
	pe_sample_clock_settle(&sampler->clock, waits->switches - before.switches,
			       waits->cpu_ns - before.cpu_ns);
	if (off_ns < owed_ns)
		owed_ns = off_ns;
	if (owed_ns <= 0 || waits->switches == before.switches)
		return 0;
	return owed_ns / 1000 < PE_SAMPLES_SEVERAL ? (uint32_t)(owed_ns / 1000)
						   : PE_SAMPLES_SEVERAL - 1;
}

uint32_t pe_sample_pipe(int fd)
{
	struct stat status;

	return fstat(fd, &status) == 0 && S_ISFIFO(status.st_mode) ? pe_samples_id(status.st_ino)
								   : 0;
}

/* A number for one end of a connection on this machine; `local` is cleared where it is on another one. */
static uint32_t hash_end(const struct sockaddr_storage *at, socklen_t size, bool *local)
{
	const struct sockaddr_in *ip = (const void *)at;
	const struct sockaddr_in6 *ip6 = (const void *)at;
	const unsigned char *bytes = (const void *)at;
	uint32_t hash = 2166136261u; /* FNV-1a */

	if (at->ss_family == AF_INET)
		*local = *local && (ntohl(ip->sin_addr.s_addr) >> 24) == 127;
	else if (at->ss_family == AF_INET6)
		*local = *local && IN6_IS_ADDR_LOOPBACK(&ip6->sin6_addr);
	else
		*local = *local && at->ss_family == AF_UNIX;
	for (socklen_t i = 0; i < size && i < sizeof(*at); i++)
		hash = (hash ^ bytes[i]) * 16777619u;
	return hash;
}

/* The same for both ends of a connection on this machine; 0: it leads elsewhere. */
static uint32_t connection(int fd)
{
	struct sockaddr_storage ends[2] = {{0}, {0}};
	socklen_t sizes[2] = {sizeof(*ends), sizeof(*ends)};
	bool local = true;
	uint32_t sum;

	if (getsockname(fd, (struct sockaddr *)&ends[0], &sizes[0]) != 0 ||
	    getpeername(fd, (struct sockaddr *)&ends[1], &sizes[1]) != 0)
		return 0;
	sum = hash_end(&ends[0], sizes[0], &local) + hash_end(&ends[1], sizes[1], &local);
	return local ? pe_samples_id(sum) : 0;
}

/* What a descriptor is of. */
static uint64_t mark_of(int fd)
{
	struct stat status = {0};

	if (fstat(fd, &status) == 0 && S_ISFIFO(status.st_mode))
		return pe_samples_mark(PE_SAMPLES_PIPE, pe_samples_id(status.st_ino));
	if (S_ISSOCK(status.st_mode))
		return pe_samples_mark(PE_SAMPLES_SOCKET, connection(fd));
	return pe_samples_mark(PE_SAMPLES_FILE, 0);
}

/* --- Who wakes whom --- */

/*
 * Who woke those that wait for something last, by its address: its tid, below other bits of the address. Things that share
 * an entry forget each other.
 */
enum { WAKERS = 1024 };

static uint64_t wakers[WAKERS];

static uint64_t hash_address(const void *at)
{
	return (uint64_t)(uintptr_t)at * UINT64_C(0x9e3779b97f4a7c15);
}

/* The calling thread wakes those that wait for it. */
static void note_waker(const void *at)
{
	const struct pe_sampler *sampler = pe_sample_self();
	const uint64_t hash = hash_address(at);

	if (sampler != NULL)
		__atomic_store_n(&wakers[hash >> 54], hash << 32 | sampler->tree.tid,
				 __ATOMIC_RELAXED);
}

static uint32_t waker_of(const void *at)
{
	const uint64_t hash = hash_address(at);
	const uint64_t found = __atomic_load_n(&wakers[hash >> 54], __ATOMIC_RELAXED);

	return found >> 32 == (uint32_t)hash ? (uint32_t)found : 0;
}

void pe_sample_wait_end(const struct pe_sample_wait *wait, enum pe_samples_mark kind, uint32_t id,
			const void *caller)
{
	struct pe_sampler *sampler = wait->sampler;
	int error = errno;
	bool several;
	uint64_t ns;
	uint32_t us;

	if (wait->held)
		pe_sample_clock_hold(false);
	if (sampler == NULL || sampler != pe_sample_self())
		return;
	ns = pe_machine_ticks() - wait->began;
	if (ns < __atomic_load_n(&least_ticks, __ATOMIC_RELAXED))
		return;
	pe_sample_clock_resume(&sampler->clock);
	ns = (uint64_t)((double)ns * 1e6 / (double)__atomic_load_n(&ticks_a_ms, __ATOMIC_RELAXED));
	sampler->waits.owed_ns += ns;
	/* Each child has its own mark. */
	if (sampler->waits.owed_ns < sampler->waits.due_ns && kind > PE_SAMPLES_SYSTEM)
		return;
	several = ns < sampler->waits.owed_ns / 2;
	us = take_owed(sampler);
	if (us > 0)
		mark(sampler,
		     kind == PE_SAMPLES_FILE ? mark_of((int)id) : pe_samples_mark(kind, id),
		     us | (several ? PE_SAMPLES_SEVERAL : 0), caller);
	errno = error;
}

void pe_sample_mark_start(enum pe_samples_mark kind, uint32_t id, uint32_t value,
			  const void *caller)
{
	struct pe_sampler *sampler = pe_sample_self();
	int error = errno;

	if (sampler != NULL && pe_sample_file() != NULL && !sampler->busy)
		mark(sampler, pe_samples_mark(kind, id), value > 0 ? value : 1, caller);
	errno = error;
}

/* --- Calls that wait --- */

#define WAITS_FD(type, name, parameters, arguments)                                                \
	WAITS(type, name, parameters, arguments, PE_SAMPLES_FILE, fd)
#define WAITS_SLEEP(type, name, parameters, arguments, longest_ns)                                 \
	WAITS_FROM(pe_sample_wait_begin_unbroken(longest_ns), type, name, parameters, arguments,   \
		   PE_SAMPLES_SLEEP, 0)
#define WAITS_EVENT(type, name, parameters, arguments)                                             \
	WAITS_FROM(pe_sample_wait_begin_unbroken(UINT64_MAX), type, name, parameters, arguments,   \
		   PE_SAMPLES_POLL, 0)
#define WAITS_POLL(name, parameters, arguments, longest_ns)                                        \
	WAITS_FROM(pe_sample_wait_begin_unbroken(longest_ns), int, name, parameters, arguments,    \
		   PE_SAMPLES_POLL, result == 0 ? PE_SAMPLES_TIMED_OUT : 0)

static uint64_t timespec_ns(const struct timespec *time)
{
	return (uint64_t)time->tv_sec * 1000000000 + (uint64_t)time->tv_nsec;
}

WAITS_FD(ssize_t, read, (int fd, void *at, size_t n), (fd, at, n))
WAITS_FD(ssize_t, write, (int fd, const void *at, size_t n), (fd, at, n))
WAITS_FD(ssize_t, readv, (int fd, const struct iovec *at, int n), (fd, at, n))
WAITS_FD(ssize_t, writev, (int fd, const struct iovec *at, int n), (fd, at, n))
WAITS_FD(ssize_t, pread, (int fd, void *at, size_t n, off_t from), (fd, at, n, from))
WAITS_FD(ssize_t, pread64, (int fd, void *at, size_t n, off64_t from), (fd, at, n, from))
WAITS_FD(ssize_t, pwrite, (int fd, const void *at, size_t n, off_t from), (fd, at, n, from))
WAITS_FD(ssize_t, pwrite64, (int fd, const void *at, size_t n, off64_t from), (fd, at, n, from))
WAITS_FD(ssize_t, recv, (int fd, void *at, size_t n, int flags), (fd, at, n, flags))
WAITS_FD(ssize_t, send, (int fd, const void *at, size_t n, int flags), (fd, at, n, flags))
WAITS_FD(ssize_t, recvfrom,
	 (int fd, void *restrict at, size_t n, int flags, __SOCKADDR_ARG from,
	  socklen_t *restrict size),
	 (fd, at, n, flags, from, size))
WAITS_FD(ssize_t, sendto,
	 (int fd, const void *at, size_t n, int flags, __CONST_SOCKADDR_ARG to, socklen_t size),
	 (fd, at, n, flags, to, size))
WAITS_FD(ssize_t, recvmsg, (int fd, struct msghdr *message, int flags), (fd, message, flags))
WAITS_FD(ssize_t, sendmsg, (int fd, const struct msghdr *message, int flags), (fd, message, flags))
WAITS_FD(int, connect, (int fd, __CONST_SOCKADDR_ARG to, socklen_t size), (fd, to, size))
WAITS_FD(int, accept, (int fd, __SOCKADDR_ARG from, socklen_t *restrict size), (fd, from, size))
WAITS_FD(int, accept4, (int fd, __SOCKADDR_ARG from, socklen_t *restrict size, int flags),
	 (fd, from, size, flags))
/* As programs that were compiled with _FORTIFY_SOURCE call them. */
WAITS_FD(ssize_t, __read_chk, (int fd, void *at, size_t n, size_t room), (fd, at, n, room))
WAITS_FD(ssize_t, __recv_chk, (int fd, void *at, size_t n, size_t room, int flags),
	 (fd, at, n, room, flags))

WAITS(int, fsync, (int fd), (fd), PE_SAMPLES_FSYNC, 0)
WAITS(int, fdatasync, (int fd), (fd), PE_SAMPLES_FSYNC, 0)
WAITS(int, syncfs, (int fd), (fd), PE_SAMPLES_FSYNC, 0)
WAITS(int, msync, (void *at, size_t n, int flags), (at, n, flags), PE_SAMPLES_FSYNC, 0)

WAITS_SLEEP(unsigned, sleep, (unsigned s), (s), (uint64_t)s * 1000000000)
WAITS_SLEEP(int, usleep, (useconds_t us), (us), (uint64_t)us * 1000)
WAITS_SLEEP(int, nanosleep, (const struct timespec *time, struct timespec *left), (time, left),
	    timespec_ns(time))
WAITS_SLEEP(int, clock_nanosleep,
	    (clockid_t id, int flags, const struct timespec *time, struct timespec *left),
	    (id, flags, time, left), flags != 0 ? UINT64_MAX : timespec_ns(time))
WAITS_SLEEP(int, thrd_sleep, (const struct timespec *time, struct timespec *left), (time, left),
	    timespec_ns(time))

/* Not the timeouts: after one the kernel may still answer that a signal came. */
WAITS_POLL(poll, (struct pollfd * fds, nfds_t n, int ms), (fds, n, ms), ms == 0 ? 0 : UINT64_MAX)
WAITS_POLL(ppoll,
	   (struct pollfd * fds, nfds_t n, const struct timespec *time, const sigset_t *mask),
	   (fds, n, time, pe_sample_hooks_held(&(sigset_t){{0}}, mask)), UINT64_MAX)
WAITS_POLL(select,
	   (int n, fd_set *restrict in, fd_set *restrict out, fd_set *restrict odd,
	    struct timeval *restrict time),
	   (n, in, out, odd, time), UINT64_MAX)
WAITS_POLL(pselect,
	   (int n, fd_set *restrict in, fd_set *restrict out, fd_set *restrict odd,
	    const struct timespec *restrict time, const sigset_t *restrict mask),
	   (n, in, out, odd, time, pe_sample_hooks_held(&(sigset_t){{0}}, mask)), UINT64_MAX)
WAITS_POLL(epoll_wait, (int fd, struct epoll_event *events, int n, int ms), (fd, events, n, ms),
	   ms == 0 ? 0 : UINT64_MAX)
WAITS_POLL(epoll_pwait, (int fd, struct epoll_event *events, int n, int ms, const sigset_t *mask),
	   (fd, events, n, ms, pe_sample_hooks_held(&(sigset_t){{0}}, mask)),
	   ms == 0 ? 0 : UINT64_MAX)
WAITS_POLL(epoll_pwait2,
	   (int fd, struct epoll_event *events, int n, const struct timespec *time,
	    const sigset_t *mask),
	   (fd, events, n, time, pe_sample_hooks_held(&(sigset_t){{0}}, mask)), UINT64_MAX)

WAITS_EVENT(int, pause, (void), ())
WAITS_EVENT(int, sigsuspend, (const sigset_t *mask), (pe_sample_hooks_held(&(sigset_t){{0}}, mask)))
WAITS_EVENT(int, semop, (int id, struct sembuf *operations, size_t n), (id, operations, n))
WAITS_EVENT(int, semtimedop,
	    (int id, struct sembuf *operations, size_t n, const struct timespec *time),
	    (id, operations, n, time))
WAITS_EVENT(int, msgsnd, (int id, const void *message, size_t n, int flags),
	    (id, message, n, flags))
WAITS_EVENT(ssize_t, msgrcv, (int id, void *message, size_t n, long type, int flags),
	    (id, message, n, type, flags))

/* --- Threads for each other --- */

WAITS(int, pthread_join, (pthread_t thread, void **out), (thread, out), PE_SAMPLES_JOIN,
      pe_samples_id((uintptr_t)thread >> 6))
WAITS(int, thrd_join, (thrd_t thread, int *out), (thread, out), PE_SAMPLES_JOIN,
      pe_samples_id((uintptr_t)thread >> 6))
/* What wakes others. */
#define WAKES(name, type)                                                                          \
	PE_PUBLIC int name(type *what)                                                             \
	{                                                                                          \
		note_waker(what);                                                                  \
		return PE_NEXT(name)(what);                                                        \
	}

WAKES(sem_post, sem_t)

/* The last one that comes wakes the others. */
PE_PUBLIC int pthread_barrier_wait(pthread_barrier_t *barrier)
{
	struct pe_sample_wait wait;
	int result;

	note_waker(barrier);
	wait = pe_sample_wait_begin();
	result = PE_NEXT(pthread_barrier_wait)(barrier);
	pe_sample_wait_end(&wait, PE_SAMPLES_CONDITION, waker_of(barrier),
			   __builtin_return_address(0));
	return result;
}

/* Locks and conditions that are not the C library's (std::future, Rust) wait for numbers in memory by futex(2). */
PE_PUBLIC long syscall(long number, ...)
{
	struct pe_sample_wait wait = {.sampler = NULL};
	long a[6], result;
	va_list rest;

	va_start(rest, number);
	for (size_t i = 0; i < sizeof(a) / sizeof(*a); i++)
		a[i] = va_arg(rest, long);
	va_end(rest);
	if (number == SYS_futex) {
		const long command = a[1] & FUTEX_CMD_MASK;

		if (command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET)
			wait = a[3] == 0 ? pe_sample_wait_begin()
					 : pe_sample_wait_begin_unbroken(UINT64_MAX);
		else
			note_waker((const void *)a[0]);
	}
	result = PE_NEXT(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
	pe_sample_wait_end(&wait, PE_SAMPLES_CONDITION,
			   result == 0 || errno != ETIMEDOUT ? waker_of((const void *)a[0])
							     : PE_SAMPLES_TIMED_OUT,
			   __builtin_return_address(0));
	return result;
}

/* The tid of the thread that has a lock, as the C library keeps it. */
#define MUTEX_HOLDER  ((const pthread_mutex_t *)(const void *)lock)->__data.__owner
#define RWLOCK_HOLDER lock->__data.__cur_writer

/*
 * Locks that are free cost no clock. Each is tried first; what is not "busy" is the answer of the lock, too. `id` is what
 * the wait is marked with; it is looked up before the wait for `holder`, and may be another one after it.
 */
#define LOCKS(begin, name, parameters, arguments, try, busy, kind, holder, id)                     \
	PE_PUBLIC int name parameters                                                              \
	{                                                                                          \
		struct pe_sample_wait wait;                                                        \
		uint32_t held_by;                                                                  \
		int result;                                                                        \
                                                                                                   \
		if (pe_sample_self() == NULL)                                                      \
			return PE_NEXT(name) arguments;                                            \
		result = try(lock);                                                                \
		if (!(busy))                                                                       \
			return result;                                                             \
		held_by = (uint32_t)(holder);                                                      \
		wait = begin;                                                                      \
		result = PE_NEXT(name) arguments;                                                  \
		pe_sample_wait_end(&wait, kind, id, __builtin_return_address(0));                  \
		return result;                                                                     \
	}

/* One that waits for ever, and those that give up at a time of one clock or of any. */
#define LOCKS_ALL(type, plain, timed, clocked, try, busy, kind, holder, id)                        \
	LOCKS(pe_sample_wait_begin(), plain, (type * lock), (lock), try, busy, kind, holder, id)   \
	LOCKS(pe_sample_wait_begin_unbroken(UINT64_MAX), timed,                                    \
	      (type *restrict lock, const struct timespec *restrict time), (lock, time), try,      \
	      busy, kind, holder, id)                                                              \
	LOCKS(pe_sample_wait_begin_unbroken(UINT64_MAX), clocked,                                  \
	      (type *restrict lock, clockid_t clock, const struct timespec *restrict time),        \
	      (lock, clock, time), try, busy, kind, holder, id)

LOCKS_ALL(pthread_mutex_t, pthread_mutex_lock, pthread_mutex_timedlock, pthread_mutex_clocklock,
	  pthread_mutex_trylock, result == EBUSY, PE_SAMPLES_LOCK, MUTEX_HOLDER, held_by)
LOCKS_ALL(pthread_rwlock_t, pthread_rwlock_rdlock, pthread_rwlock_timedrdlock,
	  pthread_rwlock_clockrdlock, pthread_rwlock_tryrdlock, result == EBUSY, PE_SAMPLES_LOCK,
	  RWLOCK_HOLDER, held_by)
LOCKS_ALL(pthread_rwlock_t, pthread_rwlock_wrlock, pthread_rwlock_timedwrlock,
	  pthread_rwlock_clockwrlock, pthread_rwlock_trywrlock, result == EBUSY, PE_SAMPLES_LOCK,
	  RWLOCK_HOLDER, held_by)
LOCKS_ALL(sem_t, sem_wait, sem_timedwait, sem_clockwait, sem_trywait,
	  result != 0 && errno == EAGAIN, PE_SAMPLES_CONDITION, 0,
	  result == 0 ? held_by + waker_of(lock) : PE_SAMPLES_TIMED_OUT)
LOCKS(pe_sample_wait_begin(), mtx_lock, (mtx_t * lock), (lock), mtx_trylock, result == thrd_busy,
      PE_SAMPLES_LOCK, MUTEX_HOLDER, held_by)
LOCKS(pe_sample_wait_begin(), mtx_timedlock,
      (mtx_t *restrict lock, const struct timespec *restrict time), (lock, time), mtx_trylock,
      result == thrd_busy, PE_SAMPLES_LOCK, MUTEX_HOLDER, held_by)

#define CONDITION(name, parameters, arguments)                                                     \
	PE_PUBLIC int name parameters                                                              \
	{                                                                                          \
		const struct pe_sample_wait wait = pe_sample_wait_begin();                         \
		const int result = PE_NEXT(name) arguments;                                        \
		pe_sample_wait_end(&wait, PE_SAMPLES_CONDITION,                                    \
				   result == 0 ? waker_of(condition) : PE_SAMPLES_TIMED_OUT,       \
				   __builtin_return_address(0));                                   \
		return result;                                                                     \
	}

WAKES(pthread_cond_signal, pthread_cond_t)
WAKES(pthread_cond_broadcast, pthread_cond_t)
WAKES(cnd_signal, cnd_t)
WAKES(cnd_broadcast, cnd_t)
CONDITION(pthread_cond_wait, (pthread_cond_t *restrict condition, pthread_mutex_t *restrict lock),
	  (condition, lock))
CONDITION(pthread_cond_timedwait,
	  (pthread_cond_t *restrict condition, pthread_mutex_t *restrict lock,
	   const struct timespec *restrict time),
	  (condition, lock, time))
CONDITION(pthread_cond_clockwait,
	  (pthread_cond_t *restrict condition, pthread_mutex_t *restrict lock, clockid_t id,
	   const struct timespec *restrict time),
	  (condition, lock, id, time))
CONDITION(cnd_wait, (cnd_t * condition, mtx_t *lock), (condition, lock))
CONDITION(cnd_timedwait,
	  (cnd_t *restrict condition, mtx_t *restrict lock, const struct timespec *restrict time),
	  (condition, lock, time))

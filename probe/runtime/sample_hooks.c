/*
 * What the program does that would take our samples away, or show it that we are there. New threads begin
 * with a clock. The program's own action for our signal is kept and run for signals that are not ours; our
 * signal stays out of masks and of waits for signals. Each thread that has no alternate signal stack gets
 * one, which keeps the handler off the small stacks of coroutines; the program gets the answer that there is none.
 */
#include "probe/runtime/sample.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <ucontext.h>

/* What the program has set for our signal. Written rarely, read by the handler: two copies, one in use. */
static struct sigaction theirs[2];
static unsigned their_turn;
static bool installed;

/* Faults that are ours to catch, as long as the program leaves them to the kernel. */
static const int faults[] = {SIGSEGV, SIGBUS};
static void on_fault(int number, siginfo_t *info, void *context);

struct start {
	void *(*run)(void *);
	thrd_start_t run_thrd;
	void *argument;
};

/* Kept out of the way of what runs next: the frames above the program's own function are the same for all. */
static struct start begin_thread(void *argument)
{
	struct start start = *(struct start *)argument;

	free(argument);
	pe_sample_thread_begin();
	return start;
}

static void *run_pthread(void *argument)
{
	struct start start = begin_thread(argument);

	return start.run(start.argument);
}

static int run_thrd(void *argument)
{
	struct start start = begin_thread(argument);

	return start.run_thrd(start.argument);
}

/* What a new thread begins with; NULL: nothing of ours. */
static struct start *copy_start(struct start start)
{
	struct start *copy = installed ? malloc(sizeof(*copy)) : NULL;

	if (copy != NULL)
		*copy = start;
	return copy;
}

PE_PUBLIC int pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict attr,
			     void *(*run)(void *), void *restrict argument)
{
	struct start *start = copy_start((struct start){.run = run, .argument = argument});
	int error;

	if (start == NULL)
		return PE_NEXT(pthread_create)(thread, attr, run, argument);
	error = PE_NEXT(pthread_create)(thread, attr, run_pthread, start);
	if (error != 0)
		free(start);
	return error;
}

PE_PUBLIC int thrd_create(thrd_t *thread, thrd_start_t run, void *argument)
{
	struct start *start = copy_start((struct start){.run_thrd = run, .argument = argument});
	int result;

	if (start == NULL)
		return PE_NEXT(thrd_create)(thread, run, argument);
	result = PE_NEXT(thrd_create)(thread, run_thrd, start);
	if (result != thrd_success)
		free(start);
	return result;
}

/* The C library has two kinds of conditions, and dlsym(3) may find the old one. */
void *pe_next_symbol(const char *name)
{
	void *found = NULL;

#ifdef __x86_64__
	if (strncmp(name, "pthread_cond_", 13) == 0)
		found = dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2");
#endif
	return found != NULL ? found : dlsym(RTLD_NEXT, name);
}

static void keep_theirs(const struct sigaction *action)
{
	theirs[(their_turn + 1) % 2] = *action;
	__atomic_store_n(&their_turn, their_turn + 1, __ATOMIC_RELEASE);
}

PE_PUBLIC int sigaction(int number, const struct sigaction *restrict action,
			struct sigaction *restrict old)
{
	struct sigaction before = theirs[__atomic_load_n(&their_turn, __ATOMIC_ACQUIRE) % 2];

	if (number != PE_SAMPLE_SIGNAL || !installed) {
		int result = PE_NEXT(sigaction)(number, action, old);

		/* What stands there is ours, and for the program the default. */
		if (result == 0 && old != NULL && old->sa_sigaction == on_fault)
			*old = (struct sigaction){.sa_handler = SIG_DFL};
		return result;
	}
	if (action != NULL)
		keep_theirs(action);
	if (old != NULL)
		*old = before;
	return 0;
}

PE_PUBLIC __sighandler_t signal(int number, __sighandler_t handler)
{
	struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
	struct sigaction old;

	if ((number != PE_SAMPLE_SIGNAL && number != SIGSEGV && number != SIGBUS) || !installed)
		return PE_NEXT(signal)(number, handler);
	sigemptyset(&action.sa_mask);
	return sigaction(number, &action, &old) == 0 ? old.sa_handler : SIG_ERR;
}

/* The kernel blocked everything for our handler; theirs runs as it would alone, but for our signal. */
void pe_sample_hooks_forward(int number, siginfo_t *info, void *context)
{
	struct sigaction action = theirs[__atomic_load_n(&their_turn, __ATOMIC_ACQUIRE) % 2];
	sigset_t mask = ((ucontext_t *)context)->uc_sigmask;

	if (action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN)
		return; /* either way the signal is ignored */
	sigorset(&mask, &mask, &action.sa_mask);
	if ((action.sa_flags & (int)SA_RESETHAND) != 0)
		keep_theirs(&(struct sigaction){.sa_handler = SIG_DFL});
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
	if ((action.sa_flags & SA_SIGINFO) != 0)
		action.sa_sigaction(number, info, context);
	else
		action.sa_handler(number);
}

/*
 * Not every table of unwinding tells the truth (assembly, code made at run time), and following a false one may
 * read where nothing is. That ends the stack, not the program. Any other fault is the program's: it happens
 * again when this handler is gone.
 */
static void on_fault(int number, siginfo_t *info, void *context)
{
	struct sigaction none = {.sa_handler = SIG_DFL};
	struct pe_sampler *sampler = pe_sample_self();

	(void)context;
	if (sampler != NULL && sampler->unwinding)
		siglongjmp(sampler->escape, 1);
	PE_NEXT(sigaction)(number, &none, NULL);
	if (info->si_code <= 0) /* sent by a process, so it does not happen again on return */
		raise(number);
}

static void catch_faults(void)
{
	/* No mask, so that there is none to restore when the handler is left by siglongjmp(3). */
	struct sigaction action = {.sa_sigaction = on_fault,
				   .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
	struct sigaction before;

	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < sizeof(faults) / sizeof(*faults); i++)
		if (PE_NEXT(sigaction)(faults[i], NULL, &before) == 0 &&
		    before.sa_handler == SIG_DFL)
			PE_NEXT(sigaction)(faults[i], &action, NULL);
}

void pe_sample_hooks_install(void (*handler)(int, siginfo_t *, void *))
{
	struct sigaction action = {.sa_sigaction = handler,
				   .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};
	static const int deadly[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT};

	/* The program's handlers wait for ours to end, as they may leave by longjmp(3). */
	sigfillset(&action.sa_mask);
	for (size_t i = 0; i < sizeof(deadly) / sizeof(*deadly); i++)
		sigdelset(&action.sa_mask, deadly[i]);
	PE_NEXT(sigaction)(PE_SAMPLE_SIGNAL, &action, &theirs[0]);
	catch_faults();
	installed = true;
}

bool pe_sample_hooks_altstack(struct pe_sampler *sampler)
{
	stack_t ours = {.ss_sp = sampler->stack, .ss_size = sizeof(sampler->stack)};
	stack_t before;
	sigset_t set;

	/* A thread inherits the mask of the one that made it, which may block everything for the while. */
	sigemptyset(&set);
	sigaddset(&set, PE_SAMPLE_SIGNAL);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	return PE_NEXT(sigaltstack)(NULL, &before) == 0 && (before.ss_flags & SS_DISABLE) != 0 &&
	       PE_NEXT(sigaltstack)(&ours, NULL) == 0;
}

void pe_sample_hooks_altstack_drop(void)
{
	stack_t none = {.ss_flags = SS_DISABLE};

	PE_NEXT(sigaltstack)(&none, NULL);
}

PE_PUBLIC int sigaltstack(const stack_t *restrict stack, stack_t *restrict old)
{
	struct pe_sampler *sampler = pe_sample_self();
	stack_t ours = {0};
	int result;

	if (sampler == NULL)
		return PE_NEXT(sigaltstack)(stack, old);
	ours.ss_sp = sampler->stack;
	ours.ss_size = sizeof(sampler->stack);
	/* Where the program wants none, it gets ours. */
	result = PE_NEXT(sigaltstack)(
		stack != NULL && (stack->ss_flags & SS_DISABLE) != 0 ? &ours : stack, old);
	if (result == 0 && old != NULL && old->ss_sp == ours.ss_sp)
		*old = (stack_t){.ss_flags = SS_DISABLE};
	if (result == 0 && stack != NULL)
		sampler->altstack = (stack->ss_flags & SS_DISABLE) != 0;
	return result;
}

/* Change whether our signal is in a set that the program gives. */
static const sigset_t *with_ours(sigset_t *copy, const sigset_t *set,
				 int (*change)(sigset_t *, int))
{
	if (set == NULL || !installed)
		return set;
	*copy = *set;
	change(copy, PE_SAMPLE_SIGNAL);
	return copy;
}

static const sigset_t *without_ours(sigset_t *copy, const sigset_t *set)
{
	return with_ours(copy, set, sigdelset);
}

const sigset_t *pe_sample_hooks_held(sigset_t *copy, const sigset_t *set)
{
	return with_ours(copy, set, sigaddset);
}

#define MASKS(name)                                                                                \
	PE_PUBLIC int name(int how, const sigset_t *restrict set, sigset_t *restrict old)          \
	{                                                                                          \
		sigset_t copy;                                                                     \
                                                                                                   \
		return PE_NEXT(name)(how, how == SIG_UNBLOCK ? set : without_ours(&copy, set),     \
				     old);                                                         \
	}

MASKS(pthread_sigmask)
MASKS(sigprocmask)

PE_PUBLIC int sigwait(const sigset_t *restrict set, int *restrict number)
{
	sigset_t copy;

	return PE_NEXT(sigwait)(without_ours(&copy, set), number);
}

WAITS_FROM(pe_sample_wait_begin_unbroken(UINT64_MAX), int, sigwaitinfo,
	   (const sigset_t *restrict set, siginfo_t *restrict info),
	   (without_ours(&(sigset_t){{0}}, set), info), PE_SAMPLES_POLL, 0)
WAITS_FROM(pe_sample_wait_begin_unbroken(UINT64_MAX), int, sigtimedwait,
	   (const sigset_t *restrict set, siginfo_t *restrict info,
	    const struct timespec *restrict time),
	   (without_ours(&(sigset_t){{0}}, set), info, time), PE_SAMPLES_POLL, 0)

static int count_unloaded(struct dl_phdr_info *info, size_t size, void *payload)
{
	(void)size;
	*(unsigned long long *)payload = info->dlpi_subs;
	return 1;
}

/* From here on an address of what was unloaded may mean something else. */
PE_PUBLIC int dlclose(void *handle)
{
	unsigned long long before = 0, after = 0;
	int result;

	if (pe_sample_file() == NULL)
		return PE_NEXT(dlclose)(handle);
	dl_iterate_phdr(count_unloaded, &before);
	result = PE_NEXT(dlclose)(handle);
	dl_iterate_phdr(count_unloaded, &after);
	if (after != before)
		__atomic_fetch_add(&pe_sample_file()->generation, 1, __ATOMIC_RELEASE);
	return result;
}

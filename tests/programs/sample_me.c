/*
 * What a sampler meets. Each mode spends CPU time in functions of known names and says "ok" when it found
 * itself undisturbed:
 *
 *	plain     main > outer > twice > spin, outer > spin
 *	threads   work_a > spin and work_b > spin in threads of their own, by pthread_create and thrd_create
 *	fork      main > in_parent > spin, and in a child main > in_child > spin
 *	exec      main > before > spin, then the program anew in mode plain
 *	gone      main > before > spin, then _exit
 *	killed    main > before > spin, then a signal that ends it
 *	blocked   main > masked > spin with all signals blocked
 *	own       main > handle > spin, where handle is the program's own handler of SIGURG
 *	closed    main > shut > spin, all descriptors closed
 *	deep      main > down > down > ... > spin, deeper than stacks are kept
 *	switch    aside > spin on another stack (makecontext)
 *	sleep     main > doze, which hardly runs
 *	unload    main > module's module_work > spin_there, unloaded, and again from another one at its place
 *	lying	main > mislead, whose unwind table sends who follows it to nowhere; then a fault of its own
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

/* Neither inlined, nor cloned, nor made one with another of the same code. */
#ifdef __clang__
#define KEEP __attribute__((noinline))
#else
#define KEEP __attribute__((noipa))
#endif

static volatile unsigned long sink;
static volatile int handled;
static ucontext_t main_context, side_context;
static char side_stack[16384];

/* So many milliseconds of this thread's CPU time. */
KEEP static void spin(int ms)
{
	struct timespec from, now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
	do {
		for (int i = 0; i < 100000; i++)
			sink += (unsigned long)i;
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	} while ((now.tv_sec - from.tv_sec) * 1000 + (now.tv_nsec - from.tv_nsec) / 1000000 < ms);
}

KEEP static void twice(void)
{
	spin(40);
	spin(40);
}

KEEP static void outer(void)
{
	twice();
	spin(80);
	sink++;
}

KEEP static void before(void)
{
	spin(100);
	sink++;
}

KEEP static void *work_a(void *argument)
{
	spin(100);
	sink++;
	return argument;
}

KEEP static int work_b(void *argument)
{
	spin(100);
	sink++;
	return argument != NULL;
}

static int threads(void)
{
	pthread_t a;
	thrd_t b;
	void *back = NULL;
	int result = 0;

	if (pthread_create(&a, NULL, work_a, &a) != 0 ||
	    thrd_create(&b, work_b, &b) != thrd_success)
		return 1;
	pthread_join(a, &back);
	thrd_join(b, &result);
	return back != &a || result != 1;
}

KEEP static void in_parent(void)
{
	spin(100);
	sink++;
}

KEEP static void in_child(void)
{
	spin(100);
	sink++;
}

static int forks(void)
{
	int status = 1;
	pid_t child = fork();

	if (child == 0) {
		in_child();
		_exit(0);
	}
	in_parent();
	return waitpid(child, &status, 0) != child || status != 0;
}

KEEP static int masked(void)
{
	sigset_t all, old;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	spin(100);
	pthread_sigmask(SIG_SETMASK, NULL, &old);
	return sigismember(&old, SIGTERM) != 1;
}

KEEP static void handle(int number)
{
	handled += number == SIGURG;
	spin(100);
	sink++;
}

static int own(void)
{
	struct sigaction action = {.sa_handler = handle}, old;
	stack_t stack;

	if (sigaction(SIGURG, NULL, &old) != 0 || old.sa_handler != SIG_DFL)
		return 1;
	raise(SIGURG); /* ignored, as it is without us */
	if (sigaction(SIGURG, &action, NULL) != 0 || signal(SIGURG, handle) != handle)
		return 2;
	raise(SIGURG);
	if (sigaltstack(NULL, &stack) != 0 || stack.ss_flags != SS_DISABLE)
		return 3;
	return handled != 1 ? 4 : 0;
}

KEEP static void shut(void)
{
	for (int fd = 3; fd < 4096; fd++)
		close(fd);
	spin(100);
	sink++;
}

KEEP static unsigned long down(int depth)
{
	unsigned long below = 0;

	if (depth == 0)
		spin(100);
	else
		below = down(depth - 1);
	return below + sink;
}

KEEP static void aside(void)
{
	spin(100);
	sink++;
}

static int switches(void)
{
	getcontext(&side_context);
	side_context.uc_stack.ss_sp = side_stack;
	side_context.uc_stack.ss_size = sizeof(side_stack);
	side_context.uc_link = &main_context;
	makecontext(&side_context, aside, 0);
	return swapcontext(&main_context, &side_context);
}

KEEP static void doze(void)
{
	struct timespec left = {.tv_nsec = 300000000};

	while (nanosleep(&left, &left) != 0 && errno == EINTR)
		;
}

#ifdef __x86_64__
/* Says that its frame is where the frame register points, which is at 1. */
void mislead(long rounds);
__asm__(".text\n"
	".type mislead, @function\n"
	"mislead:\n"
	".cfi_startproc\n"
	".cfi_def_cfa rbp, 16\n"
	"	push %rbp\n"
	"	mov $1, %ebp\n"
	"1:	dec %rdi\n"
	"	jnz 1b\n"
	"	pop %rbp\n"
	"	ret\n"
	".cfi_endproc\n"
	".size mislead, . - mislead\n");
#else
static void mislead(long rounds)
{
	(void)rounds;
}
#endif

/* A fault of the program's own must end it as ever. */
static int lie(void)
{
	struct sigaction old;
	struct timespec now;

	if (sigaction(SIGSEGV, NULL, &old) != 0 || old.sa_handler != SIG_DFL)
		return 1;
	do {
		mislead(1000000);
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	} while (now.tv_sec == 0 && now.tv_nsec < 100000000);
	puts("ok");
	fflush(stdout);
	*(volatile int *)sink = 0;
	return 2;
}

static int unload(char **paths)
{
	for (; *paths != NULL; paths++) {
		void *module = dlopen(*paths, RTLD_NOW);
		void *symbol = module != NULL ? dlsym(module, "module_work") : NULL;
		void (*work)(void (*)(int));

		if (symbol == NULL)
			return 1;
		memcpy(&work, &symbol, sizeof(work));
		work(spin);
		if (dlclose(module) != 0)
			return 2;
	}
	return 0;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	int failed = 0;

	if (strcmp(mode, "plain") == 0)
		outer();
	else if (strcmp(mode, "threads") == 0)
		failed = threads();
	else if (strcmp(mode, "fork") == 0)
		failed = forks();
	else if (strcmp(mode, "exec") == 0 || strcmp(mode, "gone") == 0 ||
		 strcmp(mode, "killed") == 0)
		before();
	else if (strcmp(mode, "blocked") == 0)
		failed = masked();
	else if (strcmp(mode, "own") == 0)
		failed = own();
	else if (strcmp(mode, "closed") == 0)
		shut();
	else if (strcmp(mode, "deep") == 0)
		sink += down(20000);
	else if (strcmp(mode, "switch") == 0)
		failed = switches();
	else if (strcmp(mode, "sleep") == 0)
		doze();
	else if (strcmp(mode, "lying") == 0)
		failed = lie();
	else if (strcmp(mode, "unload") == 0)
		failed = unload(argv + 2);
	else
		return 2;
	if (strcmp(mode, "exec") == 0)
		execl("/proc/self/exe", argv[0], "plain", (char *)NULL);
	if (strcmp(mode, "killed") == 0)
		raise(SIGKILL);
	if (failed == 0)
		failed = puts("ok") < 0 || fflush(stdout) != 0;
	if (strcmp(mode, "gone") == 0)
		_exit(failed);
	return failed;
}

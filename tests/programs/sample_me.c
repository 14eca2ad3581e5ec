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
 *	children  main > by_popen, by_system, by_spawn, by_vfork, by_exec: each starts the program in mode plain and
 *	          waits for it; by_popen twice
 *	waits     main > naps, locks, reads and joins, each for 200 ms, the last one for a thread that works, and once more
 *	          for one that idles until its waits end by their timeouts; gives_up waits
 *	          30 ms for each of four locks and two semaphores that nobody gives it
 *	unbroken  main waits in calls that each handled signal ends, and sees none ended
 *	lying	main > mislead, whose unwind table sends who follows it to nowhere; then a fault of its own
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/syscall.h>
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

static char *const plain[] = {"sample_me", "plain", NULL};
static char *own_path;
extern char **environ;

static int wait_for(pid_t child)
{
	int status = 1;

	return child < 0 || waitpid(child, &status, 0) != child || status != 0;
}

KEEP static int by_popen(void)
{
	char command[4200], said[8] = "";
	int failed;
	FILE *stream;

	snprintf(command, sizeof(command), "%s plain", own_path);
	stream = popen(command, "r");
	failed = stream == NULL || fgets(said, sizeof(said), stream) == NULL ||
		 strcmp(said, "ok\n") != 0;
	if (stream != NULL)
		failed += pclose(stream);
	sink++;
	return failed;
}

KEEP static int by_system(void)
{
	char command[4200];
	int failed;

	snprintf(command, sizeof(command), "%s plain >/dev/null", own_path);
	failed = system(command);
	sink++;
	return failed;
}

static posix_spawn_file_actions_t silent;

KEEP static int by_spawn(void)
{
	pid_t child = -1;
	int failed = posix_spawn(&child, own_path, &silent, NULL, plain, environ);

	failed += wait_for(child);
	sink++;
	return failed;
}

KEEP static int by_vfork(void)
{
	pid_t child = vfork();
	int failed;

	if (child == 0) {
		dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
		execv(own_path, plain);
		_exit(127);
	}
	failed = wait_for(child);
	sink++;
	return failed;
}

KEEP static int by_exec(void)
{
	pid_t child = fork();
	int failed;

	if (child == 0) {
		dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
		execl(own_path, "sample_me", "plain", (char *)NULL);
		_exit(127);
	}
	failed = wait_for(child);
	sink++;
	return failed;
}

static int children(void)
{
	static char path[4097];

	if (readlink("/proc/self/exe", path, sizeof(path) - 1) < 0)
		return 1;
	own_path = path;
	posix_spawn_file_actions_init(&silent);
	posix_spawn_file_actions_addopen(&silent, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	return by_popen() + by_popen() + by_system() + by_spawn() + by_vfork() + by_exec();
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int held[2], pipes[2];

static void pause_ms(int ms)
{
	struct timespec left = {.tv_nsec = 1000000L * ms};

	while (nanosleep(&left, &left) != 0 && errno == EINTR)
		;
}

static void *hold(void *argument)
{
	pthread_mutex_lock(&lock);
	if (write(held[1], "x", 1) != 1)
		return argument;
	usleep(200000);
	pthread_mutex_unlock(&lock);
	return NULL;
}

static struct timespec soon(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	now.tv_nsec += 30000000;
	now.tv_sec += now.tv_nsec / 1000000000;
	now.tv_nsec %= 1000000000;
	return now;
}

KEEP static int gives_up(void)
{
	const clockid_t real = CLOCK_REALTIME, steady = CLOCK_MONOTONIC;
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;
	struct timespec time;
	sem_t none;
	int failed;

	pthread_mutex_lock(&mutex);
	pthread_rwlock_rdlock(&shared);
	sem_init(&none, 0, 0);
	time = soon(real);
	failed = pthread_mutex_timedlock(&mutex, &time) != ETIMEDOUT;
	time = soon(steady);
	failed += pthread_mutex_clocklock(&mutex, steady, &time) != ETIMEDOUT;
	time = soon(real);
	failed += pthread_rwlock_timedwrlock(&shared, &time) != ETIMEDOUT;
	time = soon(steady);
	failed += pthread_rwlock_clockwrlock(&shared, steady, &time) != ETIMEDOUT;
	time = soon(real);
	failed += sem_timedwait(&none, &time) == 0 || errno != ETIMEDOUT;
	time = soon(steady);
	failed += sem_clockwait(&none, steady, &time) == 0 || errno != ETIMEDOUT;
	sink++;
	return failed;
}

/* Nobody ends these waits. */
static void *idle(void *argument)
{
	struct timespec time = soon(CLOCK_REALTIME), while_ = {.tv_nsec = 50000000};
	uint32_t word = 0;
	sem_t none;

	sem_init(&none, 0, 0);
	if (sem_timedwait(&none, &time) == 0 ||
	    syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &while_, NULL, 0) == 0)
		return NULL;
	return argument;
}

static void *tell(void *argument)
{
	usleep(200000);
	return write(pipes[1], "x", 1) == 1 ? NULL : argument;
}

/* Each call begins after some work, and takes as long as requested. */
static int unbroken(void)
{
	const struct timespec while_ = {.tv_nsec = 40000000};
	struct sembuf take = {.sem_op = -1};
	sigset_t none;
	sem_t never;
	int wrong = 0, id = semget(IPC_PRIVATE, 1, 0600);

	sigemptyset(&none);
	sem_init(&never, 0, 0);
	for (int i = 0; i < 2; i++) {
		struct timespec then;

		spin(2);
		wrong += nanosleep(&while_, NULL) != 0;
		spin(2);
		wrong += poll(NULL, 0, 40) != 0;
		spin(2);
		wrong += pselect(0, NULL, NULL, NULL, &while_, &none) != 0;
		spin(2);
		then = soon(CLOCK_REALTIME);
		wrong += sem_timedwait(&never, &then) == 0 || errno != ETIMEDOUT;
		spin(2);
		wrong += sigtimedwait(&none, NULL, &while_) != -1 || errno != EAGAIN;
		spin(2);
		wrong += semtimedop(id, &take, 1, &while_) == 0 || errno != EAGAIN;
	}
	semctl(id, 0, IPC_RMID);
	return wrong;
}

KEEP static void naps(void)
{
	pause_ms(200);
	sink++;
}

KEEP static int locks(void)
{
	pthread_t thread;
	void *back = &thread;
	char byte;

	if (pipe(held) != 0 || pthread_create(&thread, NULL, hold, &thread) != 0 ||
	    read(held[0], &byte, 1) != 1)
		return 1;
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	pthread_join(thread, &back);
	sink++;
	return back != NULL;
}

KEEP static int reads(void)
{
	pthread_t thread;
	void *back = &thread;
	char byte;

	if (pipe(pipes) != 0 || pthread_create(&thread, NULL, tell, &thread) != 0 ||
	    read(pipes[0], &byte, 1) != 1)
		return 1;
	pthread_join(thread, &back);
	sink++;
	return back != NULL;
}

KEEP static int joins(void *(*run)(void *))
{
	pthread_t thread;
	void *back = NULL;

	if (pthread_create(&thread, NULL, run, &thread) != 0)
		return 1;
	pthread_join(thread, &back);
	sink++;
	return back != &thread;
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
	else if (strcmp(mode, "children") == 0)
		failed = children();
	else if (strcmp(mode, "waits") == 0) {
		naps();
		failed = locks() + reads() + joins(work_a) + joins(idle) + gives_up();
	} else if (strcmp(mode, "unbroken") == 0)
		failed = unbroken();
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

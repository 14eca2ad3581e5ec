/*
 * The worker writes the packed methods into a pipe and exits, or is ended: of itself, by a signal from elsewhere, or by
 * SIGPROF when its time is up. Time is what the kernel books on the worker, so that a busy machine reads what an idle one
 * does, and the kernel ends it there, whatever the parser is at.
 */
#include "analysis/methods/worker.h"

#include "core/base/spawn.h"

#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * What a file may take at most, of the processor's time; ordinary sources need a fiftieth. No work can be counted in its
 * place: the parser's interface tells how much text it took, and a text that takes it 16 seconds is read no oftener than
 * any other.
 */
#define LIMIT_MICROS           2000000u
#define LIMIT_MICROS_PER_KBYTE 2000u

enum { STATUS_NO_MEMORY = 128 }; /* how pe_realloc() ends a process that got no memory */

/* --- The worker's side --- */

/* Let all signals in but the terminal's: Ctrl-C reaches every process of the terminal, and the parent decides. */
static void leave_signals(void)
{
	static const int terminal[] = {SIGINT, SIGQUIT, SIGHUP, SIGTERM};
	sigset_t blocked;

	sigemptyset(&blocked);
	for (size_t i = 0; i < sizeof(terminal) / sizeof(*terminal); i++)
		sigaddset(&blocked, terminal[i]);
	signal(SIGPROF, SIG_DFL);
	sigprocmask(SIG_SETMASK, &blocked, NULL);
}

/* End this process once it had so much of the processor's time. */
static void limit_time(uint64_t micros)
{
	const struct itimerval timer = {
		.it_value = {(time_t)(micros / 1000000u), (suseconds_t)(micros % 1000000u)}};

	setitimer(ITIMER_PROF, &timer, NULL);
}

/* The worker's life. */
static void read_file(const void *payload)
{
	const struct pe_source_file *file = payload;
	struct pe_arena arena = PE_ARENA_INIT;
	struct pe_text text = PE_TEXT_INIT;
	struct pe_methods methods;

	prctl(PR_SET_DUMPABLE, 0); /* a crash that was reckoned with leaves no core file */
	leave_signals();
	limit_time(file->limit_us != 0 ? file->limit_us
				       : LIMIT_MICROS + file->n / 1024 * LIMIT_MICROS_PER_KBYTE);
	pe_extract(&methods, file, &arena);
	pe_methods_pack(&text, &methods);
	/* Nothing of the parent's is to be flushed a second time. */
	_exit(pe_text_write_fd(&text, STDOUT_FILENO) == 0 ? 0 : 1);
}

/* --- The parent's side --- */

/* Whether a worker was ended from outside, or for want of memory: not by the file alone. */
static bool is_ended(int status)
{
	static const int own[] = {SIGSEGV, SIGABRT, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS};

	if (WIFEXITED(status))
		return WEXITSTATUS(status) == STATUS_NO_MEMORY;
	for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
		if (WTERMSIG(status) == own[i])
			return false;
	return true;
}

int pe_worker_extract(struct pe_methods *out, struct pe_text *packed,
		      const struct pe_source_file *file, const volatile sig_atomic_t *interrupts,
		      struct pe_arena *arena, struct pe_err *err)
{
	static const char *const argv[] = {"a process that reads sources", NULL};
	/* Messages of the C library or of a sanitizer about a crash are dropped: the parent reports the crash itself. */
	const struct pe_spawn spawn = {
		.argv = argv,
		.in = -1,
		.out = -1,
		.err = -1,
		.hand = -1,
		.flags = PE_SPAWN_FOLLOW,
		.body = read_file,
		.payload = file,
	};
	const struct pe_spawn_io io = {.output = packed, .interrupts = interrupts};
	int status = 0;

	if (file->n <= PE_EXTRACT_MAX_BYTES) {
		pe_text_clear(packed);
		PE_TRY(pe_spawn_run(&status, &spawn, &io, err));
		if (status == 0 && pe_methods_unpack(out, file->path, pe_text_str(packed),
						     packed->len, arena, NULL) == PE_OK)
			return PE_OK;
	}
	*out = (struct pe_methods){
		.at = pe_arena_new(arena, struct pe_method, 0),
		.unread = 1,
		.ran_out = is_ended(status),
	};
	pe_text_clear(packed);
	pe_methods_pack(packed, out);
	return PE_OK;
}

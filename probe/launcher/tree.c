/*
 * Finding descendants: one pass over /proc reads each process's parent and start time. The `children` files
 * of /proc would be shorter to read, but they depend on the kernel's configuration and may leave out
 * children while siblings come and go (proc(5)), which is exactly when it matters.
 *
 * A process is identified by number and start time. Both are compared again, through a pidfd that pins it,
 * before it gets a signal: another process may have got the number in between.
 *
 *   struct process   one line of the pass
 *   struct census    a growing array of them
 */
#include "probe/launcher/tree.h"

#include "probe/launcher/descriptor.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The tree is given up when no process ends for so long: another user's process, or a dead disk. */
enum { PATIENCE_MS = 30 * 1000, LONGEST_NAP_MS = 50 };

enum kin { KIN_UNKNOWN, KIN_ON_PATH, KIN_OURS, KIN_FOREIGN };

struct process {
	pid_t pid, parent;
	unsigned long long started; /* clock ticks since boot */
	bool zombie;
	enum kin kin;
};

struct census {
	struct process *at;
	size_t n, capacity;
};

static void census_push(struct census *census, const struct process *process)
{
	if (census->n == census->capacity) {
		size_t capacity = census->capacity != 0 ? 2 * census->capacity : 256;
		struct process *grown = realloc(census->at, capacity * sizeof(*grown));

		if (grown == NULL)
			return; /* a later pass finds the others, when these have ended */
		census->at = grown;
		census->capacity = capacity;
	}
	census->at[census->n++] = *process;
}

static int by_pid(const void *a, const void *b)
{
	const struct process *left = a, *right = b;

	return (left->pid > right->pid) - (left->pid < right->pid);
}

static struct process *census_find(const struct census *census, pid_t pid)
{
	struct process key = {.pid = pid};

	if (census->n == 0)
		return NULL;
	return bsearch(&key, census->at, census->n, sizeof(key), by_pid);
}

/* /proc/<pid>/stat, see proc(5). The name may hold anything, so fields are counted from its last ')'. */
static bool process_read(struct process *out, pid_t pid)
{
	char path[64], line[1024];
	const char *rest;
	char state;
	ssize_t n;
	pe_auto_fd fd = -1;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, line, sizeof(line) - 1);
	if (n <= 0)
		return false;
	line[n] = '\0';
	rest = strrchr(line, ')');
	*out = (struct process){.pid = pid};
	if (rest == NULL || sscanf(rest,
				   ") %c %d %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
				   "%*s %*s %*s %*s %llu",
				   &state, &out->parent, &out->started) != 3)
		return false;
	out->zombie = state == 'Z' || state == 'X';
	return true;
}

/* Walk up from a process until the kin of an ancestor is known, then set it for all processes on the way. */
static void find_kin(const struct census *census, struct process *start, pid_t root)
{
	struct process *process = start;
	enum kin kin = KIN_UNKNOWN;

	while (kin == KIN_UNKNOWN) {
		process->kin = KIN_ON_PATH;
		if (process->parent == root) {
			kin = KIN_OURS;
			break;
		}
		process = census_find(census, process->parent);
		if (process == NULL || process->kin == KIN_ON_PATH)
			kin = KIN_FOREIGN;
		else
			kin = process->kin;
	}
	for (process = start; process != NULL && process->kin == KIN_ON_PATH;
	     process = census_find(census, process->parent))
		process->kin = kin;
}

/* List every living descendant of a process, by ascending number. */
static void census_take(struct census *census, pid_t root)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	size_t kept = 0;

	census->n = 0;
	if (proc == NULL)
		return;
	while ((entry = readdir(proc)) != NULL) {
		struct process process;
		char *end;
		long pid = strtol(entry->d_name, &end, 10);

		if (pid > 0 && *end == '\0' && process_read(&process, (pid_t)pid))
			census_push(census, &process);
	}
	closedir(proc);
	if (census->n == 0)
		return;
	qsort(census->at, census->n, sizeof(*census->at), by_pid);
	for (size_t i = 0; i < census->n; i++) {
		if (census->at[i].kin == KIN_UNKNOWN)
			find_kin(census, &census->at[i], root);
	}
	for (size_t i = 0; i < census->n; i++) {
		if (census->at[i].kin == KIN_OURS && !census->at[i].zombie)
			census->at[kept++] = census->at[i];
	}
	census->n = kept;
}

/* Send a signal. Zero, or errno: ESRCH when the process is gone. */
static int process_signal(const struct process *process, int signal)
{
	pe_auto_fd pidfd = (int)syscall(SYS_pidfd_open, process->pid, 0);
	struct process now;

	if (pidfd < 0 && errno != ENOSYS)
		return errno;
	if (!process_read(&now, process->pid) || now.started != process->started)
		return ESRCH;
	if (pidfd < 0)
		return kill(process->pid, signal) == 0 ? 0 : errno;
	return syscall(SYS_pidfd_send_signal, pidfd, signal, NULL, 0) == 0 ? 0 : errno;
}

/*
 * Stop all descendants, and look again until none is new: a fork(2) that was under way when the signal arrived is
 * either undone or visible in the next pass.
 */
static void stop_all(struct census *known, struct census *census, pid_t root)
{
	size_t fresh;

	do {
		size_t before = known->n;

		census_take(census, root);
		fresh = 0;
		for (size_t i = 0; i < census->n; i++) {
			struct census earlier = {.at = known->at, .n = before};
			const struct process *seen = census_find(&earlier, census->at[i].pid);

			if (seen != NULL && seen->started == census->at[i].started)
				continue;
			process_signal(&census->at[i], SIGSTOP);
			census_push(known, &census->at[i]);
			fresh++;
		}
		if (known->n > 0)
			qsort(known->at, known->n, sizeof(*known->at), by_pid);
	} while (fresh > 0 && known->n > 0);
}

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

bool pe_tree_reap(const struct pe_tree_reaper *reaper)
{
	struct rusage usage;
	int status;

	for (;;) {
		siginfo_t info = {.si_pid = 0};

		if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0)
			return false;
		if (info.si_pid == 0)
			return true;
		reaper->ended(info.si_pid, reaper->payload);
		if (wait4(info.si_pid, &status, 0, &usage) == info.si_pid)
			reaper->reaped(info.si_pid, status, &usage, reaper->payload);
	}
}

/* Wait for a child to end, a little longer each time. True: one did. */
static bool nap(int *ms)
{
	const struct timespec longest = {.tv_nsec = *ms * 1000000L};
	sigset_t ended;

	sigemptyset(&ended);
	sigaddset(&ended, SIGCHLD);
	if (sigtimedwait(&ended, NULL, &longest) == SIGCHLD) {
		*ms = 1;
		return true;
	}
	*ms = *ms < LONGEST_NAP_MS ? 2 * *ms : LONGEST_NAP_MS;
	return false;
}

/* Kill the processes, and remember one that cannot be killed: another user's, such as what sudo started. */
static void kill_all(const struct census *census, struct pe_tree_end *end)
{
	end->unending = census->n > 0 ? census->at[0].pid : -1;
	for (size_t i = 0; i < census->n; i++) {
		int error = process_signal(&census->at[i], SIGKILL);

		if (error != 0 && error != ESRCH) {
			end->unending = census->at[i].pid;
			end->error = error;
		}
	}
}

struct pe_tree_end pe_tree_finish(const struct pe_tree_reaper *reaper, pid_t exempt)
{
	struct census known = {0}, census = {0};
	struct pe_tree_end end = {0};
	int64_t give_up = now_ms() + PATIENCE_MS;
	bool others;
	int ms = 1;

	while ((others = pe_tree_reap(reaper)) && now_ms() < give_up) {
		stop_all(&known, &census, getpid());
		kill_all(&census, &end);
		if (nap(&ms))
			give_up = now_ms() + PATIENCE_MS;
	}
	if (!others)
		end.unending = 0;
	for (size_t i = 0; i < known.n; i++)
		end.ended += known.at[i].pid != exempt;
	free(known.at);
	free(census.at);
	return end;
}

void pe_tree_end_family(pid_t root)
{
	struct census known = {0}, census = {0};
	struct pe_tree_end end = {0};
	struct process one;

	if (process_read(&one, root)) {
		/* The root is stopped first, so that it forks no more. */
		process_signal(&one, SIGSTOP);
		stop_all(&known, &census, root);
		kill_all(&census, &end);
		process_signal(&one, SIGKILL);
	}
	free(known.at);
	free(census.at);
}

/*
 * perfevo-launch: starts commands for perfevo and reports their costs.
 *
 * It is a program of its own, small and static, because a child inherits the peak memory of the process it
 * was forked from, and because processes that outlive a command need a parent that finds them. It keeps these
 * promises:
 *
 * (1) a run is over when no process of its tree is left, whatever sessions and groups they moved to;
 * (2) the cost is the sum over every process of the tree that was waited for;
 * (3) the wall time ends when the command itself ends, not when the rest was cleaned up;
 * (4) while a command runs, the launcher sleeps (but for checking, ten times a second, the size of its output and the
 *     free space of the disk, where these are bounded);
 * (5) when perfevo dies, the tree ends and the launcher with it, also where something has stopped the launcher.
 *
 *   struct session   the socket, the signals, the bounds: as long as the launcher lives
 *   struct run       the command under way
 */
#include "probe/formats/machine.h"
#include "probe/launcher/confine.h"
#include "probe/launcher/cost.h"
#include "probe/launcher/descriptor.h"
#include "probe/launcher/disk.h"
#include "probe/launcher/group.h"
#include "probe/launcher/request.h"
#include "probe/launcher/start.h"
#include "probe/launcher/tree.h"
#include "probe/launcher/wire.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S        UINT64_C(1000000000)
#define OUTPUT_CHECK_NS (NS_PER_S / 10)
#define SMALL_REQUEST   (256u << 10)
/* Bound on files and folders of a tree: a hundred times the largest tree, and less than the room of common disks. */
#define MOST_FILES (UINT64_C(1) << 22)

struct session {
	int socket, signals;
	bool counts; /* instructions */
	struct pe_confinement confinement;
	struct pe_group group;  /* of commands, with their bounds */
	uint64_t process_bytes; /* most of each process, where no group bounds it; 0: any */
	uint64_t disk_bytes;    /* most that the first folder to write to holds; 0: any */
	bool over;              /* perfevo is gone, or a signal asked us to go */
};

struct run {
	uint64_t id, began_ns, ended_ns;
	struct pe_started command;
	struct pe_disk disk;
	struct pe_disk records;
	bool command_ended;
	int wait_status;
	struct pe_proc_result result;
};

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

static uint64_t timeval_ns(const struct timeval *time)
{
	return (uint64_t)time->tv_sec * NS_PER_S + (uint64_t)time->tv_usec * 1000;
}

/* The command's time ends first: its bytes are read afterwards. */
static void ended(pid_t pid, void *payload)
{
	struct run *run = payload;

	if (pid == run->command.pid)
		run->ended_ns = now_ns();
	pe_bytes_add(&run->result.cost, pid);
}

static void reaped(pid_t pid, int status, const struct rusage *usage, void *payload)
{
	struct run *run = payload;
	struct pe_proc_cost *cost = &run->result.cost;
	uint64_t rss = (uint64_t)usage->ru_maxrss * 1024;
	uint64_t sys_ns = timeval_ns(&usage->ru_stime);

	if (pid == run->command.pid) {
		const struct pe_start_cost *preparing = &run->command.preparing;

		/* This was done for the launcher: it is not the command's time. */
		cost->wall_ns = run->ended_ns - run->began_ns - preparing->wall_ns;
		run->command_ended = true;
		run->wait_status = status;
		sys_ns -= preparing->cpu_ns < sys_ns ? preparing->cpu_ns : sys_ns;
	}
	cost->user_ns += timeval_ns(&usage->ru_utime);
	cost->sys_ns += sys_ns;
	cost->minor_faults += (uint64_t)usage->ru_minflt;
	cost->major_faults += (uint64_t)usage->ru_majflt;
	cost->voluntary_switches += (uint64_t)usage->ru_nvcsw;
	cost->involuntary_switches += (uint64_t)usage->ru_nivcsw;
	if (rss > cost->max_rss_bytes)
		cost->max_rss_bytes = rss;
}

static void answer(struct session *session, enum pe_wire_kind kind, uint64_t id,
		   const void *payload, uint32_t length)
{
	if (!pe_wire_send(session->socket, kind, id, payload, length))
		session->over = true;
}

static void refuse(struct session *session, uint64_t id, enum pe_wire_refusal why, int error,
		   pid_t pid)
{
	struct pe_wire_refused refused = {.why = why, .error = error, .pid = pid};

	answer(session, PE_WIRE_REFUSED, id, &refused, sizeof(refused));
}

/* Whether the pending message on the socket ends this run. */
static bool stop_asked(struct session *session, uint64_t id)
{
	struct pe_wire_head head;
	char *payload;
	int files[PE_WIRE_FILES];

	session->over = !pe_wire_receive(session->socket, &head, &payload, files) ||
			head.kind != PE_WIRE_STOP;
	free(payload);
	pe_wire_close(files);
	return session->over || head.run == id;
}

/* Whether a pending signal ends the launcher; SIGCHLD does not. */
static bool leave_asked(const struct session *session)
{
	struct signalfd_siginfo infos[8];
	ssize_t n = read(session->signals, infos, sizeof(infos));
	bool asked = false;

	for (size_t i = 0; n > 0 && i < (size_t)n / sizeof(*infos); i++) {
		if (infos[i].ssi_signo != SIGCHLD)
			asked = true;
	}
	/* Commands in namespaces can forge a signal's sender (rt_sigqueueinfo(2)); there, the process outside gets the signals. */
	return asked && !session->confinement.on;
}

/* Sleep until an event or the given time; false: the run is to be stopped. */
static bool sleep_until(struct session *session, struct run *run, uint64_t wake_ns)
{
	struct pollfd fds[2] = {{.fd = session->signals, .events = POLLIN},
				{.fd = session->socket, .events = POLLIN}};
	uint64_t now = wake_ns != UINT64_MAX ? now_ns() : 0;
	uint64_t left = wake_ns > now ? wake_ns - now : 0;
	struct timespec timeout = {.tv_sec = (time_t)(left / NS_PER_S),
				   .tv_nsec = (long)(left % NS_PER_S)};
	int n = ppoll(fds, 2, wake_ns != UINT64_MAX ? &timeout : NULL, NULL);

	pe_start_wait(&run->command);
	if (n <= 0)
		return true;
	if (fds[0].revents != 0 && leave_asked(session)) {
		session->over = true;
		return false;
	}
	return fds[1].revents == 0 || !stop_asked(session, run->id);
}

/* Whether the command's folder is too large, or the disk nearly full; sets the result's end and status then. */
static bool disk_full(struct run *run)
{
	enum pe_disk_state state = pe_disk_look(&run->disk);

	if (state == PE_DISK_FINE)
		return false;
	run->result.end = PE_PROC_DISK_FULL;
	run->result.status = state == PE_DISK_SCARCE ? ENOSPC : 0;
	return true;
}

/* Wait for the command to end, or for a reason to end it. True when processes are left to be ended. */
static bool await(struct session *session, struct run *run, const struct pe_tree_reaper *reaper,
		  const struct pe_request *request, const int fds[PE_REQUEST_FDS])
{
	const struct pe_wire_run *limits = &request->run;
	bool bounded = limits->timeout_ns != 0 && limits->timeout_ns < UINT64_MAX - run->began_ns;
	uint64_t deadline = bounded ? run->began_ns + limits->timeout_ns : UINT64_MAX;
	uint64_t next_check =
		limits->output_bytes != 0 ? run->began_ns + OUTPUT_CHECK_NS : UINT64_MAX;

	for (;;) {
		uint64_t wake = deadline < next_check ? deadline : next_check;
		bool stopped = !sleep_until(session, run, wake);
		bool others = pe_tree_reap(reaper);
		uint64_t now;

		if (run->command_ended)
			return others;
		if (stopped) {
			run->result.end = PE_PROC_STOPPED;
			return true;
		}
		if (wake == UINT64_MAX)
			continue;
		now = now_ns();
		if (now >= deadline) {
			run->result.end = PE_PROC_TIMED_OUT;
			return true;
		}
		if (now >= next_check) {
			if (pe_request_output_full(request, fds)) {
				run->result.end = PE_PROC_OUTPUT_FULL;
				return true;
			}
			if (disk_full(run))
				return true;
			if (pe_disk_look(&run->records) == PE_DISK_TAKEN) {
				run->result.end = PE_PROC_RECORDS_FULL;
				return true;
			}
			next_check = now + OUTPUT_CHECK_NS;
		}
	}
}

static void conclude(struct run *run, bool ended_by_us, int start_error, bool full)
{
	struct pe_proc_result *result = &run->result;

	if (start_error != 0) {
		/* The cost of the attempt is not the command's. */
		*result =
			(struct pe_proc_result){.end = PE_PROC_NOT_STARTED, .status = start_error};
	} else if (!ended_by_us) {
		result->end = WIFSIGNALED(run->wait_status) ? PE_PROC_SIGNALED : PE_PROC_EXITED;
		result->status = WIFSIGNALED(run->wait_status) ? WTERMSIG(run->wait_status)
							       : WEXITSTATUS(run->wait_status);
		/* A command may exceed its output and end between two checks. */
		if (full)
			result->end = PE_PROC_OUTPUT_FULL;
	}
}

/* Wait for a started command, and end its tree. False: one of its processes cannot be ended. */
static bool see_through(struct session *session, struct run *run, const struct pe_request *request,
			const int fds[PE_REQUEST_FDS], struct pe_tree_end *end)
{
	struct pe_tree_reaper reaper = {.ended = ended, .reaped = reaped, .payload = run};
	bool others = await(session, run, &reaper, request, fds);
	bool ended_by_us = !run->command_ended;

	if (others) {
		*end = pe_tree_finish(&reaper, run->command.pid);
		run->result.left_behind = end->ended;
	}
	conclude(run, ended_by_us, run->command.error, pe_request_output_full(request, fds));
	return end->unending == 0;
}

/* Copy the kernel's events about the command's bounds into the result. */
static void take_events(struct run *run, const struct pe_group_events *events)
{
	struct pe_proc_result *result = &run->result;
	bool killed = (result->end == PE_PROC_SIGNALED && result->status == SIGKILL) ||
		      (result->end == PE_PROC_EXITED && result->status == 128 + SIGKILL);

	if (events->memory_full && killed)
		result->end = PE_PROC_MEMORY_FULL;
	result->processes_full = events->processes_full;
}

static void run_command(struct session *session, uint64_t id, const struct pe_request *request,
			const int fds[PE_REQUEST_FDS])
{
	struct pe_start start = {.argv = request->argv,
				 .env = request->env,
				 .cwd = request->cwd,
				 .input = request->input,
				 .fds = {fds[0], fds[1], fds[2]},
				 .jobs = {fds[3], fds[4]},
				 .cpu = request->run.cpu,
				 .nice = request->run.nice,
				 .flags = request->run.flags,
				 .confinement = &session->confinement,
				 .group = -1,
				 .memory_bytes = session->process_bytes};
	struct pe_group *group = &session->group;
	struct pe_tree_end end = {0};
	struct run run = {.id = id, .result.cost.has_bytes = true};
	bool ended, counts = session->counts && (start.flags & PE_PROC_INSTRUCTIONS) != 0;
	pe_auto_fd counter = counts ? pe_counter_open() : -1;

	if (group->session >= 0)
		start.group = pe_group_begin(group);
	pe_disk_open(&run.disk, request->places[0], session->disk_bytes, MOST_FILES);
	pe_disk_open(&run.records, request->places[1], request->run.records_bytes, MOST_FILES);
	run.records.small = true;
	run.began_ns = now_ns();
	if ((group->session >= 0 && start.group < 0) || !pe_start_command(&run.command, &start)) {
		refuse(session, id, PE_WIRE_NO_PROCESS, errno, 0);
		if (start.group >= 0)
			pe_group_end(group);
		pe_disk_close(&run.disk);
		pe_disk_close(&run.records);
		return;
	}
	ended = see_through(session, &run, request, fds, &end);
	/* A command may exceed the disk's bound and end between two checks. */
	if (run.command.error == 0 && run.result.end == PE_PROC_EXITED &&
	    pe_disk_look(&run.disk) == PE_DISK_TAKEN) {
		run.result.end = PE_PROC_DISK_FULL;
		run.result.status = 0;
	}
	pe_disk_close(&run.disk);
	pe_disk_close(&run.records);
	if (start.group >= 0) {
		const struct pe_group_events events = pe_group_end(group);

		take_events(&run, &events);
	}
	if (!ended) {
		refuse(session, id, PE_WIRE_UNENDING, end.error, end.unending);
	} else {
		struct pe_proc_cost *cost = &run.result.cost;

		if (run.command.error == 0) {
			run.result.pid = run.command.pid;
			cost->has_instructions = pe_counter_read(&cost->instructions, counter);
		}
		answer(session, PE_WIRE_RESULT, id, &run.result, sizeof(run.result));
	}
}

static void handle_run(struct session *session, uint64_t id, struct pe_request *request,
		       int files[PE_WIRE_FILES])
{
	const struct pe_confinement *confinement = &session->confinement;
	int fds[PE_REQUEST_FDS];

	if (!pe_confine_bind(&session->confinement, request->places, request->run.holder,
			     request->run.flags)) {
		refuse(session, id, PE_WIRE_NO_PLACE, errno, 0);
		return;
	}
	if (confinement->by_landlock)
		pe_request_set_tmp(request, confinement->tmp);
	if (pe_request_open(request, files, fds))
		run_command(session, id, request, fds);
	else
		refuse(session, id, PE_WIRE_BAD_REQUEST, 0, 0);
	pe_request_close(fds);
}

/*
 * A command's peak memory is at least the launcher's at the time of clone(2): after a large request the kernel resets
 * the launcher's peak (proc(5), clear_refs).
 */
static void forget_peak(void)
{
	pe_auto_fd fd = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);

	if (fd >= 0 && write(fd, "5", 1) != 1)
		errno = 0; /* an old kernel: reported peaks stay at least as high, without other harm */
}

static void limit(struct session *session, uint64_t id, const char *payload, uint32_t length)
{
	struct pe_wire_limit limit;
	struct pe_wire_limited kept = {.what = "groups are not known on this architecture"};

	if (length <= sizeof(limit) || payload[length - 1] != '\0' || session->confinement.on) {
		refuse(session, id, PE_WIRE_BAD_REQUEST, 0, 0);
		return;
	}
	memcpy(&limit, payload, sizeof(limit));
	session->disk_bytes = limit.disk_bytes;
	if (PE_MACHINE_CLONES && (limit.memory_bytes > 0 || limit.processes > 0))
		pe_group_open(&session->group, payload + sizeof(limit), &limit, &kept);
	/* Bounds that no group enforces become limits of each process. */
	if (!session->group.bounds_memory && (limit.flags & PE_LIMIT_MEMORY_BY_GROUP) == 0)
		session->process_bytes = limit.memory_bytes;
	answer(session, PE_WIRE_LIMITED, id, &kept, sizeof(kept));
}

/* Confine later commands. On success it returns in another process; after a failure nothing has changed. */
static void confine(struct session *session, uint64_t id, const char *payload, uint32_t length)
{
	struct pe_confine_request request;
	struct pe_wire_confined confined = {.error = EINVAL, .what = "not understood"};

	if (!session->confinement.on && !session->confinement.by_landlock &&
	    pe_confine_parse(&request, payload, length)) {
		if (pe_confine_enter(&session->confinement, &request, session->socket, &confined))
			session->counts = pe_counter_works(); /* a namespace may count less */
		else
			free(request.places);
	}
	confined.counts_instructions = session->counts;
	answer(session, PE_WIRE_CONFINED, id, &confined, sizeof(confined));
}

/* Handle one message of an idle session. */
static void handle_message(struct session *session)
{
	struct pe_wire_head head;
	struct pe_request request;
	char *payload;
	int files[PE_WIRE_FILES];

	session->over = !pe_wire_receive(session->socket, &head, &payload, files);
	/* A STOP may arrive late, after our RESULT was sent: this is no error. */
	if (session->over || head.kind == PE_WIRE_STOP) {
		free(payload);
		pe_wire_close(files);
		return;
	}
	if (head.kind == PE_WIRE_CONFINE || head.kind == PE_WIRE_LIMIT) {
		(head.kind == PE_WIRE_LIMIT ? limit : confine)(session, head.run, payload,
							       head.length);
		free(payload);
		pe_wire_close(files);
		return;
	}
	if (pe_request_parse(&request, payload, head.length) && head.kind == PE_WIRE_RUN)
		handle_run(session, head.run, &request, files);
	else
		refuse(session, head.run, PE_WIRE_BAD_REQUEST, 0, 0);
	pe_request_release(&request);
	pe_wire_close(files);
	if (head.length > SMALL_REQUEST)
		forget_peak();
}

static int open_signals(void)
{
	sigset_t set;

	for (int i = 1; i < NSIG; i++)
		signal(i, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_SETMASK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* Leave perfevo's terminal, files and session; become the parent of orphaned descendants. */
static bool settle(struct session *session)
{
	const struct rlimit no_core = {0, 0};
	int null = open("/dev/null", O_RDWR);

	for (int i = 0; null >= 0 && i < 3; i++)
		dup2(null, i);
	if (null > 2)
		close(null);
	if (session->socket > 3)
		syscall(SYS_close_range, 3, session->socket - 1, 0);
	syscall(SYS_close_range, session->socket + 1, ~0U, 0);
	fcntl(session->socket, F_SETFD, FD_CLOEXEC);
	setsid();
	if (chdir("/") != 0)
		return false;
	setrlimit(RLIMIT_CORE, &no_core);
	/*
	 * The socket closes when perfevo ends, which wakes us unless a command of the same user has stopped us. SIGKILL
	 * in place of SIGCONT would leave the command's grandchildren without a process that ends them.
	 */
	prctl(PR_SET_PDEATHSIG, SIGCONT);
	session->signals = open_signals();
	session->counts = pe_counter_works();
	/* qemu-user lacks it: there, remaining processes of a command are not ended. */
	return null >= 0 && session->signals >= 0 &&
	       (prctl(PR_SET_CHILD_SUBREAPER, 1) == 0 || errno == EINVAL);
}

/* `--end PID`: perfevo's way to end a launcher that does not answer. */
static int end_family(const char *number)
{
	pid_t root = (pid_t)atoi(number);

	if (root <= 1)
		return 129;
	pe_tree_end_family(root);
	return 0;
}

int main(int argc, char **argv)
{
	struct session session = {.socket = argc == 2 ? atoi(argv[1]) : -1, .group = PE_GROUP_NONE};
	struct pe_wire_hello hello = {.version = PE_WIRE_VERSION,
				      .run_size = sizeof(struct pe_wire_run),
				      .result_size = sizeof(struct pe_proc_result)};

	if (argc == 3 && strcmp(argv[1], "--end") == 0)
		return end_family(argv[2]);
	if (session.socket < 3 || fcntl(session.socket, F_GETFD) < 0) {
		fputs("perfevo-launch is started by perfevo, with the number of an open socket\n",
		      stderr);
		return 129;
	}
	if (!settle(&session))
		return 128;
	hello.counts_instructions = session.counts;
	session.over = !pe_wire_send(session.socket, PE_WIRE_HELLO, 0, &hello, sizeof(hello));
	/* An idle session has no processes to end: signals stay blocked, and the closed socket ends the launcher. */
	while (!session.over)
		handle_message(&session);
	pe_group_close(&session.group);
	return 0;
}

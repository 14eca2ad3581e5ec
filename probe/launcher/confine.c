/*
 * The root folder is in the launcher's own mount namespace, which is private from the start. Each place is a bind mount
 * from the machine's tree, or a tmpfs, below it. Read-only mounts stay so, because no process below the root has the
 * capability to change a mount, and chrooted processes get no user namespace.
 */
#include "probe/launcher/confine.h"

#include "probe/launcher/confine_mounts.h"
#include "probe/launcher/descriptor.h"
#include "probe/launcher/landlock.h"
#include "probe/launcher/wire.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Score for the out-of-memory killer: it ends commands before other processes of the machine. */
static const char oom_score[] = "800";

/* The strings of a message: the root, then two for each place. */
static bool parse_strings(struct pe_confine_request *out, char *at, const char *end)
{
	out->root = pe_wire_string(&at, end);
	for (uint32_t i = 0; out->root != NULL && i < out->head.n; i++) {
		const char *place = pe_wire_string(&at, end);
		const char *target = pe_wire_string(&at, end);

		if (target == NULL || *place == '\0')
			return false;
		out->places[i] =
			(struct pe_confine_place){(enum pe_wire_place)place[0], place + 1, target};
	}
	return out->root != NULL && strlen(out->root) < PATH_MAX / 2;
}

bool pe_confine_parse(struct pe_confine_request *out, const char *bytes, uint32_t length)
{
	const size_t head = sizeof(out->head);
	char *strings;

	if (length < head)
		return false;
	memcpy(&out->head, bytes, head);
	if (out->head.n > length)
		return false;
	out->places = calloc(1, out->head.n * sizeof(*out->places) + length - head + 1);
	if (out->places == NULL)
		return false;
	strings = (char *)(out->places + out->head.n);
	memcpy(strings, bytes + head, length - head);
	if (parse_strings(out, strings, strings + (length - head)))
		return true;
	free(out->places);
	return false;
}

bool pe_confine_fail(struct pe_wire_confined *why, const char *what, const char *path)
{
	why->error = errno;
	snprintf(why->what, sizeof(why->what), "%s%s", what, path);
	return false;
}

static bool write_file(const char *path, const char *text, size_t n)
{
	pe_auto_fd fd = open(path, O_WRONLY | O_CLOEXEC);

	return fd >= 0 && write(fd, text, n) == (ssize_t)n;
}

/* --- Outside: user and group numbers --- */

/*
 * Map all numbers of root's own namespace, since root unpacks archives and gives files away below it. Other users have
 * one user and one group, their own.
 */
static bool map_all(pid_t child, const char *map)
{
	char path[64], own[64], line[128], all[4096];
	size_t n = 0;
	FILE *ours;

	snprintf(own, sizeof(own), "/proc/self/%s", map);
	ours = fopen(own, "re");
	while (ours != NULL && n + 64 < sizeof(all) && fgets(line, sizeof(line), ours) != NULL) {
		unsigned first, count;

		if (sscanf(line, "%u %*u %u", &first, &count) == 2)
			n += (size_t)snprintf(all + n, sizeof(all) - n, "%u %u %u\n", first, first,
					      count);
	}
	if (ours != NULL)
		fclose(ours);
	snprintf(path, sizeof(path), "/proc/%d/%s", (int)child, map);
	return n > 0 && write_file(path, all, n);
}

static bool map_one(pid_t child, const char *map, unsigned id)
{
	char path[64], line[64];
	int n = snprintf(line, sizeof(line), "%u %u 1\n", id, id);

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)child, map);
	return write_file(path, line, (size_t)n);
}

static bool map_ids(pid_t child, bool *whole)
{
	char path[64];

	*whole = geteuid() == 0 && map_all(child, "gid_map") && map_all(child, "uid_map");
	if (*whole)
		return true;
	snprintf(path, sizeof(path), "/proc/%d/setgroups", (int)child);
	if (!write_file(path, "deny", 4) && errno != ENOENT)
		return false;
	return map_one(child, "gid_map", getegid()) && map_one(child, "uid_map", geteuid());
}

/* The process that stays outside: perfevo has its number, and the inner process ends with it (PR_SET_PDEATHSIG). */
static void stay_behind(pid_t child, int socket)
{
	sigset_t none;
	int status = 0;

	close(socket);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		continue;
	if (WIFSIGNALED(status)) {
		signal(WTERMSIG(status), SIG_DFL);
		raise(WTERMSIG(status));
	}
	_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128);
}

/* --- Inside --- */

/* A network namespace with nothing but the loopback device, made by a child that stays in it until it is held. */
static int open_offline(void)
{
	int pair[2], fd = -1, status;
	char path[64], byte = 0;
	pid_t child;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
		return -1;
	child = fork();
	if (child == 0) {
		struct ifreq loopback = {.ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING};
		bool made = unshare(CLONE_NEWNET) == 0;
		int any = made ? socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0) : -1;

		/* Without a loopback device programs have less of a network, never more. */
		if (any >= 0)
			ioctl(any, SIOCSIFFLAGS, &loopback);
		close(pair[0]);
		if (made && write(pair[1], "", 1) == 1 && read(pair[1], &byte, 1) < 0)
			_exit(1);
		_exit(0);
	}
	close(pair[1]);
	if (child > 0 && read(pair[0], &byte, 1) == 1) {
		snprintf(path, sizeof(path), "/proc/%d/ns/net", (int)child);
		fd = open(path, O_RDONLY | O_CLOEXEC);
	}
	close(pair[0]);
	if (child > 0)
		waitpid(child, &status, 0);
	return fd;
}

void pe_confine_prefer_to_lose(void)
{
	write_file("/proc/self/oom_score_adj", oom_score, sizeof(oom_score) - 1);
}

/* The number of a holder, added where it is new. SIZE_MAX: out of memory. */
static size_t find_holder(struct pe_confinement *confinement, uint64_t id)
{
	struct pe_confine_holder *holders;
	size_t n = confinement->n_holders;

	for (size_t i = n; i-- > 0;)
		if (confinement->holders[i].id == id)
			return i;
	holders = realloc(confinement->holders, (n + 1) * sizeof(*holders));
	if (holders == NULL)
		return SIZE_MAX;
	holders[n] = (struct pe_confine_holder){id, -1};
	confinement->holders = holders;
	confinement->n_holders++;
	return n;
}

/* The path at which a command finds the folder i that it may write to. */
static const char *seen_at(const struct pe_confinement *confinement, size_t i, const char *place)
{
	return i == 0 && confinement->tree[0] != '\0' ? confinement->tree : place;
}

static bool enter_ipc(struct pe_confine_holder *holder)
{
	if (holder->ipc >= 0)
		return setns(holder->ipc, CLONE_NEWIPC) == 0;
	if (unshare(CLONE_NEWIPC) != 0)
		return false;
	holder->ipc = open("/proc/self/ns/ipc", O_RDONLY | O_CLOEXEC);
	return true;
}

/* Mount the root folder, in place of the one of earlier commands. Afterwards nothing can be made in it but in these folders. */
static bool make_view(struct pe_confinement *out, const char *const writable[PE_WIRE_PLACES],
		      size_t holder, struct pe_wire_confined *why)
{
	out->holder = SIZE_MAX;
	out->own.holder = holder;
	pe_confine_clear(out->root);
	if (!enter_ipc(&out->holders[holder]))
		return pe_confine_fail(why, "cannot separate System V objects", "");
	for (size_t i = 0; i < out->n_places; i++) {
		const struct pe_confine_place *place = &out->places[i];

		out->own.n = (unsigned)i;
		if (!pe_confine_mount(out->root, place->kind, place->path, place->target,
				      &out->own))
			return pe_confine_fail(why, "cannot set up ", place->path);
		if (place->kind == PE_PLACE_TREE)
			snprintf(out->tree, sizeof(out->tree), "%s", place->path);
	}
	for (size_t i = 0; i < PE_WIRE_PLACES; i++) {
		if (*writable[i] != '\0' &&
		    !pe_confine_mount(out->root, PE_PLACE_WRITE, writable[i],
				      seen_at(out, i, writable[i]), NULL))
			return pe_confine_fail(why, "cannot set up ", writable[i]);
		snprintf(out->bound[i], sizeof(out->bound[i]), "%s", writable[i]);
	}
	for (size_t i = 0; i < out->n_places; i++)
		if (!pe_confine_seal(out->root, out->places[i].kind, out->places[i].path))
			return pe_confine_fail(why, "cannot seal ", out->places[i].path);
	out->holder = holder;
	return true;
}

/* Set the bounds that every command inherits. 0: unchanged. */
static void set_limits(const struct pe_wire_confine *head)
{
	const struct rlimit bytes = {head->file_bytes, head->file_bytes};
	const struct rlimit processes = {head->processes, head->processes};
	char text[32];
	int n = snprintf(text, sizeof(text), "%u", head->processes);

	pe_confine_prefer_to_lose();
	if (head->file_bytes > 0)
		setrlimit(RLIMIT_FSIZE, &bytes);
	if (head->processes == 0)
		return;
	setrlimit(RLIMIT_NPROC, &processes);
	/* RLIMIT_NPROC does not count root's processes: pid_max bounds them, too, where it is the namespace's own. */
	if (pe_confine_kernel_at_least(6, 14))
		write_file("/proc/sys/kernel/pid_max", text, (size_t)n);
}

static bool settle_inside(struct pe_confinement *out, const struct pe_confine_request *request,
			  struct pe_wire_confined *why)
{
	static const char *const nothing[PE_WIRE_PLACES] = {"", ""};

	snprintf(out->root, sizeof(out->root), "%s/" PE_CONFINE_VIEW, request->root);
	out->places = request->places;
	out->n_places = request->head.n;
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
		return pe_confine_fail(why, "cannot make the mounts private", "");
	if (mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) != 0)
		return pe_confine_fail(why, "cannot mount a /proc of its own", "");
	syscall(SYS_keyctl, 1 /* KEYCTL_JOIN_SESSION_KEYRING */, NULL);
	set_limits(&request->head);
	out->own.folder = pe_confine_open_own(request->root);
	if (out->own.folder < 0)
		return pe_confine_fail(why, "cannot mount ", request->root);
	if (find_holder(out, 0) != 0)
		return pe_confine_fail(why, "out of memory", "");
	if (!make_view(out, nothing, 0, why))
		return false;
	if (!pe_filter_make(&out->filter))
		return pe_confine_fail(why, "cannot make a filter of system calls", "");
	out->ruleset = pe_landlock_open_scope();
	out->offline = -1;
	if ((request->head.flags & PE_CONFINE_OFFLINE) != 0) {
		out->offline = open_offline();
		if (out->offline < 0)
			return pe_confine_fail(why, "cannot make a network namespace", "");
	}
	out->on = true;
	return true;
}

/* Capabilities that a root user's tools need below the root: to give files away, and to read those of other users. */
static uint64_t capabilities_of(bool whole)
{
	static const unsigned kept[] = {CAP_CHOWN,  CAP_DAC_OVERRIDE, CAP_FOWNER, CAP_FSETID,
					CAP_SETGID, CAP_SETUID,       CAP_KILL};
	uint64_t mask = 0;

	for (size_t i = 0; whole && i < sizeof(kept) / sizeof(*kept); i++)
		mask |= UINT64_C(1) << kept[i];
	return mask;
}

/* Wait until the user numbers are mapped, then send the result of the remaining steps through the pipe. */
static bool become_inner(struct pe_confinement *out, const struct pe_confine_request *request,
			 int pipe)
{
	struct pe_wire_confined why = {0};
	bool whole = false;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (read(pipe, &whole, sizeof(whole)) != sizeof(whole))
		_exit(1);
	out->kept_capabilities = capabilities_of(whole);
	if (settle_inside(out, request, &why) && write(pipe, &why, sizeof(why)) == sizeof(why)) {
		close(pipe);
		return true;
	}
	if (why.error == 0 || write(pipe, &why, sizeof(why)) != sizeof(why))
		_exit(2);
	_exit(1);
}

bool pe_confine_enter(struct pe_confinement *out, const struct pe_confine_request *request,
		      int socket, struct pe_wire_confined *why)
{
	const unsigned long namespaces =
		CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS;
	const struct rlimit nice = {40, 40};
	bool whole = false;
	int pair[2];
	pid_t child;

	if ((request->head.flags & PE_CONFINE_LANDLOCK) != 0)
		return pe_landlock_enter(out, request, why);
	*out = (struct pe_confinement){.offline = -1, .ruleset = -1, .own.folder = -1};
	*why = (struct pe_wire_confined){0};
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
		return pe_confine_fail(why, "cannot open a socket", "");
	/* The right to negative nice values does not go along as a capability, but as a limit. */
	if (geteuid() == 0)
		setrlimit(RLIMIT_NICE, &nice);
	child = (pid_t)syscall(SYS_clone, namespaces | SIGCHLD, 0, 0, 0, 0);
	if (child == 0) {
		close(pair[0]);
		return become_inner(out, request, pair[1]);
	}
	close(pair[1]);
	if (child < 0)
		pe_confine_fail(why, "this machine gives no user namespaces", "");
	else if (!map_ids(child, &whole))
		pe_confine_fail(why, "cannot map users into a namespace", "");
	else if (write(pair[0], &whole, sizeof(whole)) != sizeof(whole) ||
		 read(pair[0], why, sizeof(*why)) != sizeof(*why))
		pe_confine_fail(why, "the new process ended", "");
	close(pair[0]);
	if (child > 0 && why->error == 0 && why->what[0] == '\0')
		stay_behind(child, socket);
	if (child > 0) {
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
	}
	return false;
}

/* --- Around a command --- */

/* The number of a command's holder. Without one of its own, it has that of its tree. SIZE_MAX: out of memory. */
static size_t holder_of(struct pe_confinement *confinement, const char *tree, uint64_t id)
{
	if (id == 0 && *tree != '\0' && confinement->holder < confinement->n_holders &&
	    strcmp(tree, confinement->bound[0]) == 0)
		return confinement->holder;
	return find_holder(confinement, id);
}

/* Whether a folder is mounted as it is now; one of the same name may have been made in its place. */
static bool is_bound(const struct pe_confinement *confinement, size_t i, const char *place)
{
	return strcmp(confinement->bound[i], place) == 0 &&
	       (*place == '\0' ||
		pe_confine_same(confinement->root, seen_at(confinement, i, place), place));
}

bool pe_confine_bind(struct pe_confinement *confinement, const char *const places[PE_WIRE_PLACES],
		     uint64_t id, unsigned flags)
{
	struct pe_wire_confined why;
	bool same = true;
	size_t holder;

	if (confinement->by_landlock)
		return pe_landlock_bind(confinement, places, flags);
	if (!confinement->on)
		return true;
	for (size_t i = 0; i < PE_WIRE_PLACES; i++) {
		same = same && is_bound(confinement, i, places[i]);
		if (strlen(places[i]) >= PATH_MAX) {
			errno = ENAMETOOLONG;
			return false;
		}
	}
	holder = holder_of(confinement, places[0], id);
	if (holder == SIZE_MAX || (same && holder == confinement->holder))
		return holder != SIZE_MAX;
	if (make_view(confinement, places, holder, &why))
		return true;
	/* A holder whose commands left its folders unfit for the places inside gets empty ones, once. */
	confinement->holders[holder].id = UINT64_MAX;
	confinement->bound[0][0] = '\0';
	holder = find_holder(confinement, id);
	return holder != SIZE_MAX && make_view(confinement, places, holder, &why);
}

static bool is_offline(const struct pe_confinement *confinement, unsigned flags)
{
	return confinement->offline >= 0 && (flags & PE_PROC_NETWORK) == 0;
}

int pe_confine_child(const struct pe_confinement *confinement, unsigned flags)
{
	if (!confinement->on)
		return 0;
	if (is_offline(confinement, flags) && setns(confinement->offline, CLONE_NEWNET) != 0)
		return errno;
	return chroot(confinement->root) == 0 ? 0 : errno;
}

int pe_confine_let_go(const struct pe_confinement *confinement, unsigned flags)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	uint64_t kept = confinement->kept_capabilities;
	struct __user_cap_data_struct data[2] = {
		{.effective = (uint32_t)kept, .permitted = (uint32_t)kept},
		{.effective = (uint32_t)(kept >> 32), .permitted = (uint32_t)(kept >> 32)},
	};

	int error;

	/* Without new privileges execve(2) gives a root user only the capabilities that are permitted here. */
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || syscall(SYS_capset, &head, data) != 0)
		return errno;
	/* Abstract socket names are shared in a network namespace: the desktop's server accepts any process of its user. */
	if ((confinement->by_landlock ||
	     (confinement->ruleset >= 0 && !is_offline(confinement, flags))) &&
	    (error = pe_landlock_child(confinement)) != 0)
		return error;
	return pe_filter_apply(&confinement->filter);
}

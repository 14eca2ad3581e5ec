/*
 * The root folder is in the launcher's own mount namespace, which is private from the start. Each place is a bind mount
 * from the machine's tree, or a tmpfs, below it. Read-only mounts stay so, because no process below the root has the
 * capability to change a mount, and chrooted processes get no user namespace.
 */
#include "probe/launcher/confine.h"

#include "probe/launcher/confine_mounts.h"
#include "probe/launcher/landlock.h"

#include <assert.h>
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
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Score for the out-of-memory killer: it ends commands before other processes of the machine. */
static const char oom_score[] = "800";

static const char *next_string(const char **at, const char *end)
{
	const char *string = *at;
	const char *stop = string < end ? memchr(string, '\0', (size_t)(end - string)) : NULL;

	if (stop == NULL)
		return NULL;
	*at = stop + 1;
	return string;
}

bool pe_confine_parse(struct pe_confine_request *out, const char *bytes, uint32_t length)
{
	const char *at;

	if (length < sizeof(out->head))
		return false;
	memcpy(&out->head, bytes, sizeof(out->head));
	at = bytes + sizeof(out->head);
	out->end = bytes + length;
	out->root = next_string(&at, out->end);
	out->at = at;
	for (uint64_t i = 0; out->root != NULL && i < 2 * (uint64_t)out->head.n; i++)
		if (next_string(&at, out->end) == NULL)
			return false;
	return out->root != NULL && strlen(out->root) < PATH_MAX / 2;
}

static bool fail(struct pe_wire_confined *why, const char *what, const char *path)
{
	why->error = errno;
	snprintf(why->what, sizeof(why->what), "%s%s", what, path);
	return false;
}

static bool write_file(const char *path, const char *text, size_t n)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t wrote = fd >= 0 ? write(fd, text, n) : -1;
	int error = errno;

	if (fd >= 0)
		close(fd);
	errno = error;
	return wrote == (ssize_t)n;
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

static bool make_places(struct pe_confinement *out, const struct pe_confine_request *request,
			struct pe_wire_confined *why)
{
	const char *at = request->at;
	size_t cells = 0;

	for (uint32_t i = 0; i < request->head.n; i++) {
		const char *path = next_string(&at, request->end);
		const char *target = next_string(&at, request->end);
		enum pe_wire_place kind;

		assert(path != NULL && target != NULL); /* it was read before */
		kind = (enum pe_wire_place)path[0];
		out->own.n = i;
		if (!pe_confine_mount(out->root, kind, path + 1, target, &out->own))
			return fail(why, "cannot set up ", path + 1);
		if (kind == PE_PLACE_CELLS && cells < PE_CONFINE_CELLS)
			snprintf(out->cells[cells++], PATH_MAX, "%s", path + 1);
		if (kind == PE_PLACE_TREE)
			snprintf(out->tree, sizeof(out->tree), "%s", path + 1);
	}
	at = request->at;
	for (uint32_t i = 0; i < request->head.n; i++) {
		const char *path = next_string(&at, request->end);

		next_string(&at, request->end);
		assert(path != NULL);
		if (!pe_confine_seal(out->root, (enum pe_wire_place)path[0], path + 1))
			return fail(why, "cannot seal ", path + 1);
	}
	return true;
}

void pe_confine_prefer_to_lose(void)
{
	write_file("/proc/self/oom_score_adj", oom_score, sizeof(oom_score) - 1);
}

static bool keep(struct pe_confine_request *out, const struct pe_confine_request *request)
{
	const size_t n = (size_t)(request->end - request->at);
	char *copy = malloc(n);

	if (copy == NULL)
		return false;
	memcpy(copy, request->at, n);
	*out = (struct pe_confine_request){.head = request->head, .at = copy, .end = copy + n};
	return true;
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
	snprintf(out->root, sizeof(out->root), "%s", request->root);
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
		return fail(why, "cannot make the mounts private", "");
	if (mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) != 0)
		return fail(why, "cannot mount a /proc of its own", "");
	syscall(SYS_keyctl, 1 /* KEYCTL_JOIN_SESSION_KEYRING */, NULL);
	set_limits(&request->head);
	out->own.folder = -1;
	if (!make_places(out, request, why))
		return false;
	if (!keep(&out->asked, request) || find_holder(out, 0) != 0)
		return fail(why, "out of memory", "");
	if (!pe_filter_make(&out->filter))
		return fail(why, "cannot make a filter of system calls", "");
	out->ruleset = pe_landlock_open_scope();
	out->offline = -1;
	if ((request->head.flags & PE_CONFINE_OFFLINE) != 0) {
		out->offline = open_offline();
		if (out->offline < 0)
			return fail(why, "cannot make a network namespace", "");
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
		return fail(why, "cannot open a socket", "");
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
		fail(why, "this machine gives no user namespaces", "");
	else if (!map_ids(child, &whole))
		fail(why, "cannot map users into a namespace", "");
	else if (write(pair[0], &whole, sizeof(whole)) != sizeof(whole) ||
		 read(pair[0], why, sizeof(*why)) != sizeof(*why))
		fail(why, "the new process ended", "");
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

static bool open_cells(const struct pe_confinement *confinement, bool open)
{
	for (size_t i = 0; i < PE_CONFINE_CELLS && confinement->cells[i][0] != '\0'; i++)
		if (!pe_confine_set_writable(confinement->root, confinement->cells[i], open))
			return false;
	return true;
}

/* The path at which a command finds bound folder i. */
static const char *seen_at(const struct pe_confinement *confinement, size_t i, const char *place)
{
	return i == 0 && confinement->tree[0] != '\0' ? confinement->tree : place;
}

static bool rebind(struct pe_confinement *confinement, size_t i, const char *place)
{
	char *bound = confinement->bound[i];
	const char *at = seen_at(confinement, i, place);
	bool done;

	if (*bound != '\0') {
		if (!pe_confine_unmount(confinement->root, seen_at(confinement, i, bound)))
			return false;
		*bound = '\0';
	}
	if (*place == '\0')
		return true;
	/* The mount point of the tree exists already. */
	done = (at != place || open_cells(confinement, true)) &&
	       pe_confine_mount(confinement->root, PE_PLACE_WRITE, place, at, NULL);
	if ((at == place && !open_cells(confinement, false)) || !done)
		return false;
	snprintf(bound, PATH_MAX, "%s", place);
	return true;
}

/* Whether a path is inside a folder in memory, so that its mount goes when that folder is replaced. */
static bool lies_in_own(const struct pe_confine_request *asked, enum pe_wire_place kind,
			const char *path)
{
	const char *at = asked->at;

	for (uint32_t i = 0; i < asked->head.n; i++) {
		const char *place = next_string(&at, asked->end), *folder = place + 1;
		size_t n;

		next_string(&at, asked->end);
		if (*place == PE_PLACE_DEVICES)
			folder = "/dev/shm";
		else if (*place != PE_PLACE_OWN)
			continue;
		n = strlen(folder);
		if (strncmp(path, folder, n) == 0 &&
		    (path[n] == '/' || (path[n] == '\0' && kind != PE_PLACE_OWN)))
			return true;
	}
	return false;
}

/* Mount the holder's folders in memory, and make the places inside them again. */
static bool mount_own(struct pe_confinement *confinement)
{
	const struct pe_confine_request *asked = &confinement->asked;
	const char *root = confinement->root;

	for (int sealing = 0; sealing < 2; sealing++) {
		const char *at = asked->at;

		for (uint32_t i = 0; i < asked->head.n; i++) {
			const char *place = next_string(&at, asked->end), *path = place + 1;
			const char *target = next_string(&at, asked->end);
			const enum pe_wire_place kind = (enum pe_wire_place)place[0];
			const bool again = lies_in_own(asked, kind, path);
			bool done = true;

			confinement->own.n = i;
			if (sealing)
				done = !again || pe_confine_seal(root, kind, path);
			else if (again)
				done = pe_confine_mount(root, kind, path, target,
							&confinement->own);
			else if (kind == PE_PLACE_OWN || kind == PE_PLACE_DEVICES)
				done = pe_confine_remount(root, kind, path, &confinement->own);
			if (!done)
				return false;
		}
	}
	return true;
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

/* Without a holder of its own, a command gets the folders in memory of its tree. */
static bool change_holder(struct pe_confinement *confinement, const char *tree, uint64_t id)
{
	size_t number;

	if (id == 0 && *tree != '\0' && strcmp(tree, confinement->bound[0]) == 0)
		return true;
	number = find_holder(confinement, id);
	if (number == SIZE_MAX || number == confinement->holder)
		return number != SIZE_MAX;
	for (size_t i = 0; i < PE_WIRE_PLACES; i++)
		if (!rebind(confinement, i, ""))
			confinement->bound[i][0] = '\0';
	confinement->holder = SIZE_MAX;
	confinement->own.holder = number;
	if (!enter_ipc(&confinement->holders[number]) || !mount_own(confinement))
		return false;
	confinement->holder = number;
	return true;
}

static bool bind_places(struct pe_confinement *confinement,
			const char *const places[PE_WIRE_PLACES])
{
	for (size_t i = 0; i < PE_WIRE_PLACES; i++) {
		const char *bound = confinement->bound[i];

		/* A folder of the same name may have been replaced. */
		if (strcmp(bound, places[i]) == 0 &&
		    (*bound == '\0' ||
		     pe_confine_same(confinement->root, seen_at(confinement, i, bound), places[i])))
			continue;
		if (strlen(places[i]) >= PATH_MAX) {
			errno = ENAMETOOLONG;
			return false;
		}
		if (!rebind(confinement, i, places[i]))
			return false;
	}
	return true;
}

bool pe_confine_bind(struct pe_confinement *confinement, const char *const places[PE_WIRE_PLACES],
		     uint64_t holder, unsigned flags)
{
	bool done = !confinement->on;

	if (confinement->by_landlock)
		return pe_landlock_bind(confinement, places, flags);
	/* A holder whose commands left its folders unfit for the places inside gets empty ones, once. */
	for (int i = 0; !done && i < 2; i++) {
		done = change_holder(confinement, places[0], holder) &&
		       bind_places(confinement, places);
		if (done || confinement->own.holder >= confinement->n_holders)
			continue;
		confinement->holders[confinement->own.holder].id = UINT64_MAX;
		confinement->holder = SIZE_MAX;
		confinement->bound[0][0] = '\0';
	}
	return done;
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

#include "probe/launcher/group.h"

#include "probe/launcher/descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <dirent.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static const char NAME[] = "perfevo-";

static bool write_at(int folder, const char *file, const char *text)
{
	pe_auto_fd fd = openat(folder, file, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);

	return fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
}

/* Read the beginning of a file as a string; false: it does not exist. */
static bool read_at(char *out, size_t size, int folder, const char *file)
{
	pe_auto_fd fd = openat(folder, file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	ssize_t n = fd >= 0 ? read(fd, out, size - 1) : -1;

	out[n > 0 ? n : 0] = '\0';
	return n >= 0;
}

static int open_folder(int at, const char *path)
{
	return openat(at, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
}

/* --- Cgroups of the machine --- */

/* The launcher's own cgroup as a path of the machine. *top: length of the path of the topmost one. */
static bool find_own(char out[PATH_MAX], size_t *top)
{
	static const char *const mounts[] = {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"};
	const char *mount = NULL;
	struct statfs info;
	char line[PATH_MAX];
	FILE *groups = fopen("/proc/self/cgroup", "re");
	bool found = false;

	for (size_t i = 0; mount == NULL && i < sizeof(mounts) / sizeof(*mounts); i++)
		if (statfs(mounts[i], &info) == 0 && info.f_type == CGROUP2_SUPER_MAGIC)
			mount = mounts[i];
	while (groups != NULL && mount != NULL && !found &&
	       fgets(line, sizeof(line), groups) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		found = strncmp(line, "0::/", 4) == 0 &&
			snprintf(out, PATH_MAX, "%s%s", mount, line + 3) < PATH_MAX;
	}
	if (groups != NULL)
		fclose(groups);
	*top = mount != NULL ? strlen(mount) : 0;
	if (found && strlen(out) == *top + 1)
		out[*top] = '\0';
	return found;
}

/* --- The session's folder --- */

static bool has_word(const char *text, const char *word)
{
	size_t n = strlen(word);

	for (const char *at = text; (at = strstr(at, word)) != NULL; at += n)
		if ((at == text || at[-1] == ' ') && strchr(" \n", at[n]) != NULL)
			return true;
	return false;
}

static bool give_controller(int folder, const char *name, bool wanted)
{
	char given[256], add[32];

	if (!wanted || !read_at(given, sizeof(given), folder, "cgroup.subtree_control"))
		return false;
	snprintf(add, sizeof(add), "+%s", name);
	return has_word(given, name) || write_at(folder, "cgroup.subtree_control", add);
}

void pe_group_give_controllers(int folder, struct pe_group *group)
{
	group->bounds_memory = give_controller(folder, "memory", group->memory_bytes > 0);
	group->bounds_processes = give_controller(folder, "pids", group->processes > 0);
}

/* Remove the folders of launchers that were killed: a living launcher holds a lock on its own. */
static void remove_left(int folder)
{
	int copy = open_folder(folder, ".");
	DIR *entries = copy >= 0 ? fdopendir(copy) : NULL;
	struct dirent *entry;

	while (entries != NULL && (entry = readdir(entries)) != NULL) {
		int left = strncmp(entry->d_name, NAME, sizeof(NAME) - 1) == 0
				   ? open_folder(folder, entry->d_name)
				   : -1;
		DIR *runs =
			left >= 0 && flock(left, LOCK_EX | LOCK_NB) == 0 ? fdopendir(left) : NULL;
		struct dirent *run;

		while (runs != NULL && (run = readdir(runs)) != NULL)
			if (run->d_type == DT_DIR && run->d_name[0] != '.')
				unlinkat(dirfd(runs), run->d_name, AT_REMOVEDIR);
		if (runs != NULL) {
			unlinkat(folder, entry->d_name, AT_REMOVEDIR);
			closedir(runs);
		} else if (left >= 0) {
			close(left);
		}
	}
	if (entries != NULL)
		closedir(entries);
	else if (copy >= 0)
		close(copy);
}

/* Make a session's folder and lock it against remove_left(), which may still remove it between the two calls. */
static bool make_session(struct pe_group *group)
{
	uint64_t number;

	for (int tries = 0; tries < 8; tries++) {
		if (getrandom(&number, sizeof(number), 0) != sizeof(number))
			return false;
		snprintf(group->name, sizeof(group->name), "%s%016llx", NAME,
			 (unsigned long long)number);
		if (mkdirat(group->parent, group->name, 0755) != 0)
			return false;
		group->session = open_folder(group->parent, group->name);
		if (group->session >= 0 && flock(group->session, LOCK_EX | LOCK_NB) == 0 &&
		    faccessat(group->parent, group->name, F_OK, 0) == 0)
			return true;
		if (group->session >= 0)
			close(group->session);
		group->session = -1;
	}
	errno = EAGAIN;
	return false;
}

void pe_group_close(struct pe_group *group)
{
	if (group->session >= 0)
		close(group->session);
	if (group->parent >= 0) {
		unlinkat(group->parent, group->name, AT_REMOVEDIR);
		close(group->parent);
	}
	group->parent = group->session = -1;
}

/* Whether processes may be started in a cgroup: this depends on the cgroups above, too (cgroups(7), delegation). */
static bool can_start_in(int folder)
{
	const struct clone_args args = {
		.flags = CLONE_INTO_CGROUP, .exit_signal = SIGCHLD, .cgroup = (uint64_t)folder};
	pid_t child = (pid_t)syscall(SYS_clone3, &args, sizeof(args));

	if (child == 0)
		_exit(0);
	return child > 0 && waitpid(child, NULL, 0) == child;
}

/* Make a session's folder in a cgroup; false, and none is left, where no command can be started in it. */
static bool try_folder(struct pe_group *group, const char *path)
{
	bool works;
	int error;

	group->parent = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (group->parent < 0)
		return false;
	remove_left(group->parent);
	pe_group_give_controllers(group->parent, group);
	works = make_session(group);
	if (works) {
		pe_group_give_controllers(group->session, group);
		works = pe_group_begin(group) >= 0 && can_start_in(group->run);
	}
	error = errno;
	if (group->run >= 0)
		pe_group_end(group);
	if (!works)
		pe_group_close(group);
	errno = error;
	return works;
}

static bool is_enough(const struct pe_group *group)
{
	return group->session >= 0 && (group->bounds_memory || group->memory_bytes == 0) &&
	       (group->bounds_processes || group->processes == 0);
}

/* Replace the group by one in another cgroup, if there is none yet, or if the other can keep all bounds. */
static bool try_better(struct pe_group *group, const char *path)
{
	struct pe_group other = PE_GROUP_NONE;

	other.memory_bytes = group->memory_bytes;
	other.processes = group->processes;
	if (!try_folder(&other, path))
		return false;
	if (group->session < 0 || is_enough(&other)) {
		pe_group_close(group);
		*group = other;
	} else {
		pe_group_close(&other);
	}
	return is_enough(group);
}

void pe_group_open(struct pe_group *out, const char *folder, const struct pe_wire_limit *limit,
		   struct pe_wire_limited *why)
{
	char own[PATH_MAX];
	size_t top = 0;

	*out = PE_GROUP_NONE;
	out->memory_bytes = limit->memory_bytes;
	out->processes = limit->processes;
	*why = (struct pe_wire_limited){0};
	if (*folder != '\0') {
		try_better(out, folder);
		snprintf(own, sizeof(own), "%s", folder);
	} else if (!find_own(own, &top)) {
		snprintf(why->what, sizeof(why->what), "no cgroup v2 is mounted");
	} else if (!try_better(out, own) && strlen(own) > top + 1) {
		char above[PATH_MAX];

		memcpy(above, own, sizeof(above));
		*strrchr(above, '/') = '\0';
		try_better(out, above);
	}
	why->memory_by_group = out->bounds_memory;
	why->processes_by_group = out->bounds_processes;
	if (out->session < 0 && why->what[0] == '\0')
		snprintf(why->what, sizeof(why->what),
			 "neither cgroup %.160s nor the one above it can be written to", own);
	else if (out->session >= 0 && !is_enough(out))
		snprintf(why->what, sizeof(why->what), "cgroup %.160s has no controller '%s'", own,
			 out->bounds_memory || out->memory_bytes == 0 ? "pids" : "memory");
}

/* --- A command's folder --- */

bool pe_group_bound(int folder, const struct pe_group *group)
{
	char bytes[24], processes[16];

	snprintf(bytes, sizeof(bytes), "%llu", (unsigned long long)group->memory_bytes);
	snprintf(processes, sizeof(processes), "%u", group->processes);
	if (group->bounds_memory) {
		if (!write_at(folder, "memory.max", bytes))
			return false;
		/* Kernels without swap lack the first file; before 4.19 one process was ended, not the whole group. */
		write_at(folder, "memory.swap.max", "0");
		write_at(folder, "memory.oom.group", "1");
	}
	return !group->bounds_processes || write_at(folder, "pids.max", processes);
}

int pe_group_begin(struct pe_group *group)
{
	char name[16];

	snprintf(name, sizeof(name), "%u", ++group->n);
	if (mkdirat(group->session, name, 0755) != 0)
		return -1;
	group->run = open_folder(group->session, name);
	if (group->run >= 0 && pe_group_bound(group->run, group))
		return group->run;
	if (group->run >= 0)
		close(group->run);
	group->run = -1;
	unlinkat(group->session, name, AT_REMOVEDIR);
	return -1;
}

/* The count after a word at the beginning of a line. */
static uint64_t count_of(int folder, const char *file, const char *word)
{
	char text[512];
	size_t n = strlen(word);

	if (!read_at(text, sizeof(text), folder, file))
		return 0;
	for (const char *at = text; (at = strstr(at, word)) != NULL; at += n)
		if ((at == text || at[-1] == '\n') && at[n] == ' ')
			return strtoull(at + n, NULL, 10);
	return 0;
}

struct pe_group_events pe_group_read(int folder)
{
	/* `oom` counts only for the cgroup that met its bound; without it, the machine was short of memory. */
	return (struct pe_group_events){
		.memory_full = count_of(folder, "memory.events", "oom") > 0 &&
			       count_of(folder, "memory.events", "oom_kill") > 0,
		.processes_full = count_of(folder, "pids.events", "max") > 0,
	};
}

struct pe_group_events pe_group_end(struct pe_group *group)
{
	struct pe_group_events events = pe_group_read(group->run);
	char name[16];

	snprintf(name, sizeof(name), "%u", group->n);
	close(group->run);
	group->run = -1;
	unlinkat(group->session, name, AT_REMOVEDIR);
	return events;
}

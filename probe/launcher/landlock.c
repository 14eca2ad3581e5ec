/*
 * The places of a session decide as they do for mounts: the last place that is the path or above it. A folder that was
 * given entry by entry has no rule for entries made later: they cannot be read in the session.
 */
#include "probe/launcher/landlock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule       445
#define SYS_landlock_restrict_self  446
#endif

/* As in <linux/landlock.h> of Linux 6.12: the headers of distributions are older. */
enum {
	EXECUTE = 1 << 0,
	WRITE_FILE = 1 << 1,
	READ_FILE = 1 << 2,
	READ_DIR = 1 << 3,
	TRUNCATE = 1 << 14,
	IOCTL_DEV = 1 << 15,
	OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV,
	TO_READ = EXECUTE | READ_FILE | READ_DIR,
	ALL_OF_ABI_3 = (1 << 15) - 1,
	ALL_OF_ABI_5 = (1 << 16) - 1,
	TCP = 3,      /* to bind, and to connect */
	ABSTRACT = 1, /* no sockets outside by abstract names */
	SCOPES = 3,   /* nor signals to processes outside */
	SCOPES_ABI = 6,
	VERSION = 1, /* flag of landlock_create_ruleset(2) */
	PATH_BENEATH = 1,
	LEAST_ABI = 3, /* earlier ones do not restrict truncate(2) */
	DEEPEST = 64,  /* folders above a hidden path */
};

struct attributes {
	uint64_t fs, net, scoped;
};

struct beneath {
	uint64_t rights;
	int32_t parent;
} __attribute__((packed));

/* A ruleset that is being made. */
struct making {
	const struct pe_confinement *confinement;
	int ruleset;
	uint64_t all; /* rights that this kernel supports */
};

static int abi_of_kernel(void)
{
	return (int)syscall(SYS_landlock_create_ruleset, NULL, 0, VERSION);
}

static bool is_below(const char *path, const char *folder)
{
	size_t n = strlen(folder);

	return strncmp(path, folder, n) == 0 && (path[n] == '/' || path[n] == '\0');
}

/* --- Rights of a path --- */

static uint64_t rights_of(const struct making *making, enum pe_wire_place kind)
{
	switch (kind) {
	case PE_PLACE_MACHINE:
	case PE_PLACE_READ:
	case PE_PLACE_PROCESSES:
		return TO_READ;
	case PE_PLACE_WRITE:
		return making->all;
	default:
		return 0;
	}
}

static uint64_t rights_at(const struct making *making, const char *path)
{
	const struct pe_confinement *confinement = making->confinement;
	enum pe_wire_place kind = PE_PLACE_NOTHING;

	for (size_t i = 0; i < confinement->n_places; i++)
		if (confinement->places[i].kind != PE_PLACE_LINK &&
		    is_below(path, confinement->places[i].path))
			kind = confinement->places[i].kind;
	return rights_of(making, kind);
}

/* Whether something below a path has fewer rights than the path. */
static bool has_hidden(const struct making *making, const char *path, uint64_t rights)
{
	const struct pe_confinement *confinement = making->confinement;

	for (size_t i = 0; i < confinement->n_places; i++) {
		const char *place = confinement->places[i].path;

		if (confinement->places[i].kind != PE_PLACE_LINK && is_below(place, path) &&
		    strcmp(place, path) != 0 && (rights & ~rights_at(making, place)) != 0)
			return true;
	}
	return false;
}

/* --- Rules --- */

/* Add a rule. Paths that are missing or that we may not see need none. */
static void give(const struct making *making, const char *path, uint64_t rights)
{
	struct beneath rule = {.rights = rights & making->all,
			       .parent = open(path, O_PATH | O_CLOEXEC | O_NOFOLLOW)};
	struct stat what;

	if (rule.parent < 0)
		return;
	if (fstat(rule.parent, &what) == 0 && !S_ISDIR(what.st_mode))
		rule.rights &= OF_FILES;
	if (!S_ISLNK(what.st_mode))
		syscall(SYS_landlock_add_rule, making->ruleset, PATH_BENEATH, &rule, 0);
	close(rule.parent);
}

/* Give a folder as a whole, or entry by entry where something in it is hidden. */
static void give_tree(const struct making *making, const char *path, int depth)
{
	uint64_t rights = rights_at(making, path);
	struct dirent *entry;
	DIR *folder;

	if (rights == 0)
		return;
	if (!has_hidden(making, path, rights)) {
		give(making, *path != '\0' ? path : "/", rights);
		return;
	}
	give(making, *path != '\0' ? path : "/", READ_DIR);
	folder = depth < DEEPEST ? opendir(*path != '\0' ? path : "/") : NULL;
	while (folder != NULL && (entry = readdir(folder)) != NULL) {
		char *child = NULL;

		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
		    entry->d_type == DT_LNK || asprintf(&child, "%s/%s", path, entry->d_name) < 0)
			continue;
		give_tree(making, child, depth + 1);
		free(child);
	}
	if (folder != NULL)
		closedir(folder);
}

/* Give the devices without effect or data. */
static void give_devices(const struct making *making)
{
	static const char *const nodes[] = {"/dev/null",   "/dev/zero",    "/dev/full",
					    "/dev/random", "/dev/urandom", "/dev/tty"};

	give(making, "/dev", READ_DIR);
	for (size_t i = 0; i < sizeof(nodes) / sizeof(*nodes); i++)
		give(making, nodes[i], READ_FILE | WRITE_FILE | TRUNCATE | IOCTL_DEV);
}

/* Give each place on its own, since it may be in a folder that is not given. */
static void give_places(const struct making *making)
{
	const struct pe_confinement *confinement = making->confinement;

	for (size_t i = 0; i < confinement->n_places; i++) {
		const struct pe_confine_place *place = &confinement->places[i];

		if (place->kind == PE_PLACE_DEVICES)
			give_devices(making);
		else if (place->kind != PE_PLACE_LINK)
			give_tree(making, place->path, 0);
	}
}

/* --- Around a command --- */

static int make_ruleset(const struct pe_confinement *confinement,
			const char *const places[PE_WIRE_PLACES], bool offline)
{
	int abi = abi_of_kernel();
	struct making making = {.confinement = confinement,
				.all = abi >= 5 ? ALL_OF_ABI_5 : ALL_OF_ABI_3};
	const struct attributes attributes = {.fs = making.all,
					      .net = abi >= 4 && offline ? TCP : 0,
					      .scoped = abi >= SCOPES_ABI ? SCOPES : 0};
	size_t size = abi >= SCOPES_ABI ? sizeof(attributes)
		      : abi >= 4        ? sizeof(attributes) - sizeof(uint64_t)
					: sizeof(uint64_t);

	making.ruleset = (int)syscall(SYS_landlock_create_ruleset, &attributes, size, 0);
	if (making.ruleset < 0)
		return -1;
	fcntl(making.ruleset, F_SETFD, FD_CLOEXEC);
	give_places(&making);
	give(&making, confinement->tmp, making.all);
	for (size_t i = 0; i < PE_WIRE_PLACES; i++)
		if (*places[i] != '\0')
			give(&making, places[i], making.all);
	return making.ruleset;
}

/* A ruleset of an earlier command may have rules for folders that were replaced since. */
bool pe_landlock_bind(struct pe_confinement *confinement, const char *const places[PE_WIRE_PLACES],
		      unsigned flags)
{
	if (confinement->ruleset >= 0)
		close(confinement->ruleset);
	confinement->ruleset = make_ruleset(
		confinement, places, confinement->without_tcp && (flags & PE_PROC_NETWORK) == 0);
	return confinement->ruleset >= 0;
}

int pe_landlock_open_scope(void)
{
	const struct attributes attributes = {.scoped = ABSTRACT};
	int fd = abi_of_kernel() >= SCOPES_ABI ? (int)syscall(SYS_landlock_create_ruleset,
							      &attributes, sizeof(attributes), 0)
					       : -1;

	if (fd >= 0)
		fcntl(fd, F_SETFD, FD_CLOEXEC);
	return fd;
}

int pe_landlock_child(const struct pe_confinement *confinement)
{
	return syscall(SYS_landlock_restrict_self, confinement->ruleset, 0) == 0 ? 0 : errno;
}

/* --- Once --- */

bool pe_landlock_enter(struct pe_confinement *out, const struct pe_confine_request *request,
		       struct pe_wire_confined *why)
{
	*why = (struct pe_wire_confined){0};
	if (abi_of_kernel() < LEAST_ABI) {
		errno = ENOSYS;
		return pe_confine_fail(why, "this kernel has no landlock of Linux 6.2 or later",
				       "");
	}
	out->places = request->places;
	out->n_places = request->head.n;
	snprintf(out->tmp, sizeof(out->tmp), "%s/XXXXXX", request->root);
	if (mkdtemp(out->tmp) == NULL)
		return pe_confine_fail(why, "cannot make a folder for temporary files", "");
	out->without_tcp = (request->head.flags & PE_CONFINE_OFFLINE) != 0;
	out->kept_capabilities = 0;
	out->ruleset = -1;
	if (!pe_filter_make(&out->filter))
		return pe_confine_fail(why, "cannot make a filter of system calls", "");
	out->by_landlock = true;
	pe_confine_prefer_to_lose();
	return true;
}

#define _GNU_SOURCE /* unshare(2) */

#include "core/exec/sandbox.h"

#include "core/base/array.h"
#include "core/base/files.h"
#include "core/base/inside.h"
#include "core/base/spawn.h"
#include "core/base/text.h"
#include "core/base/vec.h"
#include "core/base/walk.h"

#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

/* Keys, tokens and histories below $HOME. */
static const char *const secrets[] = {
	/* keys and passwords */
	".ssh", ".gnupg", ".netrc", ".password-store", ".vault-token", ".1password", ".config/op",
	".config/sops", ".local/share/keyrings", ".local/share/kwalletd", ".Xauthority",
	/* clouds, containers */
	".aws", ".azure", ".boto", ".s3cfg", ".kube", ".docker/config.json", ".docker/run",
	".docker/desktop", ".config/gcloud", ".config/rclone", ".config/pulumi", ".terraform.d",
	/* repositories, registries, databases */
	".git-credentials", ".config/git/credentials", ".config/gh", ".config/glab-cli",
	".config/hub", ".npmrc", ".pypirc", ".cargo/credentials", ".cargo/credentials.toml",
	".gem/credentials", ".huggingface/token", ".cache/huggingface/token", ".pgpass", ".my.cnf",
	/* browsers, histories */
	".mozilla", ".thunderbird", ".config/google-chrome", ".config/chromium",
	".config/BraveSoftware", ".bash_history", ".zsh_history", ".python_history", NULL};

/* Compilers and interpreters that installers put below $HOME, without the settings and caches beside them. */
static const char *const toolchains[] = {".cargo/bin", ".rustup", ".pyenv", ".nvm/versions", NULL};

static const char *const system_folders[] = {
	/* programs and libraries */
	"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix/store",
	"/gnu/store",
	/* of /sys, what tells of processors, memory and the bounds of groups */
	"/sys/devices/system", "/sys/fs/cgroup", "/sys/kernel/mm/hugepages",
	"/sys/kernel/mm/transparent_hugepage", NULL};

/* Services keep credentials in these, beside what programs need. */
static const char *const mixed_folders[] = {"/etc", "/opt", "/usr/local", NULL};

/* Of /etc, what programs need with `require`: names, accounts, certificates, languages, compilers and desktops. */
static const char *const settings[] = {
	/* libraries, accounts, hosts */
	"ld.so.*", "ld-musl*", "passwd", "group", "nsswitch.conf", "hosts", "host.conf", "hostname",
	"resolv.conf", "gai.conf", "networks", "protocols", "services", "rpc", "ethertypes",
	"netconfig", "*-release", "*_version", "static", "alternatives",
	/* time, languages, terminals */
	"localtime", "timezone", "locale*", "terminfo", "inputrc", "mime.types", "magic*", "mtab",
	"papersize", "profile", "profile.d", "emacs", "bash.bashrc", "bashrc",
	/* certificates */
	"ssl", "pki", "ca-certificates*", "crypto-policies", "gnutls", "gss",
	/* compilers, interpreters, packaging */
	"java*", ".java", "jvm*", "maven", "gradle*", "ant*", "python*", "perl", "php*", "R",
	"ruby*", "lua*", "octave*", "julia*", "ghc*", "clang*", "fpc*", "gnucobol", "gprofng.rc",
	"gdb", "debuginfod", "dpkg", "rpm", "gitconfig", "mercurial", "modulefiles", "lmod", "scl",
	"environment-modules", "openmpi*", "mpich*", "hwloc", "OpenCL", "vulkan",
	/* fonts, pictures, pages */
	"fonts", "X11", "xdg", "gtk-*", "glvnd", "drirc", "alsa", "xml", "sgml", "texmf", "groff",
	"ImageMagick*", "ghostscript", "libva.conf", NULL};

/* Parts of /run that programs are found by, and names of hosts. */
static const char *const run_folders[] = {"/run/current-system",
					  "/run/booted-system",
					  "/run/opengl-driver",
					  "/run/systemd/resolve",
					  "/run/resolvconf",
					  "/run/NetworkManager/resolv.conf",
					  NULL};

static const char *const devices[] = {
	/* that compute */
	"/dev/dri", "/dev/kfd", "/dev/kvm", "/dev/hugepages", "/dev/infiniband",
	/* NVIDIA's */
	"/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia-uvm-tools", "/dev/nvidia-modeset",
	"/dev/nvidia-caps", "/dev/nvidia0", "/dev/nvidia1", "/dev/nvidia2", "/dev/nvidia3",
	"/dev/nvidia4", "/dev/nvidia5", "/dev/nvidia6", "/dev/nvidia7", NULL};

struct plan {
	const struct pe_sandbox_site *site;
	struct pe_arena *arena;
	PE_VEC(struct pe_place) places;
};

static void add(struct plan *plan, enum pe_wire_place kind, const char *path, const char *target)
{
	pe_vec_push(&plan->places, (struct pe_place){kind, path, target});
}

/* Whether what the machine has at a path is not there, by the last place that decides on it. */
static bool is_covered(const struct plan *plan, const char *path)
{
	enum pe_wire_place last = PE_PLACE_NOTHING;

	for (size_t i = 0; i < plan->places.n; i++) {
		const struct pe_place *place = &plan->places.data[i];

		if (place->kind != PE_PLACE_LINK &&
		    (*place->path == '\0' || pe_path_below(path, place->path) != NULL))
			last = place->kind;
	}
	return last != PE_PLACE_MACHINE && last != PE_PLACE_READ && last != PE_PLACE_WRITE &&
	       last != PE_PLACE_PROCESSES;
}

/* The path without links; NULL: nothing is there. */
static const char *resolve(const struct plan *plan, const char *path)
{
	pe_auto_free char *real = path != NULL && path[0] == '/' ? realpath(path, NULL) : NULL;

	return pe_arena_strdup(plan->arena, real);
}

/* Give a path, under its name and what the name leads to. One to be read that is there already is left as it is. */
static void give(struct plan *plan, enum pe_wire_place kind, const char *path)
{
	const char *real = resolve(plan, path);

	if (real == NULL || strcmp(real, "/") == 0)
		return;
	if (kind != PE_PLACE_READ || is_covered(plan, real))
		add(plan, kind, real, NULL);
	if (strcmp(real, path) != 0 && is_covered(plan, path))
		add(plan, PE_PLACE_LINK, pe_arena_strdup(plan->arena, path), real);
}

static void give_all(struct plan *plan, enum pe_wire_place kind, const char *const *paths)
{
	for (; *paths != NULL; paths++)
		give(plan, kind, *paths);
}

/* Links such as /bin -> usr/bin stay links. */
static void give_system_folder(struct plan *plan, const char *path)
{
	char target[256];
	ssize_t n = readlink(path, target, sizeof(target) - 1);

	if (n <= 0) {
		give(plan, PE_PLACE_READ, path);
		return;
	}
	target[n] = '\0';
	add(plan, PE_PLACE_LINK, path, pe_arena_strdup(plan->arena, target));
}

static bool is_named(const struct plan *plan, const char *path)
{
	const struct pe_sandbox *sandbox = plan->site->sandbox;
	const struct pe_strings *const lists[] = {&sandbox->read, &sandbox->write};

	for (size_t i = 0; i < 2; i++)
		for (size_t j = 0; j < lists[i]->n; j++) {
			const char *named = resolve(plan, lists[i]->at[j]);

			if (named != NULL && strcmp(named, path) == 0)
				return true;
		}
	return false;
}

static void hide(struct plan *plan, const char *path)
{
	const char *real = resolve(plan, path);

	if (real != NULL && strcmp(real, "/") != 0 && !is_covered(plan, real) &&
	    !is_named(plan, real))
		add(plan, PE_PLACE_HIDDEN, real, NULL);
}

/* --- What others may not read, by the modes of files --- */

/* Whether others may read a file, or list and enter a folder. True of links; false of sockets, pipes and devices. */
static bool others_may_read(const char *path)
{
	const mode_t entered = S_IROTH | S_IXOTH;
	struct stat what;

	if (lstat(path, &what) != 0)
		return false;
	if (S_ISDIR(what.st_mode))
		return (what.st_mode & entered) == entered;
	return S_ISLNK(what.st_mode) || (S_ISREG(what.st_mode) && (what.st_mode & S_IROTH) != 0);
}

/* The names in a folder that everybody may read, or those that others may not. */
static struct pe_strings list_by_mode(struct plan *plan, const char *folder, bool public)
{
	pe_auto_free PE_VEC(const char *) found = {NULL, 0, 0};
	const char **names = pe_walk_names_of(folder, plan->arena);

	for (; names != NULL && *names != NULL; names++) {
		const char *path = pe_arena_printf(plan->arena, "%s/%s", folder, *names);

		if ((others_may_read(path) || is_named(plan, path)) == public)
			pe_vec_push(&found, path);
	}
	return (struct pe_strings){pe_vec_copy(plan->arena, &found), found.n};
}

/*
 * Nothing in a folder that others may not read is there. With `require`, the rest is given one by one: what takes the
 * place of a file later, as a token that is renewed, is not there either.
 */
static void hide_private(struct plan *plan, const char *folder)
{
	enum { MOST_ONE_BY_ONE = 1000 };
	struct pe_strings private = list_by_mode(plan, folder, false), public = {NULL, 0};

	if (private.n == 0 || is_covered(plan, folder))
		return;
	if (plan->site->sandbox->mode == PE_SANDBOX_REQUIRE)
	public = list_by_mode(plan, folder, true);
	if (plan->site->sandbox->mode != PE_SANDBOX_REQUIRE || public.n > MOST_ONE_BY_ONE) {
		for (size_t i = 0; i < private.n; i++)
			hide(plan, private.at[i]);
		return;
	}
	add(plan, PE_PLACE_HIDDEN, pe_arena_strdup(plan->arena, folder), NULL);
	for (size_t i = 0; i < public.n; i++)
		give_system_folder(plan, public.at[i]);
}

struct walking {
	struct plan *plan;
	const char *top;
	size_t n; /* files so far */
};

static int meet(const struct pe_walk_step *step, void *payload)
{
	enum { MOST_FILES = 1 << 20 };
	struct walking *walking = payload;
	char path[PATH_MAX];
	int n;

	if (++walking->n > MOST_FILES)
		return -1;
	if (!step->is_dir)
		return PE_WALK_PASS;
	n = snprintf(path, sizeof(path), "%s/%s", walking->top, step->path);
	if (n >= (int)sizeof(path))
		return -1;
	if (!others_may_read(path))
		return PE_WALK_PASS;
	hide_private(walking->plan, path);
	return PE_WALK_ENTER;
}

/* A folder that others may not read, that cannot be looked through, or has too many files, is not given. */
static void hide_private_below(struct plan *plan, const char *path)
{
	struct walking walking = {plan, resolve(plan, path), 0};
	const struct pe_folder_walk walk = {meet, NULL, &walking};
	pe_auto_fd dir = -1;

	if (walking.top == NULL)
		return;
	if (others_may_read(walking.top))
		dir = open(walking.top, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir >= 0)
		hide_private(plan, walking.top);
	if (dir < 0 || pe_walk_folder(dir, &walk, NULL) != 0)
		add(plan, PE_PLACE_HIDDEN, walking.top, NULL);
}

/* --- Where a session starts --- */

static const char *const own_folders[] = {"/tmp", "/var/tmp", "/run", NULL};

static void give_settings(struct plan *plan)
{
	for (size_t i = 0; settings[i] != NULL; i++) {
		const char *pattern = pe_arena_printf(plan->arena, "/etc/%s", settings[i]);
		glob_t found = {0};

		if (glob(pattern, GLOB_NOSORT, NULL, &found) == 0)
			for (size_t j = 0; j < found.gl_pathc; j++)
				if (others_may_read(found.gl_pathv[j]))
					give_system_folder(
						plan,
						pe_arena_strdup(plan->arena, found.gl_pathv[j]));
		globfree(&found);
	}
}

/* From the whole machine, or from nothing but what all programs need. */
static void start(struct plan *plan, bool everything)
{
	add(plan, everything ? PE_PLACE_MACHINE : PE_PLACE_NOTHING, "", NULL);
	for (size_t i = 0; !everything && system_folders[i] != NULL; i++)
		give_system_folder(plan, system_folders[i]);
	if (!everything)
		give_settings(plan);
	add(plan, PE_PLACE_PROCESSES, "/proc", NULL);
	add(plan, PE_PLACE_DEVICES, "/dev", NULL);
	if (everything)
		give_all(plan, PE_PLACE_READ, devices);
	give_all(plan, PE_PLACE_OWN, own_folders);
	if (everything || pe_sandbox_has_network(plan->site->sandbox))
		give_all(plan, PE_PLACE_READ, run_folders);
}

/* --- What the session needs of its own --- */

/* Every entry of $PATH: programs of the user's own may be below /tmp. */
static void give_path(struct plan *plan)
{
	const char *at = getenv("PATH");

	while (at != NULL && *at != '\0') {
		size_t n = strcspn(at, ":");

		give(plan, PE_PLACE_READ, pe_arena_strndup(plan->arena, at, n));
		at += n + (at[n] == ':');
	}
}

static bool in_word(char c)
{
	return c != '\0' && strchr(" \t\n'\"`;|&<>()$=:,{}[]*?", c) == NULL;
}

/* Absolute paths that a text names below a folder which is not the machine's. */
static void give_named(struct plan *plan, const char *text)
{
	for (const char *at = strchr(text, '/'); at != NULL; at = strchr(at, '/')) {
		size_t n = 0;

		while (in_word(at[n]))
			n++;
		if (at == text || !in_word(at[-1])) {
			const char *path = pe_arena_strndup(plan->arena, at, n);

			for (size_t i = 0; own_folders[i] != NULL; i++)
				if (pe_path_below(path, own_folders[i]) != NULL &&
				    strcmp(path, own_folders[i]) != 0)
					give(plan, PE_PLACE_READ, path);
		}
		at += n > 0 ? n : 1;
	}
}

/* A home folder of the session's own, with the user's compilers. */
static void give_own_home(struct plan *plan, const char *home)
{
	give(plan, PE_PLACE_OWN, home);
	for (size_t i = 0; toolchains[i] != NULL; i++)
		give(plan, PE_PLACE_READ,
		     pe_arena_printf(plan->arena, "%s/%s", home, toolchains[i]));
}

static void give_users_own(struct plan *plan)
{
	const struct pe_sandbox_site *site = plan->site;

	give(plan, PE_PLACE_READ, getenv("HOME"));
	give(plan, PE_PLACE_READ, site->root);
	give(plan, PE_PLACE_READ, site->git_dir);
	give_path(plan);
	for (size_t i = 0; i < site->texts.n; i++)
		give_named(plan, site->texts.at[i]);
	if (site->ccache_dir != NULL)
		give(plan, PE_PLACE_WRITE, site->ccache_dir);
}

static void give_configured(struct plan *plan, bool covered_only)
{
	const struct pe_sandbox *sandbox = plan->site->sandbox;
	const char *real;

	for (size_t i = 0; i < sandbox->read.n; i++)
		give(plan, PE_PLACE_READ, sandbox->read.at[i]);
	for (size_t i = 0; i < sandbox->write.n; i++) {
		real = resolve(plan, sandbox->write.at[i]);
		if (real != NULL && (!covered_only || is_covered(plan, real)))
			give(plan, PE_PLACE_WRITE, sandbox->write.at[i]);
	}
}

static void hide_secrets(struct plan *plan)
{
	static const char *const variables[] = {"SSH_AUTH_SOCK",
						"XAUTHORITY",
						"NETRC",
						"GNUPGHOME",
						"DBUS_SESSION_BUS_ADDRESS",
						NULL};
	const char *home = getenv("HOME");

	for (size_t i = 0; home != NULL && secrets[i] != NULL; i++)
		hide(plan, pe_arena_printf(plan->arena, "%s/%s", home, secrets[i]));
	for (size_t i = 0; variables[i] != NULL; i++) {
		const char *value = getenv(variables[i]);
		const char *slash = value != NULL ? strchr(value, '/') : NULL;

		if (slash != NULL)
			hide(plan, pe_arena_strndup(plan->arena, slash, strcspn(slash, ",;")));
	}
}

/* Programs that listen in a folder which can be read, as servers of editors and containers: they act for whoever reaches them. */
static void hide_sockets(struct plan *plan)
{
	pe_auto_text list = PE_TEXT_INIT;
	char *rest = NULL;

	if (pe_text_read_file(&list, "/proc/net/unix", NULL) != PE_OK || list.len == 0)
		return;
	for (char *line = strtok_r(list.data, "\n", &rest); line != NULL;
	     line = strtok_r(NULL, "\n", &rest)) {
		const char *path = strstr(line, " /");

		if (path != NULL)
			hide(plan, pe_arena_strdup(plan->arena, path + 1));
	}
}

/* Hide perfevo's own files: the store with the files next to it, and all builds but the current one. */
static void hide_perfevo(struct plan *plan)
{
	static const char *const beside[] = {"", "-wal", "-shm", "-lock", NULL};
	const struct pe_sandbox_site *site = plan->site;

	if (site->git_dir != NULL)
		hide(plan, pe_arena_printf(plan->arena, "%s/perfevo", site->git_dir));
	for (size_t i = 0; site->store != NULL && beside[i] != NULL; i++)
		hide(plan, pe_arena_printf(plan->arena, "%s%s", site->store, beside[i]));
}

struct pe_places pe_sandbox_places(const struct pe_sandbox_site *site, struct pe_arena *arena)
{
	struct plan plan = {.site = site, .arena = arena, .places = {NULL, 0, 0}};
	bool everything = site->sandbox->mode != PE_SANDBOX_REQUIRE;
	const char *cache = resolve(&plan, site->cache_dir);
	struct pe_places out;

	start(&plan, everything);
	for (size_t i = 0; mixed_folders[i] != NULL; i++)
		hide_private_below(&plan, mixed_folders[i]);
	if (everything)
		give_users_own(&plan);
	else if (getenv("HOME") != NULL)
		give_own_home(&plan, getenv("HOME"));
	if (getenv("TMPDIR") != NULL)
		give(&plan, PE_PLACE_OWN, getenv("TMPDIR"));
	give_configured(&plan, false);
	if (cache != NULL) {
		add(&plan, PE_PLACE_CELLS, cache, NULL);
		if (strcmp(cache, site->cache_dir) != 0 && is_covered(&plan, site->cache_dir))
			add(&plan, PE_PLACE_LINK, site->cache_dir, cache);
	}
	/* A bare repository's files are in the cache, and a cache may contain folders that are needed. */
	if (everything)
		give(&plan, PE_PLACE_READ, site->root);
	for (size_t i = 0; i < site->programs.n; i++)
		give(&plan, PE_PLACE_READ, site->programs.at[i]);
	if (!site->sandbox->by_landlock)
		add(&plan, PE_PLACE_TREE, PE_INSIDE_TREE, NULL);
	hide_secrets(&plan);
	if (!site->sandbox->by_landlock) /* which lets every socket through */
		hide_sockets(&plan);
	hide_perfevo(&plan);
	give_configured(&plan, true);
	out = (struct pe_places){pe_vec_copy(arena, &plan.places), plan.places.n};
	pe_vec_release(&plan.places);
	return out;
}

int pe_sandbox_enter(struct pe_launcher *launcher, const struct pe_sandbox_site *site,
		     struct pe_arena *arena, struct pe_err *err)
{
	bool required = site->sandbox->mode == PE_SANDBOX_REQUIRE;
	struct pe_places places = pe_sandbox_places(site, arena);
	struct pe_confine_spec spec = {
		.root = pe_arena_printf(arena, "%s/root", site->cache_dir),
		.places = places.at,
		.n = places.n,
		.offline = !pe_sandbox_has_network(site->sandbox),
		.by_landlock = site->sandbox->by_landlock,
		.file_bytes = required ? site->file_bytes : 0,
		.processes = site->processes,
	};

	PE_TRY(pe_files_make_dir(spec.root, err));
	return pe_launcher_confine(launcher, &spec, err);
}

/* A link in place of it would give trees another path than the one in their environment. */
static bool has_run_folder(void)
{
	struct stat info;

	return lstat("/run", &info) == 0 && S_ISDIR(info.st_mode);
}

/* In a child. Ubuntu's rule gives the namespace, and takes all capabilities in it. */
static void try_namespaces(void *unused)
{
	(void)unused;
	_exit(unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS) !=
		      0 ||
	      mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0);
}

static bool has_namespaces(void)
{
	pid_t child;

	return pe_spawn_fork(&child, try_namespaces, NULL, NULL) == PE_OK &&
	       pe_spawn_succeeded(pe_spawn_wait(child));
}

enum pe_sandbox_means pe_sandbox_find_means(void)
{
	/* landlock_create_ruleset(2), asked for its version. */
	enum { CREATE_RULESET = 444, ASK_VERSION = 1, LEAST_VERSION = 3 };

	if (has_run_folder() && has_namespaces())
		return PE_BY_NAMESPACES;
	return syscall(CREATE_RULESET, NULL, 0, ASK_VERSION) >= LEAST_VERSION ? PE_BY_LANDLOCK
									      : PE_BY_NOTHING;
}

const char *pe_sandbox_mode_name(enum pe_sandbox_mode mode)
{
	static const char *const names[] = {[PE_SANDBOX_OFF] = "off",
					    [PE_SANDBOX_AUTO] = "auto",
					    [PE_SANDBOX_REQUIRE] = "require"};

	return names[mode];
}

const char *pe_sandbox_describe(const struct pe_sandbox *sandbox, struct pe_arena *arena)
{
	static const char *const gives[] = {
		[PE_SANDBOX_OFF] = "builds and benchmarks run with all your permissions",
		[PE_SANDBOX_AUTO] =
			"builds and benchmarks write to their own tree alone and read all but keys and tokens",
		[PE_SANDBOX_REQUIRE] =
			"builds and benchmarks see system folders, their own tree and what the config names",
	};

	return pe_arena_printf(arena, "%s%s: %s%s", pe_sandbox_mode_name(sandbox->mode),
			       sandbox->by_landlock ? " by landlock" : "", gives[sandbox->mode],
			       sandbox->mode == PE_SANDBOX_OFF   ? ""
			       : pe_sandbox_has_network(sandbox) ? ", with the network"
								 : ", without a network");
}

/* Whether the config gives a path for writing. Then it is the machine's, below whatever folder it lies. */
static bool is_given(const struct pe_sandbox *sandbox, const char *path)
{
	bool given = false;

	for (size_t i = 0; i < sandbox->write.n; i++) {
		pe_auto_free char *real = realpath(sandbox->write.at[i], NULL);

		given |= pe_path_below(path, sandbox->write.at[i]) != NULL ||
			 (real != NULL && pe_path_below(path, real) != NULL);
	}
	return given;
}

bool pe_sandbox_is_own(const struct pe_sandbox *sandbox, const char *path)
{
	const char *const more[] = {"/dev/shm", getenv("TMPDIR"),
				    sandbox->mode == PE_SANDBOX_REQUIRE ? getenv("HOME") : NULL};
	bool own = false;

	for (size_t i = 0; own_folders[i] != NULL; i++)
		own |= pe_path_below(path, own_folders[i]) != NULL;
	for (size_t i = 0; i < sizeof(more) / sizeof(*more); i++)
		own |= more[i] != NULL && strcmp(more[i], "/") != 0 &&
		       pe_path_below(path, more[i]) != NULL;
	return own && !is_given(sandbox, path);
}

bool pe_sandbox_auto_keeps(const char *path)
{
	const char *home = getenv("HOME"), *tmp = getenv("TMPDIR");
	const char *rest = home != NULL ? pe_path_below(path, home) : NULL;
	pe_auto_free char *real = realpath(path, NULL);
	bool kept = tmp != NULL && *tmp == '/' && pe_path_below(path, tmp) != NULL;

	for (size_t i = 0; own_folders[i] != NULL; i++)
		kept = kept || pe_path_below(path, own_folders[i]) != NULL ||
		       (real != NULL && pe_path_below(real, own_folders[i]) != NULL);
	for (size_t i = 0; !kept && rest != NULL && secrets[i] != NULL; i++)
		kept = pe_path_below(rest, secrets[i]) != NULL;
	return kept;
}

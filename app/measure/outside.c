#include "app/measure/outside.h"

#include "core/base/array.h"
#include "core/base/clock.h"
#include "core/base/text.h"
#include "core/exec/sandbox.h"
#include "core/model/suite.h"
#include "probe/formats/paths.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
	MOST_KEPT = 10000,   /* turns, the newest ones */
	MOST_WRITTEN = 1000, /* paths that builds wrote */
};

static const int64_t NS_PER_S = 1000000000;

/* --- Turns --- */

static void push_turn(struct pe_outside *outside, const char *id, int64_t from_ns, int64_t to_ns,
		      unsigned kind)
{
	if (outside->turns.n == 0 || from_ns < outside->since_ns)
		outside->since_ns = from_ns;
	pe_vec_push(&outside->turns, ((struct pe_outside_turn){id, from_ns, to_ns, kind}));
}

void pe_outside_add_turn(struct pe_outside *outside, const char *id, int64_t from_ns, int64_t to_ns,
			 unsigned kind)
{
	struct pe_outside_turn *last =
		outside->turns.n > 0 ? &outside->turns.data[outside->turns.n - 1] : NULL;
	const char *known = NULL;

	if (last != NULL && strcmp(last->id, id) == 0 && last->kind == kind &&
	    from_ns >= last->from_ns) {
		last->to_ns = to_ns > last->to_ns ? to_ns : last->to_ns;
		return;
	}
	for (size_t i = outside->turns.n; known == NULL && i-- > 0;)
		if (strcmp(outside->turns.data[i].id, id) == 0)
			known = outside->turns.data[i].id;
	if (known == NULL)
		known = pe_arena_strdup(outside->arena, id);
	push_turn(outside, known, from_ns, to_ns, kind);
}

const char *pe_outside_id(const struct pe_outside *outside, const char *tree)
{
	for (size_t i = 0; tree != NULL && i < outside->slots->n; i++)
		if (strcmp(outside->slots->at[i].tree, tree) == 0 &&
		    outside->slots->at[i].id[0] != '\0')
			return outside->slots->at[i].id;
	return tree != NULL ? tree : "";
}

static bool is_python(const char *path)
{
	const size_t n = strlen(path);

	return n > 3 && strcmp(path + n - 3, ".py") == 0;
}

/* Whether builds or setups leave modules of Python. */
static bool leaves_python(const struct pe_outside *outside)
{
	for (size_t i = 0; i < outside->written.n; i++)
		if (is_python(outside->written.data[i]))
			return true;
	for (size_t i = 0; i < outside->reads.n; i++)
		for (size_t k = 0; k < outside->reads.data[i].files.n; k++)
			if (outside->reads.data[i].files.data[k].left &&
			    is_python(outside->reads.data[i].files.data[k].path))
				return true;
	return false;
}

int64_t pe_outside_begin_turn(const struct pe_outside *outside, const char *id, unsigned kind)
{
	const struct pe_outside_turn *last =
		outside->turns.n > 0 ? &outside->turns.data[outside->turns.n - 1] : NULL;
	const bool is_same = last == NULL || strcmp(last->id, id) == 0,
		   goes_on = last == NULL ||
			     (last->kind == kind && (kind == PE_OUTSIDE_RUN || is_same));
	int64_t from_ns = pe_clock_stamp_ns(), to_ns = goes_on ? 0 : last->to_ns,
		most_ns = PE_CLOCK_TICK_NS;

	if (kind != PE_OUTSIDE_RUN && !is_same && leaves_python(outside)) {
		to_ns = last->to_ns / NS_PER_S * NS_PER_S + NS_PER_S - 1;
		most_ns = NS_PER_S;
	}
	/* If the clock was set back, it is not waited for. */
	while (from_ns <= to_ns && to_ns - from_ns < most_ns) {
		nanosleep(&(struct timespec){.tv_nsec = 500 * 1000}, NULL);
		from_ns = pe_clock_stamp_ns();
	}
	return from_ns;
}

static int run_in_turn(struct pe_proc_result *out, const struct pe_proc_spec *spec, void *payload,
		       struct pe_err *err)
{
	struct pe_outside *outside = payload;
	const char *id = pe_outside_id(outside, spec->places[0]);
	const unsigned kind = spec->builds   ? PE_OUTSIDE_BUILD
			      : spec->leaves ? PE_OUTSIDE_SETUP
					     : PE_OUTSIDE_RUN;
	const int64_t from_ns = pe_outside_begin_turn(outside, id, kind);
	int rc = outside->inner.run(out, spec, outside->inner.payload, err);

	pe_outside_add_turn(outside, id, from_ns, pe_clock_file_ns(), kind);
	return rc;
}

struct pe_executor pe_outside_executor(struct pe_outside *outside, struct pe_executor inner)
{
	outside->inner = inner;
	return (struct pe_executor){run_in_turn, outside, inner.tree};
}

static bool is_named_thing(const char *path)
{
	return pe_path_below(path, PE_PATHS_IPC) != NULL ||
	       pe_path_below(path, PE_PATHS_SOCKET) != NULL;
}

/* Whether a turn is of a commit. NULL: any. */
static bool is_of(const struct pe_outside_turn *turn, const char *id)
{
	return id != NULL && strcmp(turn->id, id) == 0;
}

/* The latest build of a commit in this session; NULL: there was none. */
static const struct pe_outside_turn *last_build(const struct pe_outside *outside, const char *id)
{
	for (size_t i = outside->turns.n; i-- > 0;)
		if (outside->turns.data[i].kind == PE_OUTSIDE_BUILD &&
		    is_of(&outside->turns.data[i], id))
			return &outside->turns.data[i];
	return NULL;
}

/* When a benchmark's setup at a commit, or its build, ran last: from then on, objects without a time are its own. */
static int64_t made_at(const struct pe_outside *outside, const struct pe_outside_reads *reads,
		       const char *id)
{
	const struct pe_outside_turn *build = last_build(outside, id);
	int64_t made_ns = build != NULL ? build->to_ns : 0;

	for (size_t i = 0; i < reads->set_up.n; i++)
		if (is_of(&reads->set_up.data[i], id) && reads->set_up.data[i].to_ns > made_ns)
			made_ns = reads->set_up.data[i].to_ns;
	return made_ns;
}

/* Find a build or setup of another commit since a time. NULL: there was none. */
static const struct pe_outside_turn *foreign_since(const struct pe_outside *outside,
						   int64_t since_ns, const char *id)
{
	for (size_t i = outside->turns.n; i-- > 0;) {
		const struct pe_outside_turn *turn = &outside->turns.data[i];

		if (turn->kind != PE_OUTSIDE_RUN && turn->to_ns > since_ns && !is_of(turn, id))
			return turn;
	}
	return NULL;
}

/* Whether a turn was at a file's time. On file systems with times in seconds, the whole second counts. */
static bool is_at(const struct pe_outside_turn *turn, int64_t ctime_ns)
{
	const int64_t coarse = ctime_ns % NS_PER_S == 0 ? NS_PER_S : 1;

	return turn->from_ns / coarse <= ctime_ns / coarse && turn->to_ns >= ctime_ns;
}

/*
 * Find the turn at a file's time; NULL: there is none. Turns of several commits may overlap, as of builds side by side;
 * then one of another commit than `asks` is preferred.
 */
static const struct pe_outside_turn *turn_at(const struct pe_outside *outside, int64_t ctime_ns,
					     const char *asks)
{
	const struct pe_outside_turn *found = NULL;

	if (outside->turns.n == 0 || ctime_ns / NS_PER_S < outside->since_ns / NS_PER_S)
		return NULL;
	for (size_t i = outside->turns.n; i-- > 0;) {
		if (!is_at(&outside->turns.data[i], ctime_ns))
			continue;
		found = &outside->turns.data[i];
		if (!is_of(found, asks))
			break;
	}
	return found;
}

/* Of the turns of two files, NULL allowed: the first one, unless the second one alone is of another commit. */
static const struct pe_outside_turn *prefer(const struct pe_outside_turn *first,
					    const struct pe_outside_turn *second, const char *asks)
{
	return second != NULL && (first == NULL || is_of(first, asks)) ? second : first;
}

bool pe_outside_is_own(const struct pe_outside *outside, const char *tree, int64_t ctime_ns)
{
	const char *id = pe_outside_id(outside, tree);

	for (size_t i = outside->turns.n; i-- > 0;)
		if (is_at(&outside->turns.data[i], ctime_ns) && is_of(&outside->turns.data[i], id))
			return true;
	return false;
}

/* --- Reads --- */

static const char *name_of(const struct pe_benchmark *benchmark)
{
	return benchmark->suite != NULL ? benchmark->suite->name : benchmark->name;
}

/* Whether a folder is used by many programs: a change of its entries has no meaning. */
static bool is_wide(const char *path)
{
	static const char *const folders[] = {"/",         "/tmp/",     "/var/tmp/", "/run/",
					      "/dev/shm/", "/var/run/", "/home/"};
	const char *own[] = {getenv("HOME"), getenv("TMPDIR")};
	const size_t n = strlen(path) - 1;

	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++)
		if (strcmp(path, folders[i]) == 0)
			return true;
	for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
		if (own[i] != NULL && strlen(own[i]) == n && strncmp(path, own[i], n) == 0)
			return true;
	return false;
}

/* Whether a file only caches data of files that are tracked themselves, such as the paths of libraries. */
static bool says_nothing(const char *path)
{
	return strcmp(path, "/etc/ld.so.cache") == 0 || strstr(path, "/__pycache__/") != NULL;
}

static void add_file(struct pe_outside *outside, struct pe_outside_reads *reads, const char *path,
		     bool named)
{
	const size_t n = strlen(path);
	const bool listed = n > 1 && path[n - 1] == '/';

	if (says_nothing(path) || pe_path_below(path, outside->own) != NULL ||
	    (listed && is_wide(path)) ||
	    (outside->sandbox != NULL && pe_sandbox_is_own(outside->sandbox, path)))
		return;
	path = pe_arena_strndup(outside->arena, path, listed ? n - 1 : n);
	for (size_t i = 0; i < reads->files.n; i++)
		if (reads->files.data[i].listed == listed &&
		    strcmp(reads->files.data[i].path, path) == 0) {
			reads->files.data[i].named &= named;
			reads->files.data[i].guessed &= named;
			return;
		}
	pe_vec_push(&reads->files,
		    ((struct pe_outside_file){.path = path, .listed = listed, .named = named}));
}

/* Add the absolute paths in a text, and those below HOME. */
static void add_named(struct pe_outside *outside, struct pe_outside_reads *reads, const char *text)
{
	static const char parts[] = " \t\n;|&()<>\"'`=:,", *const homes[] = {"$HOME", "${HOME}",
									     "~"};
	const char *home = getenv("HOME");

	for (const char *at = text + strspn(text, parts); *at != '\0'; at += strspn(at, parts)) {
		const size_t n = strcspn(at, parts);

		if (*at == '/')
			add_file(outside, reads, pe_arena_strndup(outside->arena, at, n), true);
		for (size_t i = 0; home != NULL && i < sizeof(homes) / sizeof(*homes); i++) {
			const size_t m = strlen(homes[i]);

			if (n > m && strncmp(at, homes[i], m) == 0 && at[m] == '/')
				add_file(outside, reads,
					 pe_arena_printf(outside->arena, "%s%.*s", home,
							 (int)(n - m), at + m),
					 true);
		}
		at += n;
	}
}

static struct pe_outside_reads *reads_of(struct pe_outside *outside,
					 const struct pe_benchmark *benchmark)
{
	struct pe_outside_reads fresh = {.name = name_of(benchmark)};

	for (size_t i = 0; i < outside->reads.n; i++)
		if (strcmp(outside->reads.data[i].name, fresh.name) == 0)
			return &outside->reads.data[i];
	fresh.name = pe_arena_strdup(outside->arena, fresh.name);
	for (size_t i = 0; benchmark->command.argv != NULL && benchmark->command.argv[i] != NULL;
	     i++)
		add_named(outside, &fresh, benchmark->command.argv[i]);
	for (size_t i = 0; i < benchmark->env.n; i++)
		add_named(outside, &fresh, benchmark->env.at[i]);
	if (benchmark->input != NULL)
		add_named(outside, &fresh, benchmark->input);
	if (benchmark->cwd != NULL)
		add_named(outside, &fresh, benchmark->cwd);
	pe_vec_push(&outside->reads, fresh);
	return &outside->reads.data[outside->reads.n - 1];
}

void pe_outside_learn(struct pe_outside *outside, const struct pe_benchmark *benchmark,
		      const struct pe_dependencies *seen, bool stored)
{
	struct pe_outside_reads *reads = reads_of(outside, benchmark);

	reads->stored = stored && (!reads->known || reads->stored);
	reads->known = true;
	reads->whole |= seen->complete;
	for (size_t i = 0; i < seen->outside.n; i++)
		add_file(outside, reads, seen->outside.at[i], false);
	for (size_t i = 0; i < seen->written.n; i++)
		add_file(outside, reads, seen->written.at[i], true);
	for (size_t i = 0; i < reads->files.n; i++) {
		struct pe_outside_file *file = &reads->files.data[i];

		for (size_t k = 0; is_named_thing(file->path) && k < seen->written.n; k++)
			file->left |= strcmp(seen->written.at[k], file->path) == 0;
		for (size_t k = 0; is_named_thing(file->path) && k < outside->written.n; k++)
			file->left |= strcmp(outside->written.data[k], file->path) == 0;
	}
}

/* Whether a file is in a cache of a tool's, whose entries are keyed by content. */
static bool is_cache(const char *path)
{
	static const char *const names[] = {"/cache/", "/.cache/", "/ccache/", "/.ccache/",
					    "/pkg/mod/"};
	const char *home = getenv("HOME");
	const char *own[] = {getenv("XDG_CACHE_HOME"), getenv("CCACHE_DIR")};
	const size_t n = home != NULL ? strlen(home) : 0;
	bool cache = n > 0 && strncmp(path, home, n) == 0 && strncmp(path + n, "/.", 2) == 0 &&
		     strncmp(path + n, "/.local/", 8) != 0 && strchr(path + n + 2, '/') != NULL;

	for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
		cache |= own[i] != NULL && pe_path_below(path, own[i]) != NULL;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		cache |= strstr(path, names[i]) != NULL;
	/* bford.info/cachedir: a folder with this file is a cache. */
	for (const char *at = path; !cache && (at = strchr(at + 1, '/')) != NULL;) {
		pe_auto_text tag = PE_TEXT_INIT;

		pe_text_addf(&tag, "%.*s/CACHEDIR.TAG", (int)(at - path), path);
		cache = access(pe_text_str(&tag), F_OK) == 0;
	}
	return cache;
}

void pe_outside_learn_build(struct pe_outside *outside, const struct pe_dependencies *seen)
{
	for (size_t i = 0; i < seen->written.n && outside->written.n < MOST_WRITTEN; i++) {
		const char *path = seen->written.at[i];

		if (!pe_has_string(outside->written.data, outside->written.n, path) &&
		    !is_cache(path))
			pe_vec_push(&outside->written, pe_arena_strdup(outside->arena, path));
	}
}

/* Whether only a stored trace tells that a benchmark with a setup uses an object without a time. */
static bool may_be_left(const struct pe_outside_reads *reads, const struct pe_benchmark *benchmark)
{
	for (size_t i = 0; reads->stored && benchmark->setup.n > 0 && i < reads->files.n; i++)
		if (is_named_thing(reads->files.data[i].path))
			return true;
	return false;
}

bool pe_outside_wants_look(const struct pe_outside *outside, const struct pe_benchmark *benchmark)
{
	if (benchmark->setup.n == 0 && outside->written.n == 0)
		return false;
	for (size_t i = 0; i < outside->reads.n; i++)
		if (strcmp(outside->reads.data[i].name, name_of(benchmark)) == 0)
			return !outside->reads.data[i].known ||
			       may_be_left(&outside->reads.data[i], benchmark);
	return true;
}

/* Without a complete trace, assume that the benchmark reads all files that builds left. */
static void guess_files(struct pe_outside *outside, struct pe_outside_reads *reads)
{
	const size_t n = reads->files.n;

	for (size_t i = 0; !reads->whole && i < outside->written.n; i++)
		add_file(outside, reads, outside->written.data[i], true);
	for (size_t i = n; i < reads->files.n; i++)
		reads->files.data[i].guessed = true;
}

/* --- Checks --- */

static int64_t ctime_of(const struct stat *info)
{
	return (int64_t)info->st_ctim.tv_sec * NS_PER_S + info->st_ctim.tv_nsec;
}

/* Find the turn in which a folder's entries last changed, for a name that is gone; folders of many programs have none. */
static const struct pe_outside_turn *turn_of_names(const struct pe_outside *outside,
						   const char *path, const char *asks)
{
	pe_auto_text folder = PE_TEXT_INIT;
	struct stat info;

	pe_text_addn(&folder, path, (size_t)(strrchr(path, '/') + 1 - path));
	if (is_wide(pe_text_str(&folder)) || stat(pe_text_str(&folder), &info) != 0)
		return NULL;
	return turn_at(outside, ctime_of(&info), asks);
}

/* Find the turn in which a link on a path was last made. Another commit's is preferred, that of its build or setup first. */
static const struct pe_outside_turn *turn_of_links(const struct pe_outside *outside,
						   const char *path, const char *asks)
{
	const struct pe_outside_turn *found = NULL, *turn;
	pe_auto_text part = PE_TEXT_INIT;
	struct stat info;

	for (const char *at = path; (at = strchr(at + 1, '/')) != NULL;) {
		pe_text_clear(&part);
		pe_text_addn(&part, path, (size_t)(at - path));
		if (lstat(pe_text_str(&part), &info) != 0 || !S_ISLNK(info.st_mode))
			continue;
		turn = turn_at(outside, ctime_of(&info), asks);
		/* A run's link is only noted: it must not hide one that a build or setup left. */
		if (turn != NULL && !is_of(turn, asks) && turn->kind != PE_OUTSIDE_RUN)
			return turn;
		found = prefer(found, turn, asks);
	}
	return found;
}

/*
 * Somebody removed a file that a build of an earlier session left. A build of this session would have written it if it
 * still did.
 */
static const struct pe_outside_turn *turn_of_removal(const struct pe_outside *outside,
						     struct pe_outside_file *file, const char *asks)
{
	static const struct pe_outside_turn by_somebody = {.id = "/", .kind = PE_OUTSIDE_BUILD};

	if (file->guessed || (asks != NULL && last_build(outside, asks) != NULL) ||
	    !pe_has_string(outside->installed.data, outside->installed.n, file->path))
		return NULL;
	file->left = true;
	return &by_somebody;
}

/*
 * Find the turn in which a file was last written or removed, or a link on its way was made; NULL: there is none.
 *
 * @param asks  a commit: with overlapping turns, one of another commit is preferred; NULL: any
 */
static const struct pe_outside_turn *turn_of(const struct pe_outside *outside,
					     struct pe_outside_file *file, const char *asks)
{
	const struct pe_outside_turn *turn = NULL;
	const char *path = file->path;
	struct stat info;

	if (lstat(path, &info) != 0)
		return file->seen ? turn_of_names(outside, path, asks)
				  : turn_of_removal(outside, file, asks);
	file->seen = true;
	if (!S_ISDIR(info.st_mode) || file->listed)
		turn = turn_at(outside, ctime_of(&info), asks);
	if (S_ISLNK(info.st_mode) && stat(path, &info) == 0 && !S_ISDIR(info.st_mode))
		turn = prefer(turn, turn_at(outside, ctime_of(&info), asks), asks);
	turn = prefer(turn, turn_of_links(outside, path, asks), asks);
	file->left |= turn != NULL && turn->kind != PE_OUTSIDE_RUN;
	return turn;
}

/* Whether a file is to be checked. A path that only the command names is not, once a complete trace shows all reads. */
static bool counts(const struct pe_outside_reads *reads, const struct pe_outside_file *file)
{
	return !file->named || !reads->whole;
}

/* Whether a note is to be printed: it was not yet. */
static bool is_news(const struct pe_outside *outside, bool *noted)
{
	const bool news = !*noted && outside->app != NULL;

	*noted = true;
	return news;
}

/* Note an object without a time: a check cannot see whether the setup made it anew. */
static void note_named_thing(struct pe_outside *outside, struct pe_outside_reads *reads,
			     const char *path)
{
	if (is_news(outside, &reads->named_thing_noted))
		pe_app_note(
			outside->app,
			"%s uses %s, which its setup or build leaves and all commits share: both are run again before its runs wherever another commit's were since. They must make its state anew; what they find there and keep is another commit's",
			reads->name, path);
}

/*
 * Whether a guessed file is accepted: its own commit's build ran since, and did not write it again, so it is no reason to
 * refuse the run.
 */
static bool is_let_pass(struct pe_outside *outside, struct pe_outside_reads *reads,
			struct pe_outside_file *file, const char *id)
{
	const struct pe_outside_turn *build = last_build(outside, id);
	struct stat info;

	if (!file->guessed || lstat(file->path, &info) != 0 || build == NULL ||
	    build->from_ns <= ctime_of(&info))
		return false;
	if (is_news(outside, &reads->guess_noted))
		pe_app_note(
			outside->app,
			"cannot see what %s reads outside of its tree: if that is %s, which builds left there and all commits share, its values may be those of another commit",
			reads->name, file->path);
	return true;
}

static void note_runs(struct pe_outside *outside, struct pe_outside_reads *reads, const char *path)
{
	if (is_news(outside, &reads->noted))
		pe_app_note(
			outside->app,
			"%s reads %s, outside of its tree, which runs of other commits wrote: what they leave there may change its values. Let it lie below $PERFEVO_TREE, or remove it in 'prepare:'",
			reads->name, path);
}

static const char *find_foreign(const struct pe_benchmark *benchmark, const char *tree,
				struct pe_arena *arena, void *payload)
{
	struct pe_outside *outside = payload;
	struct pe_outside_reads *reads = reads_of(outside, benchmark);
	const char *id = pe_outside_id(outside, tree);
	struct stat info;

	guess_files(outside, reads);
	for (size_t i = 0; i < reads->files.n; i++) {
		struct pe_outside_file *file = &reads->files.data[i];
		const struct pe_outside_turn *turn = NULL;

		if (is_named_thing(file->path) && file->left) {
			note_named_thing(outside, reads, file->path);
			turn = foreign_since(outside, made_at(outside, reads, id), id);
		} else if (counts(reads, file)) {
			turn = turn_of(outside, file, id);
			/* The time of its folder does not tell who removed it once something else was written there. */
			if ((turn == NULL || is_of(turn, id)) && file->left &&
			    benchmark->setup.n > 0 && lstat(file->path, &info) != 0)
				turn = foreign_since(outside, made_at(outside, reads, id), id);
		}
		if (turn == NULL || is_of(turn, id))
			continue;
		if (!file->left)
			note_runs(outside, reads, file->path);
		if (!file->left || is_let_pass(outside, reads, file, id))
			continue;
		outside->found = file->path;
		return pe_arena_printf(
			arena,
			"%s reads %s, outside of its tree, which the commands of %s wrote last: all commits share it. Let builds and setups write below $PERFEVO_TREE (make install PREFIX=$PERFEVO_TREE/prefix), and the command read it there",
			reads->name, file->path,
			*turn->id == '/' ? "another build"
					 : pe_arena_printf(arena, "%.10s", turn->id));
	}
	return NULL;
}

static void set_up(const struct pe_benchmark *benchmark, const char *tree, void *payload)
{
	struct pe_outside *outside = payload;
	struct pe_outside_reads *reads = reads_of(outside, benchmark);
	const char *id = pe_outside_id(outside, tree);
	const int64_t now_ns = pe_clock_file_ns();

	/* The next setup may remove what this one left: then it is missed only if it was seen. */
	for (size_t i = 0; i < reads->files.n; i++)
		turn_of(outside, &reads->files.data[i], id);
	for (size_t i = 0; i < reads->set_up.n; i++)
		if (is_of(&reads->set_up.data[i], id)) {
			reads->set_up.data[i].to_ns = now_ns;
			return;
		}
	pe_vec_push(&reads->set_up, ((struct pe_outside_turn){pe_arena_strdup(outside->arena, id),
							      now_ns, now_ns, PE_OUTSIDE_SETUP}));
}

struct pe_outside_port pe_outside_port_of(struct pe_outside *outside)
{
	return (struct pe_outside_port){find_foreign, set_up, outside};
}

bool pe_outside_is_foreign(struct pe_outside *outside, const char *tree)
{
	const struct pe_config *config = outside->app->config;
	pe_auto_arena arena = PE_ARENA_INIT;
	bool foreign = false;

	for (size_t i = 0; !foreign && i < config->n_benchmarks; i++)
		foreign = find_foreign(&config->benchmarks[i], tree, &arena, outside) != NULL;
	return foreign;
}

const char *pe_outside_shared(struct pe_outside *outside, const struct pe_benchmark *benchmark)
{
	struct pe_outside_reads *reads = reads_of(outside, benchmark);

	guess_files(outside, reads);
	for (size_t i = 0; i < reads->files.n; i++) {
		struct pe_outside_file *file = &reads->files.data[i];

		if (is_named_thing(file->path)
			    ? file->left || may_be_left(reads, benchmark)
			    : counts(reads, file) && turn_of(outside, file, NULL) != NULL)
			return file->path;
	}
	return NULL;
}

/* --- Between sessions --- */

void pe_outside_open(struct pe_outside *out, const struct pe_app *app, const struct pe_slots *slots,
		     const char *own, struct pe_arena *arena)
{
	pe_auto_text text = PE_TEXT_INIT;

	*out = (struct pe_outside){.app = app,
				   .slots = slots,
				   .own = own,
				   .file = pe_arena_printf(arena, "%s/turns", own),
				   .arena = arena};
	if (pe_text_read_file(&text, out->file, NULL) != PE_OK)
		return;
	for (const char *line = pe_text_str(&text); *line != '\0';) {
		size_t n = strcspn(line, "\n");
		char *end;
		int64_t from_ns = strtoll(line, &end, 10), to_ns = strtoll(end, &end, 10);
		const char *rest;

		if (*end == ' ' && end < line + n) {
			rest = pe_arena_strndup(arena, end + 1, (size_t)(line + n - end - 1));
			if (to_ns == 0)
				pe_vec_push(&out->installed, rest);
			else
				/* Not joined with the turn before: there were runs between them. */
				push_turn(out, rest, from_ns, to_ns, PE_OUTSIDE_SETUP);
		}
		line += n + (line[n] == '\n');
	}
}

/* Append a path that builds left, as a line like those of turns, with no time. */
static void add_installed(struct pe_text *out, const char *path)
{
	if (strchr(path, '\n') == NULL)
		pe_text_addf(out, "0 0 %s\n", path);
}

void pe_outside_close(struct pe_outside *outside, bool keep)
{
	pe_auto_text text = PE_TEXT_INIT;
	size_t left = MOST_KEPT, first;

	for (first = outside->turns.n; first > 0 && left > 0; first--)
		left -= outside->turns.data[first - 1].kind != PE_OUTSIDE_RUN;
	for (size_t i = first; i < outside->turns.n; i++) {
		const struct pe_outside_turn *turn = &outside->turns.data[i];

		if (turn->kind != PE_OUTSIDE_RUN)
			pe_text_addf(&text, "%" PRId64 " %" PRId64 " %s\n", turn->from_ns,
				     turn->to_ns, turn->id);
	}
	for (size_t i = 0; i < outside->written.n; i++)
		if (access(outside->written.data[i], F_OK) == 0)
			add_installed(&text, outside->written.data[i]);
	for (size_t i = 0; i < outside->installed.n && outside->written.n + i < MOST_WRITTEN; i++)
		if (!pe_has_string(outside->written.data, outside->written.n,
				   outside->installed.data[i]))
			add_installed(&text, outside->installed.data[i]);
	if (keep && text.len > 0)
		pe_text_write_file(&text, outside->file, NULL);
	for (size_t i = 0; i < outside->reads.n; i++) {
		pe_vec_release(&outside->reads.data[i].files);
		pe_vec_release(&outside->reads.data[i].set_up);
	}
	pe_vec_release(&outside->reads);
	pe_vec_release(&outside->written);
	pe_vec_release(&outside->installed);
	pe_vec_release(&outside->turns);
}

/*
 * The lists of all processes become one list of touches in the order of time, each path followed through its
 * links as the kernel does. What comes first decides about a path: made, and it is a product of the run.
 *
 *   struct touch    a path below the tree, and what happened to it when
 *   struct reading  the lists while they are read
 */
/* realpath(3) is XSI. */
#define _XOPEN_SOURCE 700
#include "core/exec/dependencies.h"

#include "core/base/array.h"
#include "core/base/files.h"
#include "core/base/inside.h"
#include "core/base/search.h"
#include "core/base/sort.h"
#include "core/base/text.h"
#include "core/base/vec.h"
#include "core/base/walk.h"
#include "core/exec/alloc.h"
#include "probe/formats/alloc.h"
#include "probe/formats/paths.h"

#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_LINKS = 40 }; /* as the kernel has it */

static const uint64_t MOST_LIST_BYTES = (uint64_t)PE_PATHS_MAX * (PATH_MAX + 32);

struct touch {
	const char *path; /* relative; "." is the tree */
	uint64_t time_ns;
	char kind; /* enum pe_path_kind; READ sorts before MADE */
};

struct reading {
	const char *dir; /* of the lists */
	PE_VEC(struct touch) touches;
	PE_VEC(struct touch) outside; /* absolute */
	PE_VEC(const char *) written;
	const char *tree; /* without links */
	struct pe_arena *arena;
	const struct pe_watched *watched;
	size_t n_watched;
	bool *reported;     /* by watched command */
	const char *reason; /* the first why it is not complete */
	const char *impure; /* the first, too */
	bool cached;
};

static void not_complete(struct reading *reading, const char *reason)
{
	if (reading->reason == NULL)
		reading->reason = reason;
}

/* A path without links, relative to the tree; NULL: outside of the tree. */
static const char *relative(const struct reading *reading, const char *path)
{
	const char *below = pe_path_below(path, reading->tree);

	return below == NULL || *below != '\0' ? below : ".";
}

static void add_touch(struct reading *reading, char kind, uint64_t time_ns, const char *path)
{
	const char *below = relative(reading, path);

	/* The tree itself is always there. */
	if (below != NULL && !(kind == PE_PATH_READ && strcmp(below, ".") == 0))
		pe_vec_push(&reading->touches,
			    (struct touch){.path = pe_arena_strdup(reading->arena, below),
					   .time_ns = time_ns,
					   .kind = kind});
}

static void cut(struct pe_text *path, size_t n)
{
	path->len = n;
	path->data[n] = '\0';
}

/* Without the last component; the root has none. */
static void drop_last(struct pe_text *path)
{
	size_t n = path->len;

	while (n > 0 && path->data[n - 1] != '/')
		n--;
	if (n > 0)
		cut(path, n - 1);
}

/*
 * The path behind all links in another one, each link noted on the way. The last component of a path that
 * was made is not followed: it may be the link that was made.
 */
static void follow(struct pe_text *out, struct reading *reading, char kind, uint64_t time_ns,
		   const char *path)
{
	pe_auto_text rest = PE_TEXT_INIT, later = PE_TEXT_INIT;
	char target[PATH_MAX];
	size_t at = 0;
	unsigned links = 0;

	pe_text_clear(out);
	pe_text_add(&rest, path);
	while (at < rest.len) {
		size_t n = strcspn(rest.data + at, "/");
		size_t next = at + n + (rest.data[at + n] == '/');
		const char *part = rest.data + at;
		ssize_t size;

		at = next;
		if (n == 0 || (n == 1 && part[0] == '.'))
			continue;
		if (n == 2 && part[0] == '.' && part[1] == '.') {
			drop_last(out);
			continue;
		}
		pe_text_addc(out, '/');
		pe_text_addn(out, part, n);
		if (kind == PE_PATH_MADE && at >= rest.len)
			break;
		size = links < MAX_LINKS ? readlink(out->data, target, sizeof(target) - 1) : -1;
		if (size < 0)
			continue;
		links++;
		add_touch(reading, PE_PATH_READ, time_ns, out->data);
		drop_last(out);
		target[size] = '\0';
		if (*target == '/')
			cut(out, 0);
		pe_text_clear(&later);
		pe_text_add(&later, pe_inside_out(target, reading->tree, reading->arena));
		pe_text_addc(&later, '/');
		pe_text_add(&later, rest.data + at);
		pe_text_clear(&rest);
		pe_text_add(&rest, later.data);
		at = 0;
	}
}

/* All below a folder: that it was listed, and its files looked for. A link may have led out of the tree, to many files. */
static void add_walk(struct reading *reading, uint64_t time_ns, const char *folder)
{
	const char **names;
	struct stat info;

	if (relative(reading, folder) == NULL)
		return;
	names = pe_walk_names_of(folder, reading->arena);
	add_touch(reading, names != NULL ? PE_PATH_LISTED : PE_PATH_READ, time_ns, folder);
	for (; names != NULL && *names != NULL; names++) {
		const char *path = pe_arena_printf(reading->arena, "%s/%s", folder, *names);

		if (lstat(path, &info) == 0 && S_ISDIR(info.st_mode))
			add_walk(reading, time_ns, path);
		else
			add_touch(reading, PE_PATH_READ, time_ns, path);
	}
}

/*
 * Programs made with Go make their system calls themselves, unseen. The Go linker leaves a section that marks
 * them.
 */
static bool has_go_section(int fd, const Elf64_Ehdr *header)
{
	char name[sizeof(".go.buildinfo")] = "";
	Elf64_Shdr names, section;

	if (pread(fd, &names, sizeof(names),
		  (off_t)(header->e_shoff + (uint64_t)header->e_shstrndx * sizeof(names))) !=
	    (ssize_t)sizeof(names))
		return false;
	for (unsigned i = 0; i < header->e_shnum; i++) {
		if (pread(fd, &section, sizeof(section),
			  (off_t)(header->e_shoff + i * sizeof(section))) !=
			    (ssize_t)sizeof(section) ||
		    pread(fd, name, sizeof(name), (off_t)(names.sh_offset + section.sh_name)) <= 0)
			return false;
		name[sizeof(name) - 1] = '\0';
		if (strcmp(name, ".go.buildinfo") == 0)
			return true;
	}
	return false;
}

static bool is_go(const char *path)
{
	pe_auto_fd fd = pe_files_open_found(path, 0);
	Elf64_Ehdr header;

	return fd >= 0 && pread(fd, &header, sizeof(header), 0) == (ssize_t)sizeof(header) &&
	       memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
	       header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_shentsize == sizeof(Elf64_Shdr) &&
	       has_go_section(fd, &header);
}

/* Programs that tell what no file of the tree does: the commit, its tags, the time. */
static bool asks_elsewhere(const char *program)
{
	static const char *const names[] = {"git", "hg", "svn", "fossil", "bzr", "date"};

	return pe_has_string(names, sizeof(names) / sizeof(*names), program);
}

static void check_program(struct reading *reading, const char *path)
{
	const char *name = strrchr(path, '/') + 1;

	if (is_go(path))
		not_complete(
			reading,
			pe_arena_printf(
				reading->arena, "'%s' is a Go program, which opens files unseen",
				relative(reading, path) != NULL ? relative(reading, path) : path));
	if (reading->impure == NULL && asks_elsewhere(name))
		reading->impure = pe_arena_printf(reading->arena, "it asks '%s'", name);
	reading->cached |= strcmp(name, "ccache") == 0 || strcmp(name, "sccache") == 0;
}

/* What only a superuser may write is no commit's, unless it is his who asks. */
static bool may_be_written(const char *path, struct pe_arena *arena)
{
	const char *slash = strrchr(path, '/');

	return access(path, W_OK) == 0 ||
	       access(slash == path ? "/" : pe_arena_strndup(arena, path, (size_t)(slash - path)),
		      W_OK) == 0;
}

/* No file: only the process that named it can tell whose it is. */
static bool is_named_thing(const char *path)
{
	return strncmp(path, PE_PATHS_IPC, strlen(PE_PATHS_IPC)) == 0 ||
	       strncmp(path, PE_PATHS_SOCKET, strlen(PE_PATHS_SOCKET)) == 0;
}

static void add_outside(struct reading *reading, char kind, uint64_t time_ns, const char *path)
{
	/* A build has no setup. */
	const uint64_t set_up_ns = reading->n_watched > 0 ? reading->watched[0].set_up_ns : 0;
	struct stat info;

	/* The kernel's name of a deleted file, such as the output of the run: no other process can open it by that. */
	if (pe_ends_in(path, " (deleted)"))
		return;
	if ((kind == PE_PATH_WROTE || (is_named_thing(path) && set_up_ns > 0)) &&
	    (set_up_ns == 0 || time_ns < set_up_ns)) {
		if (is_named_thing(path))
			pe_vec_push(&reading->written, pe_arena_strdup(reading->arena, path));
		else if (lstat(path, &info) == 0 && !S_ISDIR(info.st_mode))
			pe_vec_push(&reading->written, pe_arena_strdup(reading->arena, path));
		return;
	}
	if (set_up_ns == 0)
		return;
	if (kind == PE_PATH_SEARCHED)
		path = pe_arena_printf(reading->arena, "%s/", path);
	if (is_named_thing(path) || may_be_written(path, reading->arena))
		pe_vec_push(&reading->outside,
			    (struct touch){.path = pe_arena_strdup(reading->arena, path),
					   .time_ns = time_ns,
					   .kind = kind});
}

static bool is_outside(char kind)
{
	return kind == PE_PATH_USED || kind == PE_PATH_SEARCHED || kind == PE_PATH_WROTE;
}

static void add_entry(struct reading *reading, char kind, uint64_t time_ns, const char *path)
{
	pe_auto_text real = PE_TEXT_INIT;

	if (*path != '/')
		return;
	if (is_outside(kind)) {
		add_outside(reading, kind, time_ns, path);
		return;
	}
	path = pe_inside_out(path, reading->tree, reading->arena);
	if (kind == PE_PATH_PROGRAM)
		check_program(reading, path);
	follow(&real, reading, kind, time_ns, path);
	if (kind == PE_PATH_WALKED)
		add_walk(reading, time_ns, pe_text_str(&real));
	else
		add_touch(reading, kind, time_ns, pe_text_str(&real));
}

/* Nothing but what the library writes is read: somebody else may have placed a link or more than any list is. */
static int read_list(struct pe_text *text, struct reading *reading, const char *file,
		     struct pe_err *err)
{
	pe_auto_fd fd = pe_files_open_placed_in(reading->dir, file, MOST_LIST_BYTES);

	if (fd >= 0 && pe_text_read_fd(text, fd) == 0)
		return PE_OK;
	if (fd >= 0 || (errno != EFBIG && errno != EINVAL && errno != ELOOP))
		return pe_fail_errno(err, "cannot read %s/%s", reading->dir, file);
	not_complete(reading, errno == EFBIG
				      ? "a list of the files it opened is larger than any list is"
				      : "something else is in place of a list of its files");
	return PE_OK;
}

static int read_paths(struct reading *reading, const char *file, struct pe_err *err)
{
	pe_auto_text text = PE_TEXT_INIT;
	struct pe_path_entry entry;

	PE_TRY(read_list(&text, reading, file, err));
	for (size_t at = 0; at < text.len; at += entry.size) {
		if (text.len - at >= sizeof(entry))
			memcpy(&entry, text.data + at, sizeof(entry));
		else
			entry = (struct pe_path_entry){.magic = PE_PATHS_MAGIC};
		at += sizeof(entry);
		if (entry.magic != PE_PATHS_MAGIC)
			return pe_fail(err, PE_EUNSUPPORTED,
				       "%s was written by another version of libperfevo_rt.so",
				       file);
		if (entry.size < 3 || at > text.len || entry.size > text.len - at ||
		    text.data[at + entry.size - 1] != '\0') {
			not_complete(reading, "a list of the files it opened is cut short");
			break;
		}
		add_entry(reading, text.data[at], entry.time_ns, text.data + at + 1);
	}
	return PE_OK;
}

static void judge_flags(struct reading *reading, uint32_t flags, const char *program)
{
	const char *what = NULL;

	if ((flags & PE_ALLOC_PATHS) == 0)
		what = "was not watched";
	else if ((flags & PE_ALLOC_PATHS_LOST) != 0)
		what = "opened more files than can be listed, or the list could not be written";
	else if ((flags & PE_ALLOC_PATHS_UNSEEN) != 0)
		what = "can open files unseen";
	if (what != NULL)
		not_complete(reading, pe_arena_printf(reading->arena, "'%s' %s", program, what));
	if ((flags & PE_ALLOC_CONNECTED) != 0 && reading->impure == NULL)
		reading->impure = pe_arena_printf(
			reading->arena, "'%s' speaks to another process or machine", program);
}

/* The watched command whose record it is has reported. */
static void note_report(struct reading *reading, const struct pe_alloc_record *record)
{
	size_t i = reading->n_watched;

	while (i > 0 && record->started_ns < reading->watched[i - 1].from_ns)
		i--;
	if (i > 0 && (int)record->pid == reading->watched[i - 1].pid &&
	    (record->flags & PE_ALLOC_FORKED) == 0)
		reading->reported[i - 1] = true;
}

/* The record's note about the list. */
static void see_record(const struct pe_alloc_record *record, void *payload)
{
	judge_flags(payload, record->flags, record->program);
	note_report(payload, record);
}

static int read_lists(struct reading *reading, struct pe_err *err)
{
	const char **names = pe_walk_names_of(reading->dir, reading->arena);

	if (names == NULL)
		return pe_fail_errno(err, "cannot read the lists of files in %s", reading->dir);
	for (; *names != NULL; names++)
		if (pe_ends_in(*names, PE_PATHS_SUFFIX))
			PE_TRY(read_paths(reading, *names, err));
	return PE_OK;
}

/* A file given as stdin is opened before the program starts, where its list does not have it, nor links on the way. */
static void add_inputs(struct reading *reading)
{
	for (size_t i = 0; i < reading->n_watched; i++)
		if (reading->watched[i].input != NULL)
			add_entry(reading, PE_PATH_READ, 0,
				  pe_arena_printf(reading->arena, "%s/%s", reading->tree,
						  reading->watched[i].input));
}

PE_SORT_BY(compare_touches, struct touch, path, time_ns, kind);

bool pe_strings_have(const struct pe_strings *sorted, const char *path)
{
	return sorted->n > 0 &&
	       bsearch(&path, sorted->at, sorted->n, sizeof(*sorted->at), pe_string_order) != NULL;
}

/* Whether sorted paths have the first n bytes of another one. */
static bool have_part(const struct pe_strings *sorted, const char *path, size_t n)
{
	size_t at = 0;

	pe_search(at, sorted->n, i, strncmp(sorted->at[i], path, n) < 0);
	/* The part itself comes before what it begins. */
	return at < sorted->n && strncmp(sorted->at[at], path, n) == 0 && sorted->at[at][n] == '\0';
}

bool pe_strings_have_above(const struct pe_strings *sorted, const char *path)
{
	for (const char *end = path; *end != '\0';) {
		end += strcspn(end + 1, "/") + 1;
		if (have_part(sorted, path, (size_t)(end - path)))
			return true;
	}
	return false;
}

/* Files in a folder that is made anew are made with it. */
static struct pe_strings topmost(const struct pe_strings *made, struct pe_arena *arena)
{
	const char **at = pe_arena_new(arena, const char *, made->n + 1);
	struct pe_strings out = {at, 0};

	/* Sorted: a folder comes before what is in it, though others may come between. */
	for (size_t i = 0; i < made->n; i++)
		if (!pe_strings_have_above(&out, made->at[i]))
			at[out.n++] = made->at[i];
	return out;
}

static bool is_python_cache(const char *path)
{
	static const char name[] = "__pycache__";
	const char *at = strstr(path, name);

	return at != NULL && (at == path || at[-1] == '/') &&
	       (at[sizeof(name) - 1] == '/' || at[sizeof(name) - 1] == '\0');
}

/* The paths whose first touch is one of some kinds (or, with any, one of whose touches is). */
static struct pe_strings choose(const struct reading *reading, const char *kinds, bool any,
				const struct pe_strings *made, const struct pe_strings *except)
{
	const bool within = strchr(kinds, PE_PATH_USED) == NULL;
	const struct touch *all = within ? reading->touches.data : reading->outside.data;
	size_t n = within ? reading->touches.n : reading->outside.n, found = 0;
	const char **at = pe_arena_new(reading->arena, const char *, n + 1);

	for (size_t i = 0, end; i < n; i = end) {
		bool chosen = false;

		for (end = i; end < n && strcmp(all[end].path, all[i].path) == 0; end++)
			if (end == i || any)
				chosen |= strchr(kinds, all[end].kind) != NULL;
		if (chosen && !is_python_cache(all[i].path) &&
		    !(made != NULL && pe_strings_have_above(made, all[i].path)) &&
		    !(except != NULL && pe_strings_have(except, all[i].path)))
			at[found++] = all[i].path;
	}
	return (struct pe_strings){at, found};
}

static void sum_up(struct pe_dependencies *out, const struct reading *reading)
{
	static const char made[] = {PE_PATH_MADE, '\0'}, programs[] = {PE_PATH_PROGRAM, '\0'};
	static const char files[] = {PE_PATH_READ, '\0'}, folders[] = {PE_PATH_LISTED, '\0'};

	static const char outside[] = {PE_PATH_USED, PE_PATH_SEARCHED, '\0'};

	pe_sort(reading->outside.data, reading->outside.n, compare_touches);
	pe_sort(reading->touches.data, reading->touches.n, compare_touches);
	out->written = (struct pe_strings){pe_vec_copy(reading->arena, &reading->written),
					   reading->written.n};
	out->outside = choose(reading, outside, false, NULL, NULL);
	out->made = choose(reading, made, false, NULL, NULL);
	out->made = topmost(&out->made, reading->arena);
	out->programs = choose(reading, programs, true, &out->made, NULL);
	out->folders = choose(reading, folders, true, &out->made, NULL);
	out->files = choose(reading, files, true, &out->made, &out->programs);
}

int pe_dependencies_collect(struct pe_dependencies *out, const char *dir, const char *tree,
			    const struct pe_watched *watched, size_t n, struct pe_arena *arena,
			    struct pe_err *err)
{
	struct reading reading = {.dir = dir,
				  .arena = arena,
				  .watched = watched,
				  .n_watched = n,
				  .reported = pe_arena_new(arena, bool, n)};
	struct pe_alloc_cost cost;
	pe_auto_free char *real = NULL;
	int rc;

	*out = (struct pe_dependencies){0};
	PE_TRY(pe_alloc_collect(&cost, dir, see_record, &reading, err));
	real = realpath(tree, NULL);
	if (real == NULL)
		return pe_fail_errno(err, "cannot find the tree %s", tree);
	reading.tree = pe_arena_strdup(arena, real);
	if (cost.missing > 0)
		reading.reason = pe_arena_printf(arena, "'%s' was started and could not be watched",
						 cost.missing_name);
	add_inputs(&reading);
	rc = read_lists(&reading, err);
	for (size_t i = 0; rc == PE_OK && i < n; i++)
		if (!reading.reported[i])
			not_complete(&reading, "the command itself could not be watched");
	if (rc == PE_OK)
		sum_up(out, &reading);
	out->reason = reading.reason;
	out->impure = reading.impure;
	out->cached = reading.cached;
	out->complete = rc == PE_OK && reading.reason == NULL;
	pe_vec_release(&reading.touches);
	pe_vec_release(&reading.outside);
	pe_vec_release(&reading.written);
	return rc;
}

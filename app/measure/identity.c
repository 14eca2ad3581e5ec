#include "app/measure/identity.h"

#include "core/base/array.h"
#include "core/base/inside.h"
#include "core/base/text.h"
#include "analysis/methods/code.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef PE_VEC(const char *) names;

/* --- Parts --- */

/* Full pieces, whatever read(2) gives at once: they decide the digest. */
static ssize_t read_piece(int fd, char *bytes, size_t n)
{
	size_t have = 0;
	ssize_t got = 1;

	while (have < n && got > 0) {
		got = read(fd, bytes + have, n - have);
		have += got > 0 ? (size_t)got : 0;
	}
	return got < 0 ? got : (ssize_t)have;
}

static int hash_content(struct pe_xxh *hash, const char *path, struct pe_err *err)
{
	char bytes[64 * 1024];
	uint64_t size = 0;
	ssize_t got;
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		return pe_fail_errno(err, "cannot read %s", path);
	while ((got = read_piece(fd, bytes, sizeof(bytes))) > 0) {
		pe_xxh_bytes(hash, bytes, (size_t)got);
		size += (uint64_t)got;
	}
	pe_xxh_number(hash, size);
	close(fd);
	return got < 0 ? pe_fail_errno(err, "cannot read %s", path) : PE_OK;
}

/* A file as a program finds it: following links, absent, a folder, or its content. */
static int hash_file(struct pe_xxh *hash, const char *path, struct pe_err *err)
{
	struct stat info;

	if (stat(path, &info) < 0) {
		pe_xxh_string(hash, errno == ENOENT || errno == ENOTDIR ? "absent" : "unreadable");
		return PE_OK;
	}
	pe_xxh_number(hash, info.st_mode & (S_IFMT | S_IXUSR));
	return S_ISREG(info.st_mode) ? hash_content(hash, path, err) : PE_OK;
}

static int hash_program(struct pe_xxh *hash, const char *path, const char *tree, struct pe_err *err)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	struct pe_program program;
	struct pe_err why = PE_ERR_INIT;
	int rc = pe_code_read(&program, path, tree, &arena, &why);

	if (rc == PE_OK) {
		pe_xxh_number(hash, program.identity.high);
		pe_xxh_number(hash, program.identity.low);
	} else {
		/* A script, something absent, or something that cannot be read: by content. */
		rc = hash_file(hash, path, err);
	}
	return rc;
}

static bool is_among(const struct pe_strings *paths, const char *path)
{
	for (size_t i = 0; i < paths->n; i++)
		if (strcmp(paths->at[i], path) == 0)
			return true;
	return false;
}

/* A name in a listed folder that is the run's own doing, or an interpreter's. */
static bool is_product(const struct pe_dependencies *touched, const char *folder, const char *name)
{
	pe_auto_text path = PE_TEXT_INIT;

	if (strcmp(name, "__pycache__") == 0)
		return true;
	if (strcmp(folder, ".") != 0)
		pe_text_addf(&path, "%s/", folder);
	pe_text_add(&path, name);
	return is_among(&touched->made, path.data);
}

static void hash_folder(struct pe_xxh *hash, const struct pe_dependencies *touched,
			const char *folder, const char *path)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	pe_auto_free names found = {NULL, 0, 0};
	const struct dirent *entry;
	DIR *dir = opendir(path);

	if (dir == NULL) {
		pe_xxh_string(hash, "absent");
		return;
	}
	while ((entry = readdir(dir)) != NULL)
		if (!is_product(touched, folder, entry->d_name))
			pe_vec_push(&found, pe_arena_strdup(&arena, entry->d_name));
	closedir(dir);
	if (found.n > 0) /* qsort(3) takes no null pointer */
		qsort(found.data, found.n, sizeof(*found.data), pe_string_order);
	for (size_t i = 0; i < found.n; i++)
		pe_xxh_string(hash, found.data[i]);
}

/* What is asked of a tree. */
struct question {
	const struct pe_dependencies *touched;
	const struct pe_executed *executed; /* NULL: programs count whole */
	struct pe_executed_trees *trees;
	const char *tree;
};

static int add_program(struct pe_xxh *hash, const struct question *question, const char *program,
		       const char *path, struct pe_err *err)
{
	const struct pe_executed_program *seen =
		question->executed != NULL ? pe_executed_find(question->executed, program) : NULL;
	int rc;

	pe_xxh_string(hash, program);
	if (seen == NULL)
		return hash_program(hash, path, question->tree, err);
	rc = pe_executed_hash(hash, question->trees, seen, question->tree, err);
	/* One that reads its own file. */
	return rc == PE_OK && seen->opened[0] ? hash_file(hash, path, err) : rc;
}

/* By its name: "libz.so", "libz.so.1.3". */
static bool is_library(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *suffix = strstr(slash != NULL ? slash : path, ".so");

	return suffix != NULL && (suffix[3] == '\0' || suffix[3] == '.');
}

static int add_file(struct pe_xxh *hash, const struct question *question, const char *file,
		    const char *path, struct pe_err *err)
{
	/* A shell looks for the program it starts: what counts is its code, which is in already. */
	if (is_among(&question->touched->programs, file))
		return PE_OK;
	pe_xxh_string(hash, file);
	if (question->executed != NULL &&
	    pe_executed_covers(question->executed, question->tree, file))
		return PE_OK;
	/* The linker writes into a library where it was built. */
	return is_library(file) ? hash_program(hash, path, question->tree, err)
				: hash_file(hash, path, err);
}

/* Where a path of the tree leads; links may lead to the tree as commands saw it. */
static const char *find(const struct question *question, const char *path, struct pe_arena *arena)
{
	return pe_inside_file(pe_arena_printf(arena, "%s/%s", question->tree, path), question->tree,
			      arena);
}

static int answer(char text[PE_XXH_TEXT], const struct question *question, struct pe_err *err)
{
	const struct pe_dependencies *touched = question->touched;
	pe_auto_arena arena = PE_ARENA_INIT;
	struct pe_xxh hash;
	int rc = PE_OK;

	pe_xxh_init(&hash);
	for (size_t i = 0; rc == PE_OK && i < touched->programs.n; i++)
		rc = add_program(&hash, question, touched->programs.at[i],
				 find(question, touched->programs.at[i], &arena), err);
	for (size_t i = 0; rc == PE_OK && i < touched->files.n; i++)
		rc = add_file(&hash, question, touched->files.at[i],
			      find(question, touched->files.at[i], &arena), err);
	for (size_t i = 0; rc == PE_OK && i < touched->folders.n; i++) {
		pe_xxh_string(&hash, touched->folders.at[i]);
		hash_folder(&hash, touched, touched->folders.at[i],
			    find(question, touched->folders.at[i], &arena));
	}
	pe_xxh_write(&hash, text);
	return rc;
}

int pe_identity_of(char text[PE_XXH_TEXT], const struct pe_dependencies *touched, const char *tree,
		   struct pe_err *err)
{
	const struct question question = {.touched = touched, .tree = tree};

	return answer(text, &question, err);
}

int pe_identity_of_executed(char text[PE_XXH_TEXT], const struct pe_dependencies *touched,
			    const struct pe_executed *executed, struct pe_executed_trees *trees,
			    const char *tree, struct pe_err *err)
{
	const struct question question = {touched, executed, trees, tree};

	return answer(text, &question, err);
}

/* --- As lines --- */

static void pack(struct pe_text *text, char kind, const struct pe_strings *paths)
{
	for (size_t i = 0; i < paths->n; i++)
		pe_text_addf(text, "%c %s\n", kind, paths->at[i]);
}

const char *pe_dependencies_pack(const struct pe_dependencies *touched, struct pe_arena *arena)
{
	pe_auto_text text = PE_TEXT_INIT;

	pack(&text, 'P', &touched->programs);
	pack(&text, 'F', &touched->files);
	pack(&text, 'D', &touched->folders);
	pack(&text, 'M', &touched->made);
	return pe_arena_strdup(arena, pe_text_str(&text));
}

static void take(struct pe_strings *out, names *from, struct pe_arena *arena)
{
	const char **copy = pe_vec_copy(arena, from);

	*out = (struct pe_strings){copy, from->n};
	pe_vec_release(from);
}

void pe_dependencies_unpack(struct pe_dependencies *out, const char *lines, struct pe_arena *arena)
{
	names programs = {NULL, 0, 0}, files = {NULL, 0, 0}, folders = {NULL, 0, 0};
	names made = {NULL, 0, 0};

	*out = (struct pe_dependencies){.complete = true};
	while (*lines != '\0') {
		size_t n = strcspn(lines, "\n");
		names *to = lines[0] == 'P'   ? &programs
			    : lines[0] == 'F' ? &files
			    : lines[0] == 'D' ? &folders
					      : &made;

		if (n > 2)
			pe_vec_push(to, pe_arena_strndup(arena, lines + 2, n - 2));
		lines += n + (lines[n] == '\n');
	}
	take(&out->programs, &programs, arena);
	take(&out->files, &files, arena);
	take(&out->folders, &folders, arena);
	take(&out->made, &made, arena);
}

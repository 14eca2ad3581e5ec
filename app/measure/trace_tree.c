/* The resolvers that hash a built tree: all items of a trace, or of programs only the entered functions. */
#define _XOPEN_SOURCE 700 /* S_IFMT */
#include "app/measure/trace.h"

#include "core/base/array.h"
#include "core/base/files.h"
#include "core/base/inside.h"
#include "core/base/sort.h"
#include "core/base/text.h"
#include "analysis/methods/code.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIECE_BYTES = 64 * 1024 };

/* Limit for all files of a hash together. It suffices for the output of builds. */
static const uint64_t MOST_BYTES = UINT64_C(4) << 30;

/* A hash in progress. */
struct question {
	const struct pe_dependencies *touched;
	const struct pe_executed *executed; /* NULL: whole programs are hashed */
	struct pe_executed_trees *opened;   /* if `executed` is not NULL */
	const char *tree;
	const volatile sig_atomic_t *interrupts;
	uint64_t bytes; /* read so far */
};

static int spend(struct question *question, uint64_t bytes, struct pe_err *err)
{
	question->bytes += bytes;
	if (question->interrupts != NULL && *question->interrupts > 0)
		return pe_fail(err, PE_ESTOPPED,
			       "stopped while reading what a benchmark depends on");
	return question->bytes > MOST_BYTES
		       ? pe_fail(err, PE_EUNSUPPORTED,
				 "it depends on more than %d GiB of files, which are not compared",
				 (int)(MOST_BYTES >> 30))
		       : PE_OK;
}

/* Read a full piece, even if read(2) returns less at once: the digest depends on the pieces. */
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

static int hash_open(struct pe_xxh *hash, int fd, struct question *question, const char *path,
		     struct pe_err *err)
{
	char bytes[PIECE_BYTES];
	uint64_t size = 0;
	ssize_t got;

	do {
		got = read_piece(fd, bytes, sizeof(bytes));
		if (got < 0)
			return pe_fail_errno(err, "cannot read %s", path);
		pe_xxh_bytes(hash, bytes, (size_t)got);
		size += (size_t)got;
		PE_TRY(spend(question, (uint64_t)got, err));
	} while (got > 0);
	pe_xxh_number(hash, size);
	return PE_OK;
}

/* Hash a file as a program sees it: links followed, absent, a folder, or its content. */
static int hash_file(struct pe_xxh *hash, const char *path, struct question *question,
		     struct pe_err *err)
{
	struct stat info;
	pe_auto_fd fd = -1;

	if (stat(path, &info) < 0) {
		pe_xxh_string(hash, errno == ENOENT || errno == ENOTDIR ? "absent" : "unreadable");
		return PE_OK;
	}
	pe_xxh_number(hash, info.st_mode & (S_IFMT | S_IXUSR));
	if (!S_ISREG(info.st_mode))
		return PE_OK;
	fd = pe_files_open_found(path, 0);
	return fd >= 0 ? hash_open(hash, fd, question, path, err)
		       : pe_fail_errno(err, "cannot read %s", path);
}

/* Count the size of an ELF file, which is read whole. */
static int spend_file(struct question *question, const char *path, struct pe_err *err)
{
	struct stat info;

	return spend(question, stat(path, &info) == 0 ? (uint64_t)info.st_size : 0, err);
}

static int hash_program(struct pe_xxh *hash, const char *path, struct question *question,
			struct pe_err *err)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	const struct pe_strings programs = {&path, 1};
	struct pe_program program;
	struct pe_err why = PE_ERR_INIT;
	bool read;

	/* Scripts, absent and unreadable files are hashed by content. */
	if (pe_code_read(&program, &read, &programs, question->tree, &arena, &why) != PE_OK)
		return hash_file(hash, path, question, err);
	pe_xxh_number(hash, program.identity.high);
	pe_xxh_number(hash, program.identity.low);
	return spend_file(question, path, err);
}

/* Whether a name in a listed folder was made by the run, or by an interpreter. */
static bool is_product(const struct pe_dependencies *touched, const char *folder, const char *name)
{
	pe_auto_text path = PE_TEXT_INIT;

	if (strcmp(name, "__pycache__") == 0)
		return true;
	if (strcmp(folder, ".") != 0)
		pe_text_addf(&path, "%s/", folder);
	pe_text_add(&path, name);
	return pe_strings_have(&touched->made, path.data);
}

static void hash_folder(struct pe_xxh *hash, const struct pe_dependencies *touched,
			const char *folder, const char *path)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	pe_auto_free PE_VEC(const char *) found = {NULL, 0, 0};
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
	pe_sort(found.data, found.n, pe_string_order);
	for (size_t i = 0; i < found.n; i++)
		pe_xxh_string(hash, found.data[i]);
}

static int add_program(struct pe_xxh *hash, struct question *question, const char *program,
		       const char *path, struct pe_err *err)
{
	const struct pe_executed_program *seen =
		question->executed != NULL ? pe_executed_find(question->executed, program) : NULL;

	pe_xxh_string(hash, program);
	if (seen == NULL)
		return hash_program(hash, path, question, err);
	PE_TRY(pe_executed_hash(hash, question->opened, seen, question->tree, err));
	/* The program also reads its own file. */
	return seen->opened[0] ? hash_file(hash, path, question, err) : PE_OK;
}

/* Whether a name is that of a library: "libz.so", "libz.so.1.3". */
static bool is_library(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *suffix = strstr(slash != NULL ? slash : path, ".so");

	return suffix != NULL && (suffix[3] == '\0' || suffix[3] == '.');
}

static int add_file(struct pe_xxh *hash, struct question *question, const char *file,
		    const char *path, struct pe_err *err)
{
	/* A shell searches for the program it starts; its code is hashed already. */
	if (pe_strings_have(&question->touched->programs, file))
		return PE_OK;
	pe_xxh_string(hash, file);
	if (question->executed != NULL &&
	    pe_executed_covers(question->executed, question->tree, file))
		return PE_OK;
	/* The linker writes the path of the build into a library, which only normalising removes. */
	return is_library(file) ? hash_program(hash, path, question, err)
				: hash_file(hash, path, question, err);
}

/* Resolve a path of the tree; links may refer to the tree's path as commands saw it. */
static const char *find(const struct question *question, const char *path, struct pe_arena *arena)
{
	return pe_inside_file(pe_arena_printf(arena, "%s/%s", question->tree, path), question->tree,
			      arena);
}

static int answer(char text[PE_XXH_TEXT], struct question *question, struct pe_err *err)
{
	const struct pe_dependencies *touched = question->touched;
	pe_auto_arena arena = PE_ARENA_INIT;
	struct pe_xxh hash;

	pe_xxh_init(&hash);
	for (size_t i = 0; i < touched->programs.n; i++)
		PE_TRY(add_program(&hash, question, touched->programs.at[i],
				   find(question, touched->programs.at[i], &arena), err));
	for (size_t i = 0; i < touched->files.n; i++)
		PE_TRY(add_file(&hash, question, touched->files.at[i],
				find(question, touched->files.at[i], &arena), err));
	for (size_t i = 0; i < touched->folders.n; i++) {
		pe_xxh_string(&hash, touched->folders.at[i]);
		hash_folder(&hash, touched, touched->folders.at[i],
			    find(question, touched->folders.at[i], &arena));
	}
	pe_xxh_write(&hash, text);
	return PE_OK;
}

int pe_trace_hash(char text[PE_XXH_TEXT], const struct pe_trace *trace, enum pe_resolver resolver,
		  struct pe_executed_trees *opened, const char *tree,
		  const volatile sig_atomic_t *interrupts, struct pe_err *err)
{
	const bool by_code = resolver == PE_BY_CODE;
	pe_auto_arena arena = PE_ARENA_INIT;
	struct question question = {
		.touched = &trace->touched,
		.executed = by_code ? &trace->executed : NULL,
		.opened = by_code && opened == NULL ? pe_executed_trees_new(&arena) : opened,
		.tree = tree,
		.interrupts = interrupts,
	};
	int rc = answer(text, &question, err);

	if (question.opened != opened)
		pe_executed_trees_close(question.opened);
	return rc;
}

/* Scratch: a folder of a test's own, with files made on the spot. It goes away with scratch_release(). */
#pragma once

#include "core/base/arena.h"

struct scratch {
	struct pe_arena arena;
	char *dir; /* absolute, without symbolic links */
};

void scratch_init(struct scratch *scratch);
void scratch_release(struct scratch *scratch);

/* A path in the folder. */
const char *scratch_path(struct scratch *scratch, const char *path);

/* Write a file; its folders are made. */
void scratch_write(struct scratch *scratch, const char *path, const char *text);

/*
 * Write the files of a case: lines "== PATH", each followed by the content, of which a backslash at its end takes the line
 * break. What begins as a script is executable.
 */
void scratch_write_tree(struct scratch *scratch, const char *files);

/* A file's content, or NULL. */
const char *scratch_read(struct scratch *scratch, const char *path);

/* Run a shell command in the folder and fail the test when it fails. */
void scratch_shell(struct scratch *scratch, const char *command);

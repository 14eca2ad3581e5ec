/* Modules: what a counting run executed from outside of the measured tree, as the counting library listed it. */
#ifndef PE_CORE_EXEC_MODULES_H
#define PE_CORE_EXEC_MODULES_H

#include "core/base/vec.h"
#include "core/model/modules.h"

#include <sys/stat.h>

/** A file whose content was read, and what it was like then. */
struct pe_module_file {
	const char *path;
	dev_t device;
	ino_t inode;
	off_t size;
	struct timespec changed;
	const char *digest; /**< NULL: it is no program and no library */
};

/** Digests of a session: each file is read once, as long as it stays what it is. Zero-initialised: none so far. */
struct pe_module_files {
	struct pe_arena arena;
	PE_VEC(struct pe_module_file) known;
	int64_t since_s; /**< when the session began */
};

void pe_module_files_release(struct pe_module_files *files);

/**
 * Read the lists that a run with PERFEVO_ALLOC_DIR=dir left. The measured program could write them: only regular files
 * that are programs or libraries (ELF) of at most 1 GiB are opened, and only a digest of them is kept.
 *
 * @param tree   of the measured revision: files in it are left out
 * @param own    the counting library, which is left out; NULL: none
 * @param arena  owns the result
 * @return       NULL: there is no list
 */
const struct pe_module_set *pe_modules_collect(struct pe_module_files *files, const char *dir,
					       const char *tree, const char *own,
					       struct pe_arena *arena);

#endif

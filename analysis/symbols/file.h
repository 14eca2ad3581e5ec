/* File: a module on disk, and the file that holds its debug information, which may be another one. */
#pragma once

#include "core/base/arena.h"

#include <elfutils/libdw.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdint.h>

/** An ELF file. Zeroed: none. */
struct pe_elf {
	int fd;
	Elf *elf;
};

/** @return  false: there is none to be read; errno, ENOEXEC where the file is of another kind */
bool pe_elf_open(struct pe_elf *out, const char *path);

/** A zeroed one is allowed. */
void pe_elf_close(struct pe_elf *file);

struct pe_symbols_file {
	struct pe_elf module, debug; /**< debug: only where it is another file */
	Dwarf *dwarf;                /**< NULL: no debug information */
	const char *build_id;        /**< hexadecimal; "": none */
	/** addresses of instructions, ascending */
	struct pe_code_range {
		uint64_t start, end;
	} * code;
	size_t n_code;
};

/**
 * Open a module and what describes it: its own debug information, else that of a file which its build id names (GDB
 * manual, "Separate Debug Files").
 *
 * @param sysroot  put before path and before /usr/lib/debug; ""
 * @return         false: there is no such ELF file; nothing is open then
 */
bool pe_symbols_file_open(struct pe_symbols_file *out, const char *path, const char *sysroot,
			  struct pe_arena *arena);

/** A zeroed one is allowed. */
void pe_symbols_file_close(struct pe_symbols_file *file);

/** Whether an address is that of an instruction. */
bool pe_symbols_file_is_code(const struct pe_symbols_file *file, uint64_t address);

/** The content of a section of an ELF file by its name, with its header; NULL: it is missing, or empty. */
Elf_Data *pe_elf_section(Elf *elf, const char *name, GElf_Shdr *header);

/*
 * Image: an ELF file as it is in memory when it is loaded: sections by address, the symbols in them (atoms), and the words
 * that hold addresses (slots).
 *
 * struct pe_image   one file
 * struct pe_section a loaded section
 * struct pe_atom    a named function or object
 * struct pe_image_slot    a word that holds an address
 */
#pragma once

#include "core/base/arena.h"
#include "core/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pe_section {
	const char *name;
	uint64_t addr, size, align;
	const unsigned char *bytes; /**< NULL: zeros without a place in the file */
	uint32_t type;
	bool code, writable, tls;
	bool content; /**< program's own; false: tables for the linker, notes, unwinding */
};

struct pe_atom {
	const char *name; /**< as in the symbol table */
	/**
	 * The name that stands for it in hashes: without the number a compiler gives to a static local, with
	 * the unit (and an ordinal) where the name alone is ambiguous.
	 */
	const char *key;
	/** The same, of what is scoped without unit and ordinal: a further static local of that name shifts them. */
	const char *stem;
	const char *unit; /**< of local symbols: file name of the translation unit; NULL */
	uint64_t addr, size;
	uint64_t reach; /**< furthest end of this atom and all before it */
	unsigned rank;  /**< among those of one address: binding and whether it is sized */
	bool function, local;
	bool routine; /**< the symbol's type is function: its first byte is an instruction */
	bool object;  /**< the symbol's type is object, with a size */
	bool scoped; /**< data that one function declares, by its name: "f.table", "table.3", _ZZ1fvE5table */
	bool unsized;  /**< the symbol has no size: it extends to the next one */
	bool indirect; /**< a resolver (ifunc) */
};

/**
 * A word that a dynamic relocation fills. As R_X86_64_RELATIVE count, too: in a fixed program any word of data that may be an
 * address, and the offsets from their table's start to which clang turns a constant table of pointers.
 */
struct pe_image_slot {
	uint64_t addr;
	uint64_t bytes; /**< its width: 8, of an offset 4 */
	const char
		*name; /**< symbol; NULL: the value is an address in this image (or a TLS offset) */
	uint64_t value; /**< addend; of named ones, what is added */
	uint32_t type;
};

struct pe_image {
	const char *path;            /**< of the file */
	const char *relative;        /**< the same, from the tree */
	const char *masks[2];        /**< paths of that tree, resolved and as given; NULL */
	struct pe_section *sections; /**< loaded ones except TLS, by address */
	size_t n_sections;
	struct pe_section *tls; /**< .tdata and .tbss, by address */
	size_t n_tls;
	struct pe_atom *
		atoms; /**< by address; of several at one address the best, the others in aliases */
	size_t n_atoms;
	struct pe_atom *tls_atoms; /**< addresses are offsets into the TLS segment */
	size_t n_tls_atoms;
	struct pe_atom *aliases; /**< further names of atoms */
	size_t n_aliases;
	struct pe_image_slot *slots; /**< by address */
	size_t n_slots;
	const char *const *imports; /**< "name@library:version" */
	size_t n_imports;
	const char *const *exports; /**< names with their binding */
	size_t n_exports;
	const char *const *needed; /**< DT_NEEDED in order */
	size_t n_needed;
	const char *runpath, *rpath, *soname, *interpreter; /**< NULL: none */
	uint64_t flags, flags_1;
	uint64_t entry, init, fini; /**< addresses; 0: none */
	uint64_t tls_size, tls_align;
	uint32_t stack_flags;
	uint16_t machine, kind;
	bool x86_64, fixed; /**< fixed: linked to an absolute address */
	bool named;         /**< it has a full symbol table */
	bool loads;         /**< it imports dlopen() */
	bool go; /**< objects hold their places: Go's types are offsets into a table of all types */
	void *elf; /**< Elf *, open until pe_image_close() */
	int fd;
};

/**
 * Open an image; what it holds lives in the arena, the bytes of sections until pe_image_close().
 *
 * @return  PE_EUNSUPPORTED: not a linked ELF file; PE_ENOTFOUND; PE_EINVALID: damaged
 */
int pe_image_open(struct pe_image *out, const char *path, struct pe_arena *arena,
		  struct pe_err *err);

/** Close the file, with the bytes of its sections. What lives in the arena stays. NULL is allowed. */
void pe_image_close(struct pe_image *image);

/** The section that holds an address; NULL. */
const struct pe_section *pe_image_section(const struct pe_image *image, uint64_t addr);

/** n bytes at an address, all in one section of the file; NULL. */
const unsigned char *pe_image_bytes(const struct pe_image *image, uint64_t addr, uint64_t n);

/** The innermost atom that holds an address; NULL. */
const struct pe_atom *pe_image_atom(const struct pe_image *image, uint64_t addr);

/** The last atom that starts at or before an address; NULL. */
const struct pe_atom *pe_image_atom_before(const struct pe_image *image, uint64_t addr);

/** The TLS atom at an offset into the segment; NULL. */
const struct pe_atom *pe_image_tls_atom(const struct pe_image *image, uint64_t offset);

/** The slot at exactly this address; NULL. */
const struct pe_image_slot *pe_image_slot(const struct pe_image *image, uint64_t addr);

/** Index of the first slot at or after an address; n_slots where there is none. */
size_t pe_image_slot_from(const struct pe_image *image, uint64_t addr);

/*
 * The machine code of a change: two revisions are built, the programs that the benchmarks execute are compared
 * function by function, and that is crossed with the methods that changed in the source.
 */
#pragma once

#include "app/changes/changed_methods.h"

/** What became of a method's machine code. */
enum pe_effect {
	PE_EFFECT_ABSENT,     /**< it is in neither program */
	PE_EFFECT_RECOMPILED, /**< its code differs */
	PE_EFFECT_NONE,       /**< its code is the same */
	PE_EFFECT_ADDED,      /**< only the newer program has it */
	PE_EFFECT_DELETED,    /**< only the older program has it */
	PE_EFFECT_INDIRECT,   /**< its code differs, its source does not */
};

/** "not in the program", "recompiled", "no effect", "added", "deleted", "indirect". */
const char *pe_effect_name(enum pe_effect effect);

/** Of a method that changed in the source. */
struct pe_method_effect {
	enum pe_effect effect;
	const char *reason; /**< "inlined into main", "line numbers", ...; NULL: nothing to add */
	/** of its own functions, before and after, with the copies and parts that the compiler made; 0: it has none */
	uint64_t bytes[2];
};

/** A function that was recompiled although its source did not change. */
struct pe_indirect {
	const char *name;                 /**< of the source if it is known, else of the linkage */
	const char *signature;            /**< as in struct pe_method */
	const char *component;            /**< NULL: not known */
	uint32_t before_line, after_line; /**< of the definition; 0: not known, or not there */
	const char *reason;
};

/** The source level crossed with the machine-code level. */
struct pe_crossing {
	struct pe_method_effect *methods; /**< beside the changed methods */
	struct pe_indirect *indirect;     /**< by component and line */
	size_t n_indirect;
	size_t outside; /**< further ones outside of the tree: in system headers, packages, a standard library */
	struct pe_strings programs; /**< relative to the tree, sorted */
	/** Functions of the newer programs, and those of them whose code differs; copies and parts that the
	 * compiler made of one count as one. */
	size_t functions, recompiled;
	uint64_t bytes[2]; /**< of all functions, before and after */
	/** Methods modified in the source: recompiled, without effect. */
	size_t modified, no_effect;
	bool identical; /**< the programs do the same */
	bool exact;     /**< false: compared by raw bytes, addresses and all */
};

/**
 * Build both revisions, compare their programs, and cross that with the changed methods. Takes the machine's
 * measuring lock; the builds are stored. Where functions without debug information leave a changed method, or the
 * place of a recompiled function, unknown, both are built again with it (PE_BUILD_VARIANT_NATIVE).
 *
 * @param app    with repo, config and a store to write to
 * @param bench  only the programs of benchmarks whose name matches this expression; NULL: of all
 * @param out    in the context's arena
 * @return       PE_EUNSUPPORTED: a revision does not build, or no benchmark executes an ELF program of the tree
 */
int pe_crossing_of(struct pe_crossing *out, struct pe_app *app,
		   const struct pe_revision_changes *changes, const struct pe_revision *before,
		   const struct pe_revision *after, const char *bench);

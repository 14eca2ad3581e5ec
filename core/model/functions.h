/* Functions: what each function of a benchmark executes itself, without what it calls. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/** A function of a run. Its identity is name, signature and component, as in profiles (struct pe_frame). */
struct pe_function_count {
	const char *name;
	const char *signature;
	const char *component;
	uint64_t instructions; /**< of all processes and threads */
};

/** No strings are NULL. */
struct pe_function_counts {
	struct pe_function_count *at;
	size_t n; /**< 0: not known */
};

/**
 * What a function executed itself, over all counting runs of a build; or how often it made a system call, which has neither
 * signature nor component.
 */
struct pe_function_range {
	const char *name, *signature, *component;
	uint64_t least, most; /**< the same but where the program counts differently each time */
};

/** Functions by `most`, the greatest first; system calls by name. */
struct pe_function_ranges {
	struct pe_function_range *at;
	size_t n;
	size_t runs; /**< that counted them; 0: they are unknown */
};

/**
 * What a method is charged with: instructions of its own source, wherever it was inlined, and those of functions in no profile
 * that it has called, such as the C library's. Counts of functions have both elsewhere. No strings are NULL.
 */
struct pe_charge {
	const char *name, *signature, *component;
	uint64_t old_instructions, new_instructions;
	uint64_t varies; /**< by as much, at most, runs of one build may differ */
	/** Of the functions in no profile that it calls, the one whose costs differ most, with all below; "": none differ. */
	const char *callee;
	uint64_t old_calls, new_calls, old_cost, new_cost; /**< instructions */
	/** That `callee` is called in place of, as often; old's calls and cost are its. "": none. */
	const char *replaced;
	uint64_t old_others, new_others; /**< instructions of its other callees in no profile */
};

/** Of a pair of revisions: methods for which that differs. */
struct pe_charges {
	struct pe_charge *at;
	size_t n;
};

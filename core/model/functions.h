/* Functions: what each function of a benchmark executes itself, without what it calls. */
#ifndef PE_CORE_MODEL_FUNCTIONS_H
#define PE_CORE_MODEL_FUNCTIONS_H

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

#endif

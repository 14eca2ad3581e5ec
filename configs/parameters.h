/*
 * Parameters: a benchmark's matrix. Every combination of values is a benchmark of its own; {name}
 * stands for the value in its command and surroundings, {{ and }} for braces.
 */
#ifndef PE_CONFIGS_PARAMETERS_H
#define PE_CONFIGS_PARAMETERS_H

#include "configs/read.h"

/** One axis of the matrix. */
struct pe_parameter {
	const char *name;
	struct pe_strings values;
	size_t picked;              /**< index of the value in this combination */
	bool used;                  /**< {name} stands somewhere */
	const struct pe_yaml *node; /**< where it is declared */
};

struct pe_parameters {
	struct pe_parameter *at;
	size_t n;
};

/** Combinations of one benchmark, at most. */
enum { PE_MAX_COMBINATIONS = 1000 };

/** Read `parameters:`; the field is a struct pe_parameters. */
int pe_parameters_read(struct pe_reader *reader, const struct pe_yaml *node, void *field);

/** How many combinations there are; 1 without parameters. */
size_t pe_parameters_count(const struct pe_parameters *parameters);

/** Pick the combination of an index: the last parameter moves fastest. */
void pe_parameters_pick(struct pe_parameters *parameters, size_t index);

/** "n=10" for every parameter. */
struct pe_strings pe_parameters_strings(const struct pe_parameters *parameters,
					struct pe_arena *arena);

/** What they add to the benchmark's name: "[n=10,kind=a]"; "" without any. */
const char *pe_parameters_suffix(const struct pe_parameters *parameters, struct pe_arena *arena);

/** A text with its {name}s filled in from reader->parameters; as it is when there are none. */
int pe_parameters_fill(const char **out, struct pe_reader *reader, const struct pe_yaml *node,
		       const char *text);

/** Fail for a parameter that stands nowhere. */
int pe_parameters_check_used(struct pe_reader *reader, const struct pe_parameters *parameters);

#endif

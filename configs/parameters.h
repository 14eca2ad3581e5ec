/*
 * Parameters: a benchmark's matrix. Every combination of values is a benchmark of its own; {name}
 * is replaced by the value in its command and environment, {{ and }} by braces.
 */
#pragma once

#include "configs/read.h"

/** One axis of the matrix. */
struct pe_parameter {
	const char *name;
	struct pe_strings values;
	size_t picked;              /**< index of the value in this combination */
	bool used;                  /**< {name} occurs in some text */
	const struct pe_yaml *node; /**< where it is declared */
};

struct pe_parameters {
	struct pe_parameter *at;
	size_t n;
};

/** Most combinations of one benchmark. */
enum { PE_MAX_COMBINATIONS = 1000 };

/** Read `parameters:`; the field is a struct pe_parameters. */
int pe_parameters_read(struct pe_reader *reader, const struct pe_yaml *node, void *field);

/** The number of combinations; 1 without parameters. */
size_t pe_parameters_count(const struct pe_parameters *parameters);

/** Pick the combination of an index: the last parameter changes fastest. */
void pe_parameters_pick(struct pe_parameters *parameters, size_t index);

/** "n=10" for every parameter. */
struct pe_strings pe_parameters_strings(const struct pe_parameters *parameters,
					struct pe_arena *arena);

/** The suffix of the benchmark's name: "[n=10,kind=a]"; "" without parameters. */
const char *pe_parameters_suffix(const struct pe_parameters *parameters, struct pe_arena *arena);

/** Fill in the {name}s of a text from reader->parameters; returned as it is when there are none. */
int pe_parameters_fill(const char **out, struct pe_reader *reader, const struct pe_yaml *node,
		       const char *text);

/** Fail for a parameter that is not used. */
int pe_parameters_check_used(struct pe_reader *reader, const struct pe_parameters *parameters);

/* Options: what the simulations are asked on the command line, "--histories 200 --model calm". */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum option_kind {
	OPTION_COUNT, /**< size_t */
	OPTION_SEED,  /**< uint64_t */
	OPTION_REAL,  /**< double */
	OPTION_TEXT,  /**< const char * */
	OPTION_FLAG,  /**< bool, as 0 or 1 */
};

struct option {
	const char *name; /**< "histories", of --histories */
	enum option_kind kind;
	void *value;
};

/** Read all of argv. @return  false, with a message that names all options: one has no value, or is none of these */
bool options_read(const struct option *options, size_t n, int argc, char **argv);

#define OPTIONS_READ(options, argc, argv)                                                          \
	options_read(options, sizeof(options) / sizeof(*(options)), argc, argv)

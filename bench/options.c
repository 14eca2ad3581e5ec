#include "bench/options.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void take(const struct option *option, const char *text)
{
	switch (option->kind) {
	case OPTION_COUNT:
		*(size_t *)option->value = strtoul(text, NULL, 10);
		break;
	case OPTION_SEED:
		*(uint64_t *)option->value = strtoull(text, NULL, 10);
		break;
	case OPTION_REAL:
		*(double *)option->value = strtod(text, NULL);
		break;
	case OPTION_TEXT:
		*(const char **)option->value = text;
		break;
	case OPTION_FLAG:
		*(bool *)option->value = strcmp(text, "0") != 0;
		break;
	}
}

static bool refuse(const struct option *options, size_t n, const char *program)
{
	fprintf(stderr, "usage: %s", program);
	for (size_t i = 0; i < n; i++)
		fprintf(stderr, " [--%s %s]", options[i].name,
			options[i].kind == OPTION_TEXT   ? "NAME"
			: options[i].kind == OPTION_FLAG ? "0|1"
							 : "N");
	fputc('\n', stderr);
	return false;
}

bool options_read(const struct option *options, size_t n, int argc, char **argv)
{
	for (int i = 1; i < argc; i += 2) {
		size_t o = 0;

		while (o < n && (strncmp(argv[i], "--", 2) != 0 ||
				 strcmp(argv[i] + 2, options[o].name) != 0))
			o++;
		if (o == n || i + 1 == argc)
			return refuse(options, n, argv[0]);
		take(&options[o], argv[i + 1]);
	}
	return true;
}

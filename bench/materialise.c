/*
 * What it costs to put revisions into a folder, for materialise.sh:
 *
 *   materialise <repository> <folder> <first> <next>...
 *
 * fills the folder with the first revision and then with each of the next ones, cleaning every time, and
 * prints "first next written": milliseconds of the first fill, milliseconds of one of the next in the mean,
 * and files written by one of the next in the mean.
 */
#include "core/base/clock.h"
#include "vcs/repo.h"

#include <stdio.h>

static int fail(const struct pe_err *err)
{
	fprintf(stderr, "materialise: %s\n", err->message);
	return 128;
}

int main(int argc, char **argv)
{
	struct pe_err err = PE_ERR_INIT;
	struct pe_fill filled;
	struct pe_repo *repo;
	struct pe_source source;
	uint64_t begin_ns, first_ns, written = 0;
	int n = argc - 4;

	if (n < 1) {
		fprintf(stderr, "usage: materialise <repository> <folder> <first> <next>...\n");
		return 129;
	}
	if (pe_repo_open(&repo, argv[1], &err) != 0)
		return fail(&err);
	source = pe_repo_source(repo);
	begin_ns = pe_clock_ns();
	first_ns = 0;
	for (int i = 0; i <= n; i++) {
		struct pe_fill_spec spec = {.dir = argv[2],
					    .have = i != 0 ? argv[i + 2] : NULL,
					    .id = argv[i + 3],
					    .clean = PE_CLEAN_ALWAYS};

		if (source.fill(&filled, &spec, source.payload, &err) != 0)
			return fail(&err);
		if (i == 0)
			first_ns = pe_clock_ns() - begin_ns;
		else
			written += filled.written;
	}
	printf("%.3f %.3f %.1f\n", (double)first_ns / 1e6,
	       (double)(pe_clock_ns() - begin_ns - first_ns) / 1e6 / n, (double)written / n);
	pe_repo_close(repo);
	return 0;
}

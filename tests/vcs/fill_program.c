/* fill_program <repository> <id> <folder> [<have>]: fill once and say how it went, for tests that need a process. */
#include "vcs/repo.h"

#include <stdio.h>

int main(int argc, char **argv)
{
	struct pe_err err = PE_ERR_INIT;
	struct pe_repo *repo = NULL;
	struct pe_fill filled = {0};
	int rc;

	if (argc < 4)
		return 129;
	rc = pe_repo_open(&repo, argv[1], &err);
	if (rc == 0) {
		struct pe_fill_spec spec = {.dir = argv[3],
					    .have = argc > 4 ? argv[4] : NULL,
					    .id = argv[2],
					    .clean = PE_CLEAN_NEVER};
		struct pe_source source = pe_repo_source(repo);

		rc = source.fill(&filled, &spec, source.payload, &err);
	}
	printf("code %d: %s; %zu written, %zu kept\n", rc, err.message, filled.written,
	       filled.kept);
	pe_repo_close(repo);
	return rc != 0;
}

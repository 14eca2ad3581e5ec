/*
 * Compare two builds function by function, for bench/code.sh.
 *
 *   pe_bench_code PROGRAM TREE PROGRAM TREE
 *
 * Prints one line: whether they are identical, functions that are unchanged, added, deleted, recompiled, of
 * those in lines alone, and the milliseconds of reading the first; then the name of each recompiled function.
 */
#include "core/base/clock.h"
#include "analysis/methods/code.h"

#include <stdio.h>

static int fail(const struct pe_err *err)
{
	fprintf(stderr, "pe_bench_code: %s\n", err->message);
	return 125;
}

int main(int argc, char **argv)
{
	struct pe_arena arena = PE_ARENA_INIT;
	struct pe_err err = PE_ERR_INIT;
	struct pe_program before, after;
	struct pe_code_changes changes;
	size_t counts[3] = {0}, lines = 0;
	uint64_t read_ns;

	if (argc != 5) {
		fputs("usage: pe_bench_code PROGRAM TREE PROGRAM TREE\n", stderr);
		return 129;
	}
	read_ns = pe_clock_ns();
	if (pe_code_read(&before, argv[1], argv[2], &arena, &err) != PE_OK)
		return fail(&err);
	read_ns = pe_clock_ns() - read_ns;
	if (pe_code_read(&after, argv[3], argv[4], &arena, &err) != PE_OK)
		return fail(&err);
	pe_code_diff(&changes, &before, &after, &arena);
	for (size_t i = 0; i < changes.n; i++) {
		counts[changes.at[i].kind]++;
		lines += changes.at[i].kind == PE_CODE_RECOMPILED &&
			 changes.at[i].reason == PE_CODE_LINES;
	}
	printf("%s %zu %zu %zu %zu %zu %.1f\n",
	       before.identity.high == after.identity.high &&
			       before.identity.low == after.identity.low
		       ? "identical"
		       : "different",
	       changes.unchanged, counts[PE_CODE_ADDED], counts[PE_CODE_DELETED],
	       counts[PE_CODE_RECOMPILED], lines, (double)read_ns / 1e6);
	for (size_t i = 0; i < changes.n; i++)
		if (changes.at[i].kind == PE_CODE_RECOMPILED)
			printf("  %s: %s\n", changes.at[i].after->name,
			       pe_code_reason_name(changes.at[i].reason));
	pe_arena_release(&arena);
	return 0;
}

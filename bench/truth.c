/*
 * Whether merged times are true: the share of self time that a merged tree puts on another function than
 * samples of the plain program do, beside the share by which two such takings of samples differ.
 *
 *	pe_bench_truth SOURCE_TREE TRACES SAMPLES PLAIN PLAIN_AGAIN
 *
 * Each of the last four is a directory of files: traces of the counting build; samples of the native build,
 * which are merged; samples of the plain build, twice. A sample of the plain build belongs to the innermost
 * function of its stack that the counting build knows; shares are compared over these (half the sum of the
 * absolute differences, the total variation distance).
 *
 * That is done twice: over all samples, and over those that were taken in the program's own functions. For a
 * function that ends in a call of libc is gone from the plain build's stacks (the native build keeps it, as
 * -fno-optimize-sibling-calls asks), and with it the right answer.
 */
#include "analysis/profile/merge.h"
#include "analysis/profile/merge_names.h"
#include "analysis/profile/samples.h"
#include "analysis/profile/trace.h"
#include "analysis/symbols/symbols.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct bench {
	struct pe_frames frames;
	struct pe_arena arena;
	struct pe_symbolizer symbolizer;
	struct pe_cct *counting;
};

/* Shares of functions: by class, and at the end what is in none. */
struct shares {
	double *of;
	uint32_t n;
};

static struct pe_cct *read_samples(struct bench *bench, const char *directory,
				   struct pe_samples_info *info)
{
	struct pe_err err = PE_ERR_INIT;
	struct pe_cct *cct;

	if (pe_samples_read(&cct, info, &directory, 1, &bench->symbolizer, &bench->frames,
			    &bench->arena, &err) == PE_OK)
		return cct;
	fprintf(stderr, "truth: %s\n", err.message);
	exit(128);
}

/* By the innermost method on the path that the counting tree knows. */
static struct shares share_out(struct bench *bench, const struct pe_cct *cct)
{
	struct pe_merge_names names = pe_merge_names_sort(bench->counting, cct, &bench->arena);
	struct shares shares = {pe_arena_new(&bench->arena, double, names.n + 1), names.n + 1};
	uint32_t *nearest = pe_arena_new(&bench->arena, uint32_t, cct->n);
	uint64_t all = 0;

	for (uint32_t i = 0; i < cct->n; i++) {
		uint32_t class = names.class_of[cct->nodes[i].frame];

		if (pe_cct_frame(cct, i)->kind != PE_FRAME_METHOD)
			class = PE_MERGE_UNKNOWN;
		nearest[i] = class != PE_MERGE_UNKNOWN ? class
			     : i == 0                  ? names.n
						       : nearest[cct->nodes[i].parent];
		shares.of[nearest[i]] += (double)cct->samples[i];
		all += cct->samples[i];
	}
	for (uint32_t i = 0; i < shares.n && all != 0; i++)
		shares.of[i] /= (double)all;
	return shares;
}

static double distance(const struct shares *one, const struct shares *other)
{
	double sum = 0;

	for (uint32_t i = 0; i < one->n; i++)
		sum += fabs(one->of[i] - other->of[i]);
	return sum / 2;
}

/* Forget the samples in functions that the counting build does not know. */
static void keep_own(const struct bench *bench, struct pe_cct *cct, struct pe_arena *arena)
{
	struct pe_merge_names names = pe_merge_names_sort(bench->counting, cct, arena);

	for (uint32_t i = 0; i < cct->n; i++)
		if (names.class_of[cct->nodes[i].frame] == PE_MERGE_UNKNOWN)
			cct->samples[i] = 0;
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole != 0 ? 100.0 * (double)part / (double)whole : 0;
}

static void print_found(const struct pe_cct *cct, const struct pe_merge_stats *stats,
			const struct pe_samples_info *info)
{
	printf("%8u nodes %7llu samples (%s): %.2f %% found; %.2f %% by name, %.2f %% bridged, "
	       "%.2f %% outside, %.2f %% cut\n",
	       cct->n, (unsigned long long)stats->samples, info->clock,
	       percent(stats->samples - stats->lost, stats->samples),
	       percent(stats->by_name, stats->samples), percent(stats->bridged, stats->samples),
	       percent(stats->outside, stats->samples), percent(stats->cut, stats->samples));
}

static void print_shares(const char *of, const struct shares shares[3])
{
	printf("%8s %-20s on the wrong function %.3f; plain against plain %.3f\n", "", of,
	       distance(&shares[0], &shares[1]), distance(&shares[1], &shares[2]));
}

/* The functions whose shares differ most, for people: merged, then plain. */
static void print_misplaced(const struct bench *bench, const struct pe_merge_names *names,
			    const struct shares shares[3])
{
	double below = INFINITY;

	printf("%8s most misplaced:", "");
	for (int row = 0; row < 4; row++) {
		uint32_t worst = UINT32_MAX;
		double most = 0;

		for (uint32_t i = 0; i < shares[0].n; i++) {
			double difference = fabs(shares[0].of[i] - shares[1].of[i]);

			if (difference > most && difference < below) {
				most = difference;
				worst = i;
			}
		}
		if (worst == UINT32_MAX)
			break;
		below = most;
		printf(" %s %.1f/%.1f %%",
		       worst < names->n ? bench->frames.at[names->frame_of[worst]].name : "(none)",
		       100 * shares[0].of[worst], 100 * shares[1].of[worst]);
	}
	printf("\n");
}

/* What weighs most among the samples that found no path, for people. */
static void print_lost(const struct pe_cct *cct)
{
	uint64_t best = 0;
	uint32_t at = 0;

	for (uint32_t i = 0; i < cct->n; i++)
		if ((cct->flags[i] & PE_CCT_UNCOUNTED) != 0 && cct->samples[i] > best) {
			best = cct->samples[i];
			at = i;
		}
	for (int i = 0; best != 0 && i < 5 && at != PE_CCT_NONE; i++, at = cct->nodes[at].parent)
		printf("%*s%s%s%s:%u", i == 0 ? 9 : 0, "", i == 0 ? "most lost: " : " < ",
		       pe_cct_frame(cct, at)->name,
		       (cct->flags[at] & PE_CCT_UNCOUNTED) != 0 ? "?" : "", cct->nodes[at].site);
	if (best != 0)
		printf(" (%llu)\n", (unsigned long long)best);
}

/* Merge, compare, print; the trees may have been narrowed. */
static struct pe_cct *compare(struct bench *bench, struct pe_cct *const samples[3], const char *of,
			      struct pe_merge_stats *stats)
{
	struct pe_merge_opts opts = {.duration_ns = 1000000000};
	struct pe_merge_names names =
		pe_merge_names_sort(bench->counting, bench->counting, &bench->arena);
	struct pe_cct *merged =
		pe_merge_samples(bench->counting, samples[0], &opts, stats, &bench->arena);
	struct shares shares[3] = {
		share_out(bench, merged),
		share_out(bench, samples[1]),
		share_out(bench, samples[2]),
	};

	print_shares(of, shares);
	print_misplaced(bench, &names, shares);
	return merged;
}

static void run(struct bench *bench, char **directories)
{
	struct pe_samples_info info;
	struct pe_merge_stats stats, unused;
	struct pe_cct *samples[3], *merged;

	for (int i = 2; i >= 0; i--)
		samples[i] = read_samples(bench, directories[i], &info);
	merged = compare(bench, samples, "all time", &stats);
	print_found(merged, &stats, &info);
	print_lost(merged);
	for (int i = 0; i < 3; i++)
		keep_own(bench, samples[i], &bench->arena);
	compare(bench, samples, "in own functions", &unused);
}

int main(int argc, char **argv)
{
	struct bench bench = {.frames = PE_FRAMES_INIT, .arena = PE_ARENA_INIT};
	struct pe_err err = PE_ERR_INIT;
	struct pe_symbols_db *db = NULL;
	int rc;

	if (argc != 6) {
		fputs("usage: pe_bench_truth SOURCE_TREE TRACES SAMPLES PLAIN PLAIN_AGAIN\n",
		      stderr);
		return 129;
	}
	rc = pe_symbols_open(&db, argv[1], NULL, &err);
	if (rc == PE_OK) {
		bench.symbolizer = pe_symbols_symbolizer(db);
		rc = pe_trace_read_dir(&bench.counting, NULL, argv[2], &bench.symbolizer,
				       &bench.frames, &bench.arena, &err);
	}
	if (rc == PE_OK)
		run(&bench, argv + 3);
	else
		fprintf(stderr, "truth: %s\n", err.message);
	pe_symbols_close(db);
	pe_frames_release(&bench.frames);
	pe_arena_release(&bench.arena);
	return rc == PE_OK ? 0 : 128;
}

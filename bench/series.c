/*
 * How well are changes found that people marked in real series? perfevo's search beside those of other tools
 * (baselines.h).
 *
 *	series [--margin N] MARKS FILE...
 *
 * FILE is a table of comma-separated values with a head line; its last column is the series. MARKS says what was
 * found by people: a line a series, its file's name without folder and ending, then the indices (from 0) of the
 * first values of new levels; lines that begin with # are passed over. A series that MARKS does not name is judged as having
 * no marks that count: what is found there is only printed.
 *
 * A mark is found when a change is reported within the margin (5), each change counting for one mark and each mark
 * for one change. Printed are precision, recall and F1 over all series, and their F1 in the mean as the Turing Change
 * Point Dataset has it (van den Burg and Williams, arXiv 2003.06222): there the beginning of a series counts as a
 * mark that everybody finds.
 */
#include "bench/series.h"

#include "bench/baselines.h"
#include "core/stats/changepoint.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N_FINDERS (N_BASELINES + 1)

struct score {
	size_t found, marks, hits;
	double f1; /* summed over series */
	size_t n;
};

static size_t distance(size_t a, size_t b)
{
	return a > b ? a - b : b - a;
}

/* Marks that some change lies next to; a change counts once. */
static size_t count_hits(const size_t *at, size_t n, const struct series_marks *marks,
			 size_t margin)
{
	size_t hits = 0;
	bool *used = pe_realloc(NULL, n + 1, sizeof(*used));

	memset(used, 0, (n + 1) * sizeof(*used));
	for (size_t m = 0; m < marks->n; m++) {
		size_t best = n;

		for (size_t i = 0; i < n; i++)
			if (!used[i] && distance(at[i], marks->at[m]) <= margin &&
			    (best == n ||
			     distance(at[i], marks->at[m]) < distance(at[best], marks->at[m])))
				best = i;
		used[best] = true;
		hits += best < n;
	}
	free(used);
	return hits;
}

static double f1_of(double hits, double found, double marks)
{
	return hits > 0 ? 2 * hits / (found + marks) : 0;
}

static size_t find_ours(size_t *out, const struct series *series, struct pe_arena *arena)
{
	struct pe_changepoint_opts opts = PE_CHANGEPOINT_DEFAULTS;
	struct pe_reading *at = pe_arena_new(arena, struct pe_reading, series->n);
	struct pe_readings readings = {at, series->n, series->n};
	struct pe_changepoints found;

	for (size_t i = 0; i < series->n; i++)
		at[i] = (struct pe_reading){i, (int64_t)i, 0, series->value[i]};
	opts.unlinked = PE_UNLINKED_ALONG;
	opts.alpha = PE_CHANGEPOINT_ALONG_ALPHA;
	found = pe_changepoints_find(&readings, &opts, arena);
	for (size_t i = 0; i < found.n; i++)
		out[i] = found.at[i].index;
	return found.n;
}

static void judge(struct score *score, const char *name, const size_t *at, size_t n,
		  const struct series_marks *marks, size_t margin)
{
	size_t hits = marks != NULL ? count_hits(at, n, marks, margin) : 0;

	printf("  %-10s", name);
	if (marks != NULL) {
		score->found += n;
		score->marks += marks->n;
		score->hits += hits;
		score->f1 += f1_of((double)hits + 1, (double)n + 1, (double)marks->n + 1);
		score->n++;
		printf(" %zu of %zu", hits, marks->n);
	}
	printf(" (");
	for (size_t i = 0; i < n; i++)
		printf("%s%zu", i > 0 ? " " : "", at[i]);
	printf(")\n");
}

static void judge_series(struct score *scores, const struct series *series,
			 const struct series_marks *marks, size_t margin)
{
	struct pe_arena arena = PE_ARENA_INIT;
	size_t *at = pe_arena_new(&arena, size_t, series->n + 1);

	printf("%s: %zu values", series->name, series->n);
	for (size_t i = 0; marks != NULL && i < marks->n; i++)
		printf("%s%zu", i > 0 ? ", " : ", marks at ", marks->at[i]);
	printf("\n");
	judge(&scores[0], "perfevo", at, find_ours(at, series, &arena), marks, margin);
	for (size_t b = 0; b < N_BASELINES; b++)
		judge(&scores[b + 1], baselines[b].name, at,
		      baselines[b].find(at, series->value, NULL, series->n), marks, margin);
	pe_arena_release(&arena);
}

static void print_scores(const struct score *scores, size_t margin)
{
	printf("\nmargin %zu    precision recall  F1     mean F1\n", margin);
	for (size_t i = 0; i < N_FINDERS; i++) {
		const struct score *s = &scores[i];

		printf("%-12s %5.3f    %5.3f  %5.3f  %5.3f\n",
		       i > 0 ? baselines[i - 1].name : "perfevo",
		       s->found > 0 ? (double)s->hits / (double)s->found : 1,
		       s->marks > 0 ? (double)s->hits / (double)s->marks : 1,
		       f1_of((double)s->hits, (double)s->found, (double)s->marks),
		       s->n > 0 ? s->f1 / (double)s->n : 0);
	}
}

int main(int argc, char **argv)
{
	struct score scores[N_FINDERS] = {{0, 0, 0, 0, 0}};
	struct pe_arena arena = PE_ARENA_INIT;
	struct series_book book;
	size_t margin = 5;
	int first = 1;

	if (argc > 2 && strcmp(argv[1], "--margin") == 0) {
		margin = strtoul(argv[2], NULL, 10);
		first = 3;
	}
	if (argc < first + 2) {
		fprintf(stderr, "usage: %s [--margin N] MARKS FILE...\n", argv[0]);
		return 129;
	}
	if (!series_read_marks(&book, argv[first], &arena))
		return 128;
	for (int i = first + 1; i < argc; i++) {
		struct series series;

		if (!series_read(&series, argv[i], &arena))
			return 128;
		judge_series(scores, &series, series_marks_of(&book, series.name), margin);
	}
	print_scores(scores, margin);
	pe_arena_release(&arena);
	return 0;
}

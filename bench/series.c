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
#include "bench/baselines.h"
#include "core/base/vec.h"
#include "core/stats/changepoint.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N_FINDERS (N_BASELINES + 1)

/* Of a file, or the marks of one: a name and numbers. */
struct row {
	char name[256];
	PE_VEC(double) values;
};

typedef PE_VEC(struct row) rows;

struct score {
	size_t found, marks, hits;
	double f1; /* summed over series */
	size_t n;
};

static void refuse(const char *path, const char *why)
{
	fprintf(stderr, "%s: %s\n", path, why);
	exit(128);
}

/* The last column of a table with a head line, under the file's name without folder and ending. */
static struct row read_series(const char *path)
{
	const char *base = strrchr(path, '/') != NULL ? strrchr(path, '/') + 1 : path;
	struct row out = {.values = {0}};
	FILE *file = fopen(path, "r");
	char line[4096], *end;

	if (file == NULL)
		refuse(path, strerror(errno));
	snprintf(out.name, sizeof(out.name), "%.*s", (int)strcspn(base, "."), base);
	for (size_t i = 0; fgets(line, sizeof(line), file) != NULL; i++) {
		const char *comma = strrchr(line, ','), *text = comma != NULL ? comma + 1 : line;

		if (i == 0 || *line == '\n')
			continue;
		pe_vec_push(&out.values, strtod(text, &end));
		if (end == text)
			refuse(path, "no number in the last column");
	}
	fclose(file);
	return out;
}

static void read_marks(rows *out, const char *path)
{
	FILE *file = fopen(path, "r");
	char line[4096], *end, *next;

	if (file == NULL)
		refuse(path, strerror(errno));
	while (fgets(line, sizeof(line), file) != NULL) {
		struct row row = {.values = {0}};

		if (*line == '#' || *line == '\n')
			continue;
		end = line + strcspn(line, " \t\n");
		snprintf(row.name, sizeof(row.name), "%.*s", (int)(end - line), line);
		for (;; end = next) {
			double mark = strtod(end, &next);

			if (next == end)
				break;
			pe_vec_push(&row.values, mark);
		}
		pe_vec_push(out, row);
	}
	fclose(file);
}

static const struct row *marks_of(const rows *marks, const char *name)
{
	for (size_t i = 0; i < marks->n; i++)
		if (strcmp(marks->data[i].name, name) == 0)
			return &marks->data[i];
	return NULL;
}

static size_t distance(size_t a, size_t b)
{
	return a > b ? a - b : b - a;
}

/* Marks that some change lies next to; a change counts once. */
static size_t count_hits(const size_t *at, size_t n, const struct row *marks, size_t margin)
{
	size_t hits = 0;
	bool *used = pe_realloc(NULL, n + 1, sizeof(*used));

	memset(used, 0, (n + 1) * sizeof(*used));
	for (size_t m = 0; m < marks->values.n; m++) {
		size_t best = n;

		for (size_t i = 0; i < n; i++)
			if (!used[i] && distance(at[i], (size_t)marks->values.data[m]) <= margin &&
			    (best == n ||
			     distance(at[i], (size_t)marks->values.data[m]) <
				     distance(at[best], (size_t)marks->values.data[m])))
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

static size_t find_ours(size_t *out, const struct row *series, struct pe_arena *arena)
{
	struct pe_changepoint_opts opts = PE_CHANGEPOINT_DEFAULTS;
	struct pe_reading *at = pe_arena_new(arena, struct pe_reading, series->values.n);
	struct pe_readings readings = {at, series->values.n, series->values.n};
	struct pe_changepoints found;

	for (size_t i = 0; i < series->values.n; i++)
		at[i] = (struct pe_reading){i, (int64_t)i, 0, series->values.data[i]};
	opts.unlinked = PE_UNLINKED_ALONG;
	opts.alpha = PE_CHANGEPOINT_ALONG_ALPHA;
	found = pe_changepoints_find(&readings, &opts, arena);
	for (size_t i = 0; i < found.n; i++)
		out[i] = found.at[i].index;
	return found.n;
}

static void judge(struct score *score, const char *name, const size_t *at, size_t n,
		  const struct row *marks, size_t margin)
{
	size_t hits = marks != NULL ? count_hits(at, n, marks, margin) : 0;

	printf("  %-10s", name);
	if (marks != NULL) {
		score->found += n;
		score->marks += marks->values.n;
		score->hits += hits;
		score->f1 += f1_of((double)hits + 1, (double)n + 1, (double)marks->values.n + 1);
		score->n++;
		printf(" %zu of %zu", hits, marks->values.n);
	}
	printf(" (");
	for (size_t i = 0; i < n; i++)
		printf("%s%zu", i > 0 ? " " : "", at[i]);
	printf(")\n");
}

static void judge_series(struct score *scores, const struct row *series, const struct row *marks,
			 size_t margin)
{
	struct pe_arena arena = PE_ARENA_INIT;
	size_t *at = pe_arena_new(&arena, size_t, series->values.n + 1);

	printf("%s: %zu values", series->name, series->values.n);
	for (size_t i = 0; marks != NULL && i < marks->values.n; i++)
		printf("%s%zu", i > 0 ? ", " : ", marks at ", (size_t)marks->values.data[i]);
	printf("\n");
	judge(&scores[0], "perfevo", at, find_ours(at, series, &arena), marks, margin);
	for (size_t b = 0; b < N_BASELINES; b++)
		judge(&scores[b + 1], baselines[b].name, at,
		      baselines[b].find(at, series->values.data, NULL, series->values.n), marks,
		      margin);
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
	rows marks = {0};
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
	read_marks(&marks, argv[first]);
	for (int i = first + 1; i < argc; i++) {
		struct row series = read_series(argv[i]);

		judge_series(scores, &series, marks_of(&marks, series.name), margin);
		pe_vec_release(&series.values);
	}
	print_scores(scores, margin);
	for (size_t i = 0; i < marks.n; i++)
		pe_vec_release(&marks.data[i].values);
	pe_vec_release(&marks);
	return 0;
}

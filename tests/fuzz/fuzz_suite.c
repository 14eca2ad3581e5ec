/*
 * All readers of suites from arbitrary bytes: the first byte chooses the format ('F': recognised, then as enum
 * pe_suite_format has them), the rest is the output. Whatever it is, reading it ends in a sentence, or in entries of which
 * each has one id with all parameters, and metrics with finite values of processes in order.
 */
#include "suites/suite.h"
#include "tests/fuzz/require.h"

#include <math.h>
#include <string.h>

static void check_metric(const struct pe_suite_metric *metric)
{
	size_t before = 0;

	require(metric->name[0] != '\0' || metric->unit != NULL, "a name and a unit");
	require(metric->n_values > 0 && metric->n_processes > 0, "values");
	for (size_t i = 0; i < metric->n_values; i++)
		require(isfinite(metric->values[i]), "finite values");
	for (size_t i = 0; i < metric->n_processes; i++) {
		require(metric->ends[i] > before, "processes with values");
		before = metric->ends[i];
	}
	require(before == metric->n_values, "values of processes");
}

static void check_entry(const struct pe_suite_entry *entry, struct pe_arena *arena)
{
	require(pe_suite_id_params(entry->id, arena).n == entry->n_params,
		"an id with its parameters");
	for (const char *at = entry->id; *at != '\0'; at++)
		require((unsigned char)*at >= 0x20 && *at != 0x7f, "an id without controls");
	require((entry->state == PE_SUITE_MEASURED) == (entry->n_metrics > 0),
		"values or a reason");
	require(entry->selector != NULL && entry->message != NULL, "texts");
	require(isfinite(entry->iterations) && entry->iterations >= 0, "iterations");
	for (size_t i = 0; i < entry->n_metrics; i++)
		check_metric(&entry->metrics[i]);
}

static int order(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static void check_ids(const struct pe_suite_output *out)
{
	const char **ids = malloc((out->n_entries + 1) * sizeof(*ids));

	for (size_t i = 0; i < out->n_entries; i++)
		ids[i] = out->entries[i].id;
	qsort(ids, out->n_entries, sizeof(*ids), order);
	for (size_t i = 1; i < out->n_entries; i++)
		require(strcmp(ids[i - 1], ids[i]) != 0, "ids that differ");
	free(ids);
}

/* As the format, and as what the bytes are told to be. */
static void read_as(enum pe_suite_format format, const uint8_t *data, size_t size)
{
	const enum pe_suite_format formats[] = {format, PE_SUITE_AUTO};

	for (size_t f = 0; f < 2; f++) {
		struct pe_arena arena = PE_ARENA_INIT;
		struct pe_err err = PE_ERR_INIT;
		struct pe_suite_output out;
		int rc = pe_suite_read((const char *)data, size, formats[f], &arena, &out, &err);

		require(rc == PE_OK || (rc == PE_EINVALID && err.message[0] != '\0'), "a sentence");
		for (size_t i = 0; i < out.n_entries; i++)
			check_entry(&out.entries[i], &arena);
		for (size_t i = 0; i < out.n_notes; i++)
			require(out.notes[i].text[0] != '\0', "a note that says something");
		check_ids(&out);
		pe_arena_release(&arena);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size > 0)
		read_as((enum pe_suite_format)(data[0] % PE_SUITE_N_FORMATS), data + 1, size - 1);
	return 0;
}

/*
 * Reader of results. They come from other machines by way of a git server, so each value is checked before it is used.
 * Each table is an array of rows, each row an array of columns (store/exchange/columns.h); the error names the first fault
 * of a row.
 */
#include "store/exchange/columns.h"

#include "core/base/base64.h"
#include "core/base/utf8.h"
#include "core/model/modules.h"
#include "core/model/system_calls.h"
#include "core/model/outcome.h"
#include "core/json/tree.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct reading {
	struct pe_results *out;
	const struct pe_json_value *root;
	int64_t version;
	size_t modules;    /* of all sets so far */
	const char *wrong; /* what is wrong with the row at hand; NULL so far */
	struct pe_arena *arena;
	struct pe_err *err;
};

/* Rows of the table that a column refers to. */
static size_t n_referred(const struct pe_results *results, enum pe_results_column_kind kind)
{
	switch (kind) {
	case PE_COLUMN_REVISION:
		return results->n_revisions;
	case PE_COLUMN_BENCHMARK:
		return results->n_benchmarks;
	case PE_COLUMN_METRIC:
		return results->n_metrics;
	case PE_COLUMN_PROFILE:
		return results->n_profiles;
	case PE_COLUMN_MODULE_SET:
		return results->n_module_sets;
	default:
		return 0;
	}
}

static void read_value(struct reading *reading, const struct pe_results_column *column, void *row,
		       const struct pe_json_value *value);

static void refuse(struct reading *reading, const char *wrong)
{
	if (reading->wrong == NULL)
		reading->wrong = wrong;
}

/* --- Values --- */

static int64_t whole(struct reading *reading, const struct pe_json_value *value, int64_t least,
		     int64_t most)
{
	int64_t number = pe_json_whole(value, INT64_MIN);

	if (number >= least && number <= most && number != INT64_MIN)
		return number;
	refuse(reading, "a whole number is missing or out of its range");
	return least;
}

static double real(struct reading *reading, const struct pe_json_value *value)
{
	double number = pe_json_number(value);

	if (isfinite(number))
		return number;
	refuse(reading, "a number is missing");
	return 0;
}

static bool truth(struct reading *reading, const struct pe_json_value *value)
{
	if (value->kind != PE_JSON_TRUE && value->kind != PE_JSON_FALSE)
		refuse(reading, "a truth value is missing");
	return pe_json_true(value);
}

/* Bytes of 0 would end the text early. */
static const char *text(struct reading *reading, const struct pe_json_value *value, size_t most)
{
	if (value->kind != PE_JSON_STRING)
		refuse(reading, "a text is missing");
	else if (value->n > most || strlen(value->text) != value->n)
		refuse(reading, "a text is too long or holds a zero byte");
	else
		return value->text;
	return "";
}

/* Text of one line that is shown to people, so it may contain no control characters for their terminal. */
static const char *words(struct reading *reading, const struct pe_json_value *value, size_t most)
{
	const char *found = text(reading, value, most);

	if (!pe_utf8_is_words(found))
		refuse(reading, "a name holds a control character");
	return found;
}

static const char *name(struct reading *reading, const struct pe_json_value *value, size_t most)
{
	const char *found = words(reading, value, most);

	if (found[0] == '\0')
		refuse(reading, "a name is empty");
	return found;
}

/* Programs and libraries, whose paths people get to see. Comparing sets takes a while: there is an end to it. */
static const char *modules(struct reading *reading, const struct pe_json_value *value, size_t most)
{
	const char *found = text(reading, value, most);
	size_t n = 0;

	if (!pe_modules_are_sound(found, &n))
		refuse(reading, "it is no set of modules");
	reading->modules += n;
	if (reading->modules > PE_RESULTS_MODULES)
		refuse(reading, "there are too many modules");
	return found;
}

/* Names that people get to see, and counts. */
static const char *calls(struct reading *reading, const struct pe_json_value *value, size_t most)
{
	const char *found = text(reading, value, most);
	struct pe_system_calls unpacked;

	if (!pe_system_calls_unpack(&unpacked, found, reading->arena) || unpacked.n == 0)
		refuse(reading, "it is no list of system calls");
	return found;
}

/* Exactly size - 1 lower-case hexadecimal digits. */
static void hex(char *out, size_t size, struct reading *reading, const struct pe_json_value *value)
{
	const char *digits = text(reading, value, size);

	if (strlen(digits) == size - 1 && strspn(digits, "0123456789abcdef") == size - 1) {
		memcpy(out, digits, size);
		return;
	}
	refuse(reading, "an identifier has another form");
	memset(out, '0', size - 1);
	out[size - 1] = '\0';
}

static const char *hash(struct reading *reading, const struct pe_json_value *value)
{
	char digits[PE_HASH_HEX];

	hex(digits, sizeof(digits), reading, value);
	return pe_arena_strdup(reading->arena, digits);
}

static uint64_t seed(struct reading *reading, const struct pe_json_value *value)
{
	char digits[17];

	hex(digits, sizeof(digits), reading, value);
	return strtoull(digits, NULL, 16);
}

static struct pe_results_bytes bytes(struct reading *reading, const struct pe_json_value *value)
{
	const char *digits = text(reading, value, PE_RESULTS_BYTES);
	const size_t n_digits = strlen(digits);
	uint8_t *out = pe_arena_alloc(reading->arena, n_digits / 4 * 3, 1);
	struct pe_results_bytes found = {out, 0};

	if (!pe_base64_read(out, &found.n, digits, n_digits))
		refuse(reading, "its bytes are not base64");
	return found;
}

static size_t reference(struct reading *reading, const struct pe_json_value *value, size_t n)
{
	if (n == 0)
		refuse(reading, "it refers to an empty table");
	return (size_t)whole(reading, value, 0, n > 0 ? (int64_t)n - 1 : 0);
}

static enum pe_outcome outcome(struct reading *reading, const struct pe_json_value *value)
{
	for (int i = 0; i < PE_N_OUTCOMES; i++)
		if (pe_json_equals(value, pe_outcome_name((enum pe_outcome)i)))
			return (enum pe_outcome)i;
	refuse(reading, "its outcome is unknown");
	return PE_NOT_STARTED;
}

static enum pe_confirm_answer answer(struct reading *reading, const struct pe_json_value *value)
{
	for (int i = PE_CONFIRMED; i <= PE_CONFIRM_UNDECIDED; i++)
		if (pe_json_equals(value, pe_confirm_answer_name((enum pe_confirm_answer)i)))
			return (enum pe_confirm_answer)i;
	refuse(reading, "its answer is unknown");
	return PE_CONFIRM_UNDECIDED;
}

/* --- Lists --- */

static void read_list(struct reading *reading, const struct pe_results_column *column, void *row,
		      const struct pe_json_value *value)
{
	if (pe_json_length(value) != column->n_inner) {
		refuse(reading, "a list in it has another length");
		return;
	}
	for (size_t i = 0; i < column->n_inner; i++)
		read_value(reading, &column->inner[i], row, &value->items[i]);
}

static void read_samples(struct reading *reading, struct pe_results_run *run,
			 const struct pe_json_value *value)
{
	struct pe_results *out = reading->out;

	run->first = out->n_samples;
	run->n_samples = pe_json_length(value) / 2;
	if (value->kind != PE_JSON_ARRAY || pe_json_length(value) % 2 != 0 ||
	    run->n_samples > PE_RUN_MAX_SAMPLES ||
	    (run->n_samples != 0 && run->outcome != PE_MEASURED)) {
		refuse(reading, "its samples are not pairs of a measured run");
		run->n_samples = 0;
	}
	for (size_t s = 0; s < run->n_samples; s++) {
		struct pe_results_sample *sample = &out->samples[out->n_samples++];

		sample->metric = reference(reading, &value->items[2 * s], out->n_metrics);
		sample->value = real(reading, &value->items[2 * s + 1]);
		for (size_t before = run->first; before + 1 < out->n_samples; before++)
			if (out->samples[before].metric == sample->metric)
				refuse(reading, "it has two samples of one metric");
	}
}

static void read_value(struct reading *reading, const struct pe_results_column *column, void *row,
		       const struct pe_json_value *value)
{
	const size_t most = (size_t)column->most;
	void *at = (char *)row + column->offset;

	switch (column->kind) {
	case PE_COLUMN_WHOLE:
		pe_results_set(column, row, whole(reading, value, column->least, column->most));
		break;
	case PE_COLUMN_TRUTH:
		*(bool *)at = truth(reading, value);
		break;
	case PE_COLUMN_MAYBE_REAL:
		*(double *)at = pe_json_there(value) ? real(reading, value) : NAN;
		break;
	case PE_COLUMN_REAL:
		*(double *)at = real(reading, value);
		break;
	case PE_COLUMN_MAYBE_TEXT:
		*(const char **)at = pe_json_there(value) ? text(reading, value, most) : NULL;
		break;
	case PE_COLUMN_TEXT:
		*(const char **)at = text(reading, value, most);
		break;
	case PE_COLUMN_MAYBE_WORDS:
		*(const char **)at = pe_json_there(value) ? words(reading, value, most) : NULL;
		break;
	case PE_COLUMN_WORDS:
		*(const char **)at = words(reading, value, most);
		break;
	case PE_COLUMN_MODULES:
		*(const char **)at = modules(reading, value, most);
		break;
	case PE_COLUMN_MAYBE_CALLS:
		*(const char **)at = pe_json_there(value) ? calls(reading, value, most) : NULL;
		break;
	case PE_COLUMN_NAME:
		*(const char **)at = name(reading, value, most);
		break;
	case PE_COLUMN_HASH:
		*(const char **)at = hash(reading, value);
		break;
	case PE_COLUMN_HEX:
		hex(at, column->size, reading, value);
		break;
	case PE_COLUMN_SEED:
		*(uint64_t *)at = seed(reading, value);
		break;
	case PE_COLUMN_OUTCOME:
		*(enum pe_outcome *)at = outcome(reading, value);
		break;
	case PE_COLUMN_ANSWER:
		*(enum pe_confirm_answer *)at = answer(reading, value);
		break;
	case PE_COLUMN_REVISION:
	case PE_COLUMN_BENCHMARK:
	case PE_COLUMN_METRIC:
	case PE_COLUMN_PROFILE:
	case PE_COLUMN_MODULE_SET:
		*(size_t *)at = reference(reading, value, n_referred(reading->out, column->kind));
		break;
	case PE_COLUMN_BYTES:
		*(struct pe_results_bytes *)at = bytes(reading, value);
		break;
	case PE_COLUMN_MAYBE_LIST:
		*(bool *)at = pe_json_there(value);
		if (*(bool *)at)
			read_list(reading, column, row, value);
		break;
	case PE_COLUMN_LIST:
		read_list(reading, column, row, value);
		break;
	case PE_COLUMN_SAMPLES:
		read_samples(reading, row, value);
		break;
	}
}

/* --- Tables --- */

static const char *name_of(const struct reading *reading, const struct pe_results_shape *table)
{
	return reading->version == 1 && table->old_name != NULL ? table->old_name : table->name;
}

static const struct pe_json_value *member(const struct reading *reading,
					  const struct pe_results_shape *table)
{
	return pe_json_member(reading->root, name_of(reading, table));
}

static int read_object(struct reading *reading, const struct pe_results_shape *table)
{
	const struct pe_json_value *value = member(reading, table);

	for (size_t i = 0; i < table->n; i++)
		read_value(reading, &table->columns[i], reading->out,
			   pe_json_member(value, table->columns[i].name));
	if (reading->wrong == NULL)
		return PE_OK;
	return pe_fail(reading->err, PE_EINVALID, "'%s': %s", name_of(reading, table),
		       reading->wrong);
}

static void read_row(struct reading *reading, const struct pe_results_shape *table, char *row,
		     const struct pe_json_value *value)
{
	const size_t required = reading->version == 1 ? table->n_required : table->n_first;

	if (pe_json_length(value) < required)
		refuse(reading, "it has too few columns");
	for (size_t i = 0; i < table->n && (i < required || i < pe_json_length(value)); i++)
		read_value(reading, &table->columns[i], row, pe_json_element(value, i));
}

static int read_table(struct reading *reading, const struct pe_results_shape *table)
{
	const struct pe_json_value *rows = member(reading, table);
	char **out = pe_results_rows(reading->out, table);

	if (table->old_name == NULL && rows->kind == PE_JSON_END)
		return PE_OK;
	if (rows->kind != PE_JSON_ARRAY)
		return pe_fail(reading->err, PE_EINVALID, "it has no table '%s'",
			       name_of(reading, table));
	*out = pe_arena_alloc(reading->arena, rows->n, table->size);
	*pe_results_n_rows(reading->out, table) = rows->n;
	for (size_t i = 0; i < rows->n; i++) {
		read_row(reading, table, *out + i * table->size, &rows->items[i]);
		if (reading->wrong != NULL)
			return pe_fail(reading->err, PE_EINVALID, "row %zu of '%s': %s", i,
				       name_of(reading, table), reading->wrong);
	}
	return PE_OK;
}

/* Room for as many samples as all runs claim to have. */
static void make_room(struct reading *reading)
{
	const struct pe_json_value *runs = member(reading, &pe_results_tables[PE_RESULTS_RUNS]);
	const size_t column = pe_results_samples_column();
	size_t n = 0;

	for (size_t i = 0; i < pe_json_length(runs); i++)
		n += pe_json_length(pe_json_element(&runs->items[i], column)) / 2;
	reading->out->samples = pe_arena_new(reading->arena, struct pe_results_sample, n);
}

static int read_version(struct reading *reading)
{
	const struct pe_json_value *format = pe_json_member(reading->root, "format"),
				   *version = pe_json_member(reading->root, "version");

	reading->version = pe_json_whole(version, 0);
	if (version->kind != PE_JSON_NUMBER || !(pe_json_equals(format, "perfevo results") ||
						 pe_json_equals(format, "perfevo parcel")))
		return pe_fail(reading->err, PE_EINVALID, "it holds no results of perfevo");
	if (reading->version != 1 && reading->version != 2)
		return pe_fail(reading->err, PE_EUNSUPPORTED,
			       "it is of version %" PRId64
			       ", and this perfevo reads 1 and 2: update perfevo",
			       reading->version);
	return PE_OK;
}

static int read_root(struct reading *reading)
{
	int rc = read_version(reading);

	if (rc == PE_OK)
		rc = read_object(reading, &pe_results_machine);
	reading->out->has_batch = pe_json_there(member(reading, &pe_results_batch));
	if (rc == PE_OK && reading->out->has_batch)
		rc = read_object(reading, &pe_results_batch);
	if (rc == PE_OK)
		make_room(reading);
	for (size_t t = 0; rc == PE_OK && t < PE_N_RESULTS_TABLES; t++)
		rc = read_table(reading, &pe_results_tables[t]);
	return rc;
}

/* As many as there are at most: each but the first follows one of these. */
static size_t count_values(const char *document, size_t n)
{
	size_t found = 1;

	for (size_t i = 0; i < n; i++)
		found += document[i] == ',' || document[i] == '[' || document[i] == '{';
	return found;
}

size_t pe_results_count(const struct pe_results *results)
{
	size_t n = results->n_samples;

	for (size_t t = 0; t < PE_N_RESULTS_TABLES; t++)
		n += *pe_results_n_rows(results, &pe_results_tables[t]);
	return n;
}

int pe_results_read(struct pe_results *out, const char *document, size_t n, struct pe_arena *arena,
		    struct pe_err *err)
{
	struct reading reading = {.out = out, .arena = arena, .err = err};
	int rc;

	*out = (struct pe_results){0};
	if (n > PE_RESULTS_BYTES || count_values(document, n) > PE_RESULTS_VALUES)
		return pe_fail(err, PE_EINVALID, "it has more than %d MiB or %d values",
			       PE_RESULTS_BYTES >> 20, PE_RESULTS_VALUES);
	rc = pe_json_tree(&reading.root, document, n, arena, err);
	return rc == PE_OK ? read_root(&reading) : rc;
}

/*
 * Reader of results. They come from other machines by way of a git server, so each value is checked before it is used.
 * Each table is an array of rows, each row an array of columns (store/exchange/columns.h); the error names the first fault
 * of a row.
 */
#include "store/exchange/columns.h"

#include "core/base/base64.h"
#include "core/model/modules.h"
#include "core/json/tree.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VERSION = 2 };

struct reading {
	struct pe_results *out;
	const struct pe_json_value *root;
	const char *wrong; /* what is wrong with the row at hand; NULL so far */
	struct pe_arena *arena;
	struct pe_err *err;
};

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

static const char *checked_text(struct reading *reading, const struct pe_results_column *column,
				const struct pe_json_value *value)
{
	const char *found = text(reading, value, (size_t)column->most);
	const char *fault = column->fault != NULL ? column->fault(found) : NULL;

	if (fault != NULL)
		refuse(reading, fault);
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

/* The index of a row in a table that was read before. */
static size_t reference(struct reading *reading, const struct pe_json_value *value, int64_t table)
{
	const size_t n = *pe_results_n_rows(reading->out, &pe_results_tables[table]);

	if (n == 0)
		refuse(reading, "it refers to an empty table");
	return (size_t)whole(reading, value, 0, n > 0 ? (int64_t)n - 1 : 0);
}

static int64_t named(struct reading *reading, const struct pe_results_column *column,
		     const struct pe_json_value *value)
{
	for (int64_t i = column->least; i <= column->most; i++)
		if (pe_json_equals(value, column->name_of((int)i)))
			return i;
	refuse(reading, "its outcome or answer is unknown");
	return column->least;
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
	const size_t n = pe_json_length(value) / 2;

	if (value->kind != PE_JSON_ARRAY || pe_json_length(value) % 2 != 0 ||
	    n > PE_RUN_MAX_SAMPLES || (n != 0 && run->outcome != PE_MEASURED)) {
		refuse(reading, "its samples are not pairs of a measured run");
		return;
	}
	run->samples = pe_arena_new(reading->arena, struct pe_results_sample, n);
	for (size_t s = 0; s < n; s++) {
		struct pe_results_sample *sample = &run->samples[run->n_samples++];

		sample->metric = reference(reading, &value->items[2 * s], PE_RESULTS_METRICS);
		sample->value = real(reading, &value->items[2 * s + 1]);
		for (size_t before = 0; before < s; before++)
			if (run->samples[before].metric == sample->metric)
				refuse(reading, "it has two samples of one metric");
	}
}

static void read_value(struct reading *reading, const struct pe_results_column *column, void *row,
		       const struct pe_json_value *value)
{
	const bool there = !column->maybe || pe_json_there(value);
	void *at = (char *)row + column->offset;

	switch (column->kind) {
	case PE_COLUMN_WHOLE:
		pe_results_set(column, row, whole(reading, value, column->least, column->most));
		break;
	case PE_COLUMN_TRUTH:
		*(bool *)at = truth(reading, value);
		break;
	case PE_COLUMN_REAL:
		*(double *)at = there ? real(reading, value) : NAN;
		break;
	case PE_COLUMN_TEXT:
		*(const char **)at = there ? checked_text(reading, column, value) : NULL;
		break;
	case PE_COLUMN_HEX:
		hex(at, column->size, reading, value);
		break;
	case PE_COLUMN_SEED:
		*(uint64_t *)at = seed(reading, value);
		break;
	case PE_COLUMN_NAMED:
		pe_results_set(column, row, named(reading, column, value));
		break;
	case PE_COLUMN_ROW:
		*(size_t *)at = reference(reading, value, column->most);
		break;
	case PE_COLUMN_BYTES:
		*(struct pe_results_bytes *)at = bytes(reading, value);
		break;
	case PE_COLUMN_LIST:
		if (column->maybe)
			*(bool *)at = there;
		if (there)
			read_list(reading, column, row, value);
		break;
	case PE_COLUMN_SAMPLES:
		read_samples(reading, row, value);
		break;
	}
}

/* --- Tables --- */

static const struct pe_json_value *member(const struct reading *reading,
					  const struct pe_results_shape *table)
{
	return pe_json_member(reading->root, table->name);
}

static int read_object(struct reading *reading, const struct pe_results_shape *table)
{
	const struct pe_json_value *value = member(reading, table);

	for (size_t i = 0; i < table->n; i++)
		read_value(reading, &table->columns[i], reading->out,
			   pe_json_member(value, table->columns[i].name));
	if (reading->wrong == NULL)
		return PE_OK;
	return pe_fail(reading->err, PE_EINVALID, "'%s': %s", table->name, reading->wrong);
}

static void read_row(struct reading *reading, const struct pe_results_shape *table, char *row,
		     const struct pe_json_value *value)
{
	if (pe_json_length(value) < table->n_first)
		refuse(reading, "it has too few columns");
	for (size_t i = 0; i < table->n && (i < table->n_first || i < pe_json_length(value)); i++)
		read_value(reading, &table->columns[i], row, pe_json_element(value, i));
}

static int read_table(struct reading *reading, const struct pe_results_shape *table)
{
	const struct pe_json_value *rows = member(reading, table);
	char **out = pe_results_rows(reading->out, table);

	if (rows->kind == PE_JSON_END)
		return PE_OK;
	if (rows->kind != PE_JSON_ARRAY)
		return pe_fail(reading->err, PE_EINVALID, "'%s' is no table", table->name);
	*out = pe_arena_alloc(reading->arena, rows->n, table->size);
	*pe_results_n_rows(reading->out, table) = rows->n;
	for (size_t i = 0; i < rows->n; i++) {
		read_row(reading, table, *out + i * table->size, &rows->items[i]);
		if (reading->wrong != NULL)
			return pe_fail(reading->err, PE_EINVALID, "row %zu of '%s': %s", i,
				       table->name, reading->wrong);
	}
	return PE_OK;
}

/* Comparing sets takes a while: their modules are bounded. */
static int count_modules(const struct reading *reading)
{
	size_t all = 0, n;

	for (size_t i = 0; i < reading->out->n_module_sets; i++, all += n)
		if (!pe_modules_are_sound(reading->out->module_sets[i].lines, &n))
			n = 0;
	return all <= PE_RESULTS_MODULES
		       ? PE_OK
		       : pe_fail(reading->err, PE_EINVALID, "it has more than %d modules",
				 PE_RESULTS_MODULES);
}

static int read_version(struct reading *reading)
{
	const struct pe_json_value *format = pe_json_member(reading->root, "format"),
				   *version = pe_json_member(reading->root, "version");
	int64_t number;

	if (version->kind != PE_JSON_NUMBER || !pe_json_equals(format, "perfevo results"))
		return pe_fail(reading->err, PE_EINVALID, "it holds no results of perfevo");
	number = pe_json_whole(version, 0);
	if (number != VERSION)
		return pe_fail(reading->err, PE_EUNSUPPORTED,
			       "it is of version %" PRId64 ", and this perfevo reads %d: %s",
			       number, VERSION,
			       number > VERSION ? "update perfevo" : "push it again with this one");
	return PE_OK;
}

static int read_root(struct reading *reading)
{
	PE_TRY(read_version(reading));
	PE_TRY(read_object(reading, &pe_results_machine));
	reading->out->has_batch = pe_json_there(member(reading, &pe_results_batch));
	if (reading->out->has_batch)
		PE_TRY(read_object(reading, &pe_results_batch));
	for (size_t t = 0; t < PE_N_RESULTS_TABLES; t++)
		PE_TRY(read_table(reading, &pe_results_tables[t]));
	return count_modules(reading);
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
	size_t n = 0;

	for (size_t i = 0; i < results->n_runs; i++)
		n += results->runs[i].n_samples;
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

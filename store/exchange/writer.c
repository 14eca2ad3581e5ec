/* Results out: tables of columns as JSON. */
#include "store/exchange/columns.h"

#include "core/base/base64.h"
#include "core/json/writer.h"

#include <inttypes.h>

static void put_columns(struct pe_json *json, const struct pe_results_column *columns, size_t n,
			const void *row);

static void put_seed(struct pe_json *json, const char *key, uint64_t value)
{
	struct pe_text hex = PE_TEXT_INIT;

	pe_text_addf(&hex, "%016" PRIx64, value);
	pe_json_take(json, key, &hex);
}

static void put_bytes(struct pe_json *json, const char *key, const struct pe_results_bytes *bytes)
{
	struct pe_text digits = PE_TEXT_INIT;

	pe_base64_add(&digits, bytes->at, bytes->n);
	pe_json_take(json, key, &digits);
}

static void put_samples(struct pe_json *json, const struct pe_results_run *run)
{
	pe_json_each(json, NULL, s, run->n_samples,
		     pe_json_columns(json, &run->samples[s], metric, value));
}

static void put_list(struct pe_json *json, const struct pe_results_column *column, const void *row)
{
	pe_json_begin_array(json, NULL);
	put_columns(json, column->inner, column->n_inner, row);
	pe_json_end(json);
}

static void put_value(struct pe_json *json, const struct pe_results_column *column, const void *row)
{
	const void *at = (const char *)row + column->offset;
	const char *key = column->name;

	switch (column->kind) {
	case PE_COLUMN_TRUTH:
		pe_json_bool(json, key, *(const bool *)at);
		break;
	case PE_COLUMN_REAL:
		pe_json_real(json, key, *(const double *)at);
		break;
	case PE_COLUMN_TEXT:
		pe_json_text(json, key, *(const char *const *)at);
		break;
	case PE_COLUMN_HEX:
		pe_json_text(json, key, at);
		break;
	case PE_COLUMN_BYTES:
		put_bytes(json, key, at);
		break;
	case PE_COLUMN_SEED:
		put_seed(json, key, *(const uint64_t *)at);
		break;
	case PE_COLUMN_NAMED:
		pe_json_text(json, key, column->name_of((int)pe_results_get(column, row)));
		break;
	case PE_COLUMN_LIST:
		if (!column->maybe || *(const bool *)at)
			put_list(json, column, row);
		else
			pe_json_null(json, key);
		break;
	case PE_COLUMN_SAMPLES:
		put_samples(json, row);
		break;
	case PE_COLUMN_WHOLE:
	case PE_COLUMN_ROW:
		pe_json_int(json, key, pe_results_get(column, row));
		break;
	}
}

static void put_columns(struct pe_json *json, const struct pe_results_column *columns, size_t n,
			const void *row)
{
	for (size_t i = 0; i < n; i++)
		put_value(json, &columns[i], row);
}

static void put_object(struct pe_json *json, const struct pe_results_shape *table,
		       const struct pe_results *results, bool there)
{
	if (!pe_json_begin_maybe(json, table->name, there))
		return;
	put_columns(json, table->columns, table->n, results);
	pe_json_end(json);
}

static void put_row(struct pe_json *json, const struct pe_results_shape *table,
		    const struct pe_results *results, size_t i)
{
	pe_json_begin_array(json, NULL);
	put_columns(json, table->columns, table->n,
		    *pe_results_rows(results, table) + i * table->size);
	pe_json_end(json);
}

void pe_results_write(struct pe_text *out, const struct pe_results *results)
{
	struct pe_json json = PE_JSON_INIT(out);

	pe_json_begin_object(&json, NULL);
	pe_json_put(&json, "format", "perfevo results");
	pe_json_put(&json, "version", 2);
	put_object(&json, &pe_results_machine, results, true);
	put_object(&json, &pe_results_batch, results, results->has_batch);
	for (size_t t = 0; t < PE_N_RESULTS_TABLES; t++) {
		const struct pe_results_shape *table = &pe_results_tables[t];

		pe_json_each_row(&json, table->name, i, *pe_results_n_rows(results, table),
				 put_row(&json, table, results, i));
	}
	pe_json_finish(&json);
}

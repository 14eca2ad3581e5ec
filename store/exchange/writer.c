/* Results out: tables of columns as JSON. */
#include "store/exchange/columns.h"

#include "core/base/base64.h"
#include "core/model/outcome.h"
#include "core/json/writer.h"

#include <inttypes.h>

static void put_columns(struct pe_json *json, const struct pe_results_column *columns, size_t n,
			const struct pe_results *results, const void *row, bool named);

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

static void put_samples(struct pe_json *json, const struct pe_results *results,
			const struct pe_results_run *run)
{
	pe_json_each(json, NULL, s, run->n_samples,
		     pe_json_columns(json, &results->samples[run->first + s], metric, value));
}

static void put_list(struct pe_json *json, const struct pe_results_column *column,
		     const struct pe_results *results, const void *row)
{
	pe_json_begin_array(json, NULL);
	put_columns(json, column->inner, column->n_inner, results, row, false);
	pe_json_end(json);
}

static void put_value(struct pe_json *json, const char *key, const struct pe_results_column *column,
		      const struct pe_results *results, const void *row)
{
	const void *at = (const char *)row + column->offset;

	switch (column->kind) {
	case PE_COLUMN_TRUTH:
		pe_json_bool(json, key, *(const bool *)at);
		break;
	case PE_COLUMN_REAL:
	case PE_COLUMN_MAYBE_REAL:
		pe_json_real(json, key, *(const double *)at);
		break;
	case PE_COLUMN_TEXT:
	case PE_COLUMN_MAYBE_TEXT:
	case PE_COLUMN_MAYBE_CALLS:
	case PE_COLUMN_WORDS:
	case PE_COLUMN_MAYBE_WORDS:
	case PE_COLUMN_NAME:
	case PE_COLUMN_HASH:
	case PE_COLUMN_MODULES:
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
	case PE_COLUMN_OUTCOME:
		pe_json_text(json, key, pe_outcome_name(*(const enum pe_outcome *)at));
		break;
	case PE_COLUMN_ANSWER:
		pe_json_text(json, key,
			     pe_confirm_answer_name(*(const enum pe_confirm_answer *)at));
		break;
	case PE_COLUMN_LIST:
		put_list(json, column, results, row);
		break;
	case PE_COLUMN_MAYBE_LIST:
		if (*(const bool *)at)
			put_list(json, column, results, row);
		else
			pe_json_null(json, key);
		break;
	case PE_COLUMN_SAMPLES:
		put_samples(json, results, row);
		break;
	case PE_COLUMN_WHOLE:
	case PE_COLUMN_REVISION:
	case PE_COLUMN_BENCHMARK:
	case PE_COLUMN_METRIC:
	case PE_COLUMN_PROFILE:
	case PE_COLUMN_MODULE_SET:
		pe_json_int(json, key, pe_results_get(column, row));
		break;
	}
}

static void put_columns(struct pe_json *json, const struct pe_results_column *columns, size_t n,
			const struct pe_results *results, const void *row, bool named)
{
	for (size_t i = 0; i < n; i++)
		put_value(json, named ? columns[i].name : NULL, &columns[i], results, row);
}

static void put_object(struct pe_json *json, const struct pe_results_shape *table,
		       const struct pe_results *results, bool there)
{
	if (!pe_json_begin_maybe(json, table->name, there))
		return;
	put_columns(json, table->columns, table->n, results, results, true);
	pe_json_end(json);
}

static void put_row(struct pe_json *json, const struct pe_results_shape *table,
		    const struct pe_results *results, size_t i)
{
	pe_json_begin_array(json, NULL);
	put_columns(json, table->columns, table->n, results,
		    *pe_results_rows(results, table) + i * table->size, false);
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

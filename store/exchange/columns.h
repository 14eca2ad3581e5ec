/*
 * Columns: what a document of results consists of, once, for all who walk it: the writer, the reader, and the store, which
 * selects its rows in this order.
 */
#ifndef PE_EXCHANGE_COLUMNS_H
#define PE_EXCHANGE_COLUMNS_H

#include "store/exchange/results.h"

enum pe_results_column_kind {
	PE_COLUMN_WHOLE, /**< any integer type; `least` to `most` */
	PE_COLUMN_TRUTH, /**< bool */
	PE_COLUMN_REAL,  /**< double, finite; of `maybe` NaN is null */
	PE_COLUMN_TEXT,  /**< const char *, of `most` bytes at most; of `maybe` NULL is null */
	PE_COLUMN_HEX,   /**< char[] that its digits fill */
	PE_COLUMN_SEED,  /**< uint64_t, in 16 hexadecimal digits */
	PE_COLUMN_NAMED, /**< an enum from `least` to `most`, by name */
	PE_COLUMN_ROW,   /**< size_t: index into the table whose number `most` is */
	PE_COLUMN_BYTES, /**< struct pe_results_bytes, in base64 */
	PE_COLUMN_LIST, /**< `n_inner` columns in a list of their own; of `maybe` the bool at `offset` is whether it is there */
	PE_COLUMN_SAMPLES, /**< of struct pe_results_run: metric, value, metric, value, ... */
};

struct pe_results_column {
	const char *name; /**< of a member of an object; a column of a row has none */
	enum pe_results_column_kind kind;
	bool maybe; /**< it may be null */
	size_t offset, size;
	int64_t least, most;
	const char *(*fault)(
		const char *
			text); /**< of a text: what is wrong with it, or NULL; NULL: any text is good */
	const char *(*name_of)(int value); /**< of a PE_COLUMN_NAMED */
	const struct pe_results_column *inner;
	size_t n_inner;
};

/** An array of struct pe_results, whose rows have these columns. */
struct pe_results_shape {
	const char *name;
	size_t rows, n_rows; /**< offsets of the array and of its length */
	size_t size;         /**< of a row */
	const struct pe_results_column *columns;
	size_t n;
	size_t n_first; /**< columns that version 2 began with; those that came later may be left out */
};

enum pe_results_table {
	PE_RESULTS_REVISIONS,
	PE_RESULTS_BENCHMARKS,
	PE_RESULTS_METRICS,
	PE_RESULTS_MODULE_SETS,
	PE_RESULTS_CELLS,
	PE_RESULTS_RUNS,
	PE_RESULTS_BUILDS,
	PE_RESULTS_REUSED,
	PE_RESULTS_CONFIRMATIONS,
	PE_RESULTS_FRAMES,
	PE_RESULTS_PROFILES,
	PE_RESULTS_TREES,
	PE_N_RESULTS_TABLES
};

/** Those that others refer to come first. */
extern const struct pe_results_shape pe_results_tables[PE_N_RESULTS_TABLES];

/** Members of struct pe_results itself, in a table of one row: the machine, the batch. */
extern const struct pe_results_shape pe_results_machine, pe_results_batch;

/** Rows and their number, of a table. */
static inline char **pe_results_rows(const struct pe_results *results,
				     const struct pe_results_shape *table)
{
	return (char **)((const char *)results + table->rows);
}

static inline size_t *pe_results_n_rows(const struct pe_results *results,
					const struct pe_results_shape *table)
{
	return (size_t *)((const char *)results + table->n_rows);
}

/** An integer of any width. */
int64_t pe_results_get(const struct pe_results_column *column, const void *row);
/** Set it; what the column is too narrow for loses its upper bits, so its bounds are checked before. */
void pe_results_set(const struct pe_results_column *column, void *row, int64_t value);

#endif

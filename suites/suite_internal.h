/*
 * State of a reader of one format: the file, and the output so far. A reader parses the document and calls
 *
 *	struct pe_suite_draft *draft = pe_suite_draft(reader, &name, instance);
 *
 *	pe_suite_value(reader, draft, &pe_suite_wall, ns);
 *
 * once a value; pe_suite_finish() makes entries, groups of values and notes of them. Errors become notes in the output.
 */
#pragma once

#include "core/base/hash_index.h"
#include "core/base/text.h"
#include "core/json/tree.h"
#include "suites/suite.h"

struct pe_suite_draft;

/** A benchmark's name and parameters. Zero-initialise with a name; an entry copies the strings. */
struct pe_suite_name {
	const char *name;
	const char *selector; /**< NULL: the name */
	struct pe_suite_param params[PE_SUITE_MAX_PARAMS];
	size_t n_params;
};

/** Metric of a value. */
struct pe_suite_definition {
	const char *name, *unit;
	enum pe_better better;
	enum pe_metric_kind kind;
};

struct pe_suite_reader {
	const char *bytes;
	size_t n;
	struct pe_arena *arena;  /**< of the output */
	struct pe_arena scratch; /**< released with each document */
	struct pe_suite_output *out;
	unsigned document; /**< number of the current one, when a file holds several */
	unsigned
		process; /**< of the following values; those with the same number are of the same process */
	unsigned found; /**< documents or lines of the format */
	const struct pe_suite_layout *layout;
	struct pe_suite_draft
		*current; /**< of Criterion.rs, whose benchmarks have several documents */
	/* of builder.c */
	PE_VEC(struct pe_suite_draft *) drafts;
	struct pe_hash_index by_id;
	struct pe_map by_instance; /* rows of drafts by their first one's and the instance */
	PE_VEC(struct pe_suite_note) notes;
	struct pe_text id, id_other;
	size_t n_refused, n_duplicates; /**< values, entries */
	const char *first_refused, *first_duplicate;
};

/** Free a reader's own memory, not the output in the arena of the caller. */
void pe_suite_reader_release(struct pe_suite_reader *reader);

/** For formats whose entries of one name and document are distinguished by their order. */
#define PE_SUITE_EACH UINT64_MAX
/** For formats in which all values of one name are of one benchmark. */
#define PE_SUITE_MERGE 0

/**
 * Find the entry of a benchmark, or make it.
 *
 * @param instance  distinguishes several benchmarks of one name within a document
 * @return          NULL: a limit was reached, and a note added
 */
struct pe_suite_draft *pe_suite_draft(struct pe_suite_reader *reader,
				      const struct pe_suite_name *name, uint64_t instance);

/** Add a value; one that is not finite is counted and left out. */
void pe_suite_value(struct pe_suite_reader *reader, struct pe_suite_draft *draft,
		    const struct pe_suite_definition *about, double value);

/** Whether an entry has a value already. */
bool pe_suite_has_values(const struct pe_suite_draft *draft);

/** Set the number of iterations behind a value. */
void pe_suite_iterations(struct pe_suite_draft *draft, double iterations);

/** Mark an entry as failed or skipped; its values do not count. */
void pe_suite_failed(struct pe_suite_reader *reader, struct pe_suite_draft *draft,
		     enum pe_suite_state state, const char *message);

/** Add a note, unless there is one of its kind. */
void pe_suite_note(struct pe_suite_reader *reader, enum pe_suite_note_kind kind, const char *format,
		   ...) PE_PRINTF(3, 4);

/** Mark the document as cut short while a benchmark ran; NULL or "": unknown. */
void pe_suite_cut(struct pe_suite_reader *reader, const char *running);

/** Make the output's entries out of the drafts. */
void pe_suite_finish(struct pe_suite_reader *reader);

/** Add a parameter; false if there is no room, with a note. Strings are borrowed. */
bool pe_suite_param(struct pe_suite_reader *reader, struct pe_suite_name *name, const char *key,
		    const char *value);

extern const struct pe_suite_definition pe_suite_wall, pe_suite_cpu;

/** Append the id of a name. */
void pe_suite_id_add(struct pe_text *out, const char *name, const struct pe_suite_param *params,
		     size_t n_params);

/** Nanoseconds of a unit of time ("ns", "us", "ms", "s", ...); 0: unknown. */
double pe_suite_time_unit(const char *unit);

/** The factor from a unit to its base unit, to which *unit is set. */
double pe_suite_base_unit(const char **unit);

/** Whether more is better by the name of a rate, or a unit: items_per_second, "MB/s", "ops/ms". */
bool pe_suite_is_rate(const char *name);

/* ---- JSON ---- */

/** Read a document, or a record of one. Where the file ends in it, value->is_cut. */
typedef void (*pe_suite_take_fn)(struct pe_suite_reader *reader, const struct pe_json_value *value);

/**
 * Read the documents of a format, skip other text, and pass each to a reader. The values are valid only during the call.
 */
void pe_suite_documents(struct pe_suite_reader *reader, enum pe_suite_format format,
			pe_suite_take_fn take);

/** Pass each element of an array, or member of an object, to a reader. */
void pe_suite_each(struct pe_suite_reader *reader, const struct pe_json_value *records,
		   pe_suite_take_fn take);

/** A search for documents in a file. Zero-initialise with bytes, n `at` and an arena, which a search releases. */
struct pe_suite_search {
	const char *bytes;
	size_t n;
	size_t at;    /**< earliest begin of the next document; begin of a found one */
	size_t spent; /**< bytes read so far: limited to a multiple of the file's length */
	bool gave_up; /**< the rest from `at` on was not searched */
	struct pe_arena *arena;
	const struct pe_json_value *root; /**< the found document, until the next search */
	size_t end;                       /**< behind it, or where reading it ended */
	bool is_whole; /**< it has its end; else err says what is wrong at `end` */
	struct pe_err err;
};

/**
 * Find the next document of JSON in a format. A document begins on a new line.
 *
 * @param wanted  the format; PE_SUITE_AUTO: any
 * @return        PE_SUITE_AUTO: there is no further one
 */
enum pe_suite_format pe_suite_find_document(struct pe_suite_search *search,
					    enum pe_suite_format wanted);

/** Read a text that is one document, as in the files of libraries; NULL: it is none. */
const struct pe_json_value *pe_suite_tree(const char *bytes, size_t n, struct pe_arena *arena);

/** The text of a string; "" for other kinds. */
const char *pe_suite_string(const struct pe_json_value *value);

/** A number, string, truth value or null as text, static or in the arena; NULL for other kinds. */
const char *pe_suite_scalar(const struct pe_json_value *value, struct pe_arena *arena);

/** Add members of an object as parameters: plain values, or objects that have them as "value". */
void pe_suite_param_members(struct pe_suite_reader *reader, struct pe_suite_name *name,
			    const struct pe_json_value *object);

/* ---- Layouts: the records of a document, and the values of a record ---- */

/** A metric of a format by the key of a member. */
struct pe_suite_known {
	const char *key;
	struct pe_suite_definition about;
	double factor;
};

enum pe_suite_value_flag {
	PE_SUITE_OPTIONAL = 1 << 0,  /**< values other than numbers are skipped */
	PE_SUITE_POSITIVE = 1 << 1,  /**< so is a 0: the machine could not count it */
	PE_SUITE_PROCESSES = 1 << 2, /**< each value is of a process of its own */
	PE_SUITE_INSTEAD = 1 << 3,   /**< for a benchmark without values so far, with a note */
};

/**
 * Values of a record. A path has the keys of members with dots between them; "[]" after a key means each element of its
 * array, "*" in place of one each member of an object, whose key is the metric's name.
 */
struct pe_suite_values {
	const char *path;
	const struct pe_suite_definition
		*about; /**< NULL: by the key, among the layout's `known` */
	double factor;
	unsigned flags;
};

struct pe_suite_layout {
	const char *records; /**< the root's member with the records; NULL: the root has them */
	const char *name;    /**< path; NULL: a record's key */
	const char *params;  /**< path of an object of parameters */
	/** Add to the name of a record the parts without a path; NULL is allowed. */
	void (*complete)(struct pe_suite_reader *reader, struct pe_suite_name *name,
			 const struct pe_json_value *record);
	bool merges;            /**< all records of a name are of one benchmark */
	const char *version;    /**< path in the root or in a record */
	const char *iterations; /**< path */
	bool once;              /**< each value is of one iteration */
	const char *divisor;    /**< path of the divisor of values, ignored if it is 0 */
	struct pe_suite_values values[12];
	const struct pe_suite_known *known; /**< the last one has no key; NULL: none */
	const char *aggregates;             /**< the note of PE_SUITE_INSTEAD */
	/** Read the values without a path, before the others; NULL is allowed. */
	void (*take)(struct pe_suite_reader *reader, struct pe_suite_draft *draft,
		     const struct pe_json_value *record);
	pe_suite_take_fn about; /**< reads the root's other members; NULL is allowed */
};

/** The layouts of the formats that have one. */
extern const struct pe_suite_layout pe_suite_nanobench, pe_suite_pytest_benchmark, pe_suite_jmh,
	pe_suite_benchmarkdotnet, pe_suite_hyperfine, pe_suite_bmf;

/** Read the documents of a format by its layout. */
void pe_suite_read_layout(struct pe_suite_reader *reader, enum pe_suite_format format,
			  const struct pe_suite_layout *layout);

/** Add a value of the metric of a key; an unknown key is context, in that unit. */
void pe_suite_value_of(struct pe_suite_reader *reader, struct pe_suite_draft *draft,
		       const struct pe_suite_known *known, const char *key, const char *unit,
		       double value);

/* ---- Text ---- */

/**
 * Call a function with each line that is not empty, without its end and terminated, which it may change. The reader's scratch
 * arena is released now and then between lines.
 *
 * @param whole  false: the file ends in this line
 */
void pe_suite_lines(struct pe_suite_reader *reader,
		    void (*take)(char *line, bool whole, void *payload), void *payload);

/** Whether a text is digits, one or more. */
bool pe_suite_is_digits(const char *text);

/** Read a number with commas between its thousands and nothing after it; NaN: invalid. */
double pe_suite_decimal(const char *text, size_t n);

/* ---- The readers of a document ---- */

/** Google Benchmark. */
void pe_suite_take_google_benchmark(struct pe_suite_reader *reader,
				    const struct pe_json_value *root);
/** pyperf. */
void pe_suite_take_pyperf(struct pe_suite_reader *reader, const struct pe_json_value *root);
/** Criterion.rs. */
void pe_suite_take_criterion_rs(struct pe_suite_reader *reader, const struct pe_json_value *root);

/* ---- The readers of all of a file ---- */

/** Perfevo's own lines. */
void pe_suite_read_lines(struct pe_suite_reader *reader);
/** Catch2. */
void pe_suite_read_catch2(struct pe_suite_reader *reader);
/** go test -bench. */
void pe_suite_read_go(struct pe_suite_reader *reader);
/** Rust's own library, libtest. */
void pe_suite_read_libtest(struct pe_suite_reader *reader);

/** Find the beginning of Catch2's XML from a byte on; SIZE_MAX: there is none. */
size_t pe_suite_find_catch2(const char *bytes, size_t n, size_t from);

/*
 * What a reader of one format has in hand: the file, and what becomes of it. A reader takes the document apart and calls
 *
 *	struct pe_suite_draft *draft = pe_suite_draft(reader, &name, instance);
 *
 *	pe_suite_value(reader, draft, &pe_suite_wall, ns);
 *
 * once a value; entries, groups of values and notes come of it at the end. What fails stays in the output as a note.
 */
#ifndef PE_SUITES_SUITE_INTERNAL_H
#define PE_SUITES_SUITE_INTERNAL_H

#include "core/base/hash_index.h"
#include "core/base/text.h"
#include "core/json/tree.h"
#include "suites/suite.h"

struct pe_suite_draft;

/** A benchmark's name, taken apart. Zero-initialise with a name; strings are copied where an entry is made of it. */
struct pe_suite_name {
	const char *name;
	const char *selector; /**< NULL: the name */
	struct pe_suite_param params[PE_SUITE_MAX_PARAMS];
	size_t n_params;
};

/** What a value is a value of. */
struct pe_suite_definition {
	const char *name, *unit;
	enum pe_better better;
	enum pe_metric_kind kind;
};

/** What pyperf says of a run, a benchmark or a file. */
struct pe_suite_metadata {
	const char *name, *unit;
	double loops, inner_loops;
};

struct pe_suite_reader {
	const char *bytes;
	size_t n;
	struct pe_arena *arena;  /**< of the output */
	struct pe_arena scratch; /**< emptied with each record */
	struct pe_suite_output *out;
	unsigned document; /**< number of the one that is read, when a file holds several */
	unsigned
		process; /**< of the values that come; others of the same number are of the same process */
	unsigned found; /**< documents or lines of the format */
	struct pe_suite_metadata metadata;
	const struct pe_suite_layout *layout;
	struct pe_suite_draft
		*current; /**< of Criterion.rs, whose benchmarks have several documents */
	bool current_has_sample;
	/* of builder.c */
	PE_VEC(struct pe_suite_draft *) drafts;
	struct pe_hash_index by_id, by_instance;
	PE_VEC(struct pe_suite_note) notes;
	struct pe_text id, id_other;
	size_t n_refused, n_duplicates; /**< values, entries */
	const char *first_refused, *first_duplicate;
};

/** Free what a reader holds of its own, not what was read into the arena of the caller. */
void pe_suite_reader_release(struct pe_suite_reader *reader);

/** Formats of which the entries of one name and document are told apart by the order in which they come. */
#define PE_SUITE_EACH UINT64_MAX
/** Formats in which all values of one name are of one benchmark. */
#define PE_SUITE_MERGE 0

/**
 * The entry of a benchmark, made where there is none.
 *
 * @param instance  tells several benchmarks of one name apart within a document
 * @return          NULL: a limit, with its note
 */
struct pe_suite_draft *pe_suite_draft(struct pe_suite_reader *reader,
				      const struct pe_suite_name *name, uint64_t instance);

/** Add a value; one that is not finite is counted and left out. */
void pe_suite_value(struct pe_suite_reader *reader, struct pe_suite_draft *draft,
		    const struct pe_suite_definition *about, double value);

/** Whether there is a value already. */
bool pe_suite_has_values(const struct pe_suite_draft *draft);

/** Forget the values so far. */
void pe_suite_forget_values(struct pe_suite_draft *draft);

/** Say how many iterations are behind a value. */
void pe_suite_iterations(struct pe_suite_draft *draft, double iterations);

/** Say that it failed or was skipped; its values do not count. */
void pe_suite_failed(struct pe_suite_reader *reader, struct pe_suite_draft *draft,
		     enum pe_suite_state state, const char *message);

/** Add a note; of each kind, one. */
void pe_suite_note(struct pe_suite_reader *reader, enum pe_suite_note_kind kind, const char *format,
		   ...) PE_PRINTF(3, 4);

/** Say that the document does not end, and what ran; NULL or "": not known. */
void pe_suite_cut(struct pe_suite_reader *reader, const char *running);

/** Make entries out of drafts. */
void pe_suite_finish(struct pe_suite_reader *reader);

/** Add a parameter; false where there is no room, with its note. Strings are borrowed. */
bool pe_suite_param(struct pe_suite_reader *reader, struct pe_suite_name *name, const char *key,
		    const char *value);

extern const struct pe_suite_definition pe_suite_wall, pe_suite_cpu;

/** Append the id of a name. */
void pe_suite_id_add(struct pe_text *out, const char *name, const struct pe_suite_param *params,
		     size_t n_params);

/** Nanoseconds of a unit of time ("ns", "us", "ms", "s", ...); 0: it is none. */
double pe_suite_time_unit(const char *unit);

/** Bytes of a unit of size ("B", "KiB", "MB"); 0: it is none. */
double pe_suite_size_unit(const char *unit);

/** What a value of a unit is multiplied by to be in the base unit, which *unit is set to. */
double pe_suite_base_unit(const char **unit);

/** Whether the name of a rate, or a unit, says that more of it is better: items_per_second, "MB/s", "ops/ms". */
bool pe_suite_is_rate(const char *name);

/* ---- JSON ---- */

/** A part of a document that a reader takes. */
struct pe_suite_part {
	/** of a member of the root; NULL: the root's elements, each; "*": every member of the root that no other part takes */
	const char *key;
	bool each; /**< the member is an array or object, of which each element is taken */
	/** @param whole  false: the file ends within it */
	void (*take)(struct pe_suite_reader *reader, const struct pe_json_value *value, bool whole);
};

/**
 * Read the documents of a format, in between all that is none, and give their parts to a reader. The values that it gets
 * are gone after its return.
 */
void pe_suite_documents(struct pe_suite_reader *reader, enum pe_suite_format format,
			const struct pe_suite_part *parts, size_t n_parts);

/** Where in a file documents are looked for. Zero-initialise with bytes, n and `at`. */
struct pe_suite_search {
	const char *bytes;
	size_t n;
	size_t at;    /**< where the next document begins at the earliest; that of a found one */
	size_t spent; /**< bytes looked at: no file makes that more than a multiple of its length */
	bool gave_up; /**< what begins at `at` and behind it was not looked at */
};

/**
 * Find the next document of JSON that is of a format. One begins a line.
 *
 * @param wanted  the format; PE_SUITE_AUTO: any
 * @return        PE_SUITE_AUTO: there is no further one
 */
enum pe_suite_format pe_suite_find_document(struct pe_suite_search *search,
					    enum pe_suite_format wanted);

/** Read a text that is one document, as the files that libraries write have them; NULL: it is none. */
const struct pe_json_value *pe_suite_tree(const char *bytes, size_t n, struct pe_arena *arena);

/** A number; of what is none (null, "NaN"), and where nothing is: NaN. */
double pe_suite_number(const struct pe_json_value *value);

/** The text of a string; "" of anything else. */
const char *pe_suite_string(const struct pe_json_value *value);

/** A number, string or truth value as text, in the arena; NULL of anything else. */
const char *pe_suite_scalar(const struct pe_json_value *value, struct pe_arena *arena);

/** Add members of an object as parameters: plain values, or objects that have them as "value". */
void pe_suite_param_members(struct pe_suite_reader *reader, struct pe_suite_name *name,
			    const struct pe_json_value *object);

/* ---- Layouts: where a document has its records, and a record its values ---- */

/** A metric that a format knows by the key of a member. */
struct pe_suite_known {
	const char *key;
	struct pe_suite_definition about;
	double factor;
};

enum pe_suite_value_flag {
	PE_SUITE_OPTIONAL = 1 << 0,  /**< what is missing or no number is not counted as left out */
	PE_SUITE_POSITIVE = 1 << 1,  /**< nor is a 0: the machine could not count it */
	PE_SUITE_PROCESSES = 1 << 2, /**< each value is of a process of its own */
	PE_SUITE_INSTEAD = 1 << 3,   /**< for a benchmark without values so far, with a note */
};

/**
 * Values of a record. A path has the keys of members with dots between them; "[]" behind a key means each element of its
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
	const char *
		records; /**< the root's member that has them; "*": its members; NULL: its elements */
	const char *name;   /**< path; NULL: a record's key */
	const char *params; /**< path of an object of parameters */
	/** Add to the name of a record what no path says; NULL: nothing. */
	void (*complete)(struct pe_suite_reader *reader, struct pe_suite_name *name,
			 const struct pe_json_value *record);
	bool merges;            /**< all records of a name are of one benchmark */
	const char *version;    /**< path in a record */
	const char *iterations; /**< path */
	bool once;              /**< each value is of one iteration */
	const char *divisor;    /**< path of what values are divided by, unless it is 0 */
	struct pe_suite_values values[12];
	const struct pe_suite_known *known; /**< the last one has no key; NULL: none */
	const char *aggregates;             /**< the note of PE_SUITE_INSTEAD */
	/** Take what no path says; NULL: nothing. */
	void (*take)(struct pe_suite_reader *reader, struct pe_suite_draft *draft,
		     const struct pe_json_value *record);
	struct pe_suite_part about; /**< what else is read of a document; without a key: nothing */
};

/** The layouts of the formats that have one. */
extern const struct pe_suite_layout pe_suite_nanobench, pe_suite_pytest_benchmark, pe_suite_jmh,
	pe_suite_benchmarkdotnet, pe_suite_hyperfine, pe_suite_bmf;

/** Read the documents of a format by its layout. */
void pe_suite_read_layout(struct pe_suite_reader *reader, enum pe_suite_format format,
			  const struct pe_suite_layout *layout);

/** Add a value of the metric that a key means: one that is known, else one of which the better direction is not. */
void pe_suite_value_of(struct pe_suite_reader *reader, struct pe_suite_draft *draft,
		       const struct pe_suite_known *known, const char *key, double value);

/* ---- Text ---- */

/**
 * Call a function with each line that is not empty, without its end and terminated, which it may change. The reader's scratch
 * arena is emptied now and then between lines.
 *
 * @param whole  false: the file ends in this line
 */
void pe_suite_lines(struct pe_suite_reader *reader, const char *bytes, size_t n,
		    void (*take)(char *line, bool whole, void *payload), void *payload);

/** A number with commas between its thousands and nothing behind it; NaN: it is none. */
double pe_suite_decimal(const char *text, size_t n);

/* ---- The readers: each reads all documents of its format in the file ---- */

/** Perfevo's own lines. */
void pe_suite_read_lines(struct pe_suite_reader *reader);
/** Google Benchmark. */
void pe_suite_read_google_benchmark(struct pe_suite_reader *reader);
/** Catch2. */
void pe_suite_read_catch2(struct pe_suite_reader *reader);
/** pyperf. */
void pe_suite_read_pyperf(struct pe_suite_reader *reader);
/** Criterion.rs. */
void pe_suite_read_criterion_rs(struct pe_suite_reader *reader);

/* And what programs print for people. */

/** go test -bench. */
void pe_suite_read_go(struct pe_suite_reader *reader);
/** What cargo bench prints. */
void pe_suite_read_criterion_text(struct pe_suite_reader *reader);
/** The table that nanobench prints. */
void pe_suite_read_nanobench_table(struct pe_suite_reader *reader);
/** What benchmark.js prints. */
void pe_suite_read_benchmark_js(struct pe_suite_reader *reader);

/** The entry of an id of Criterion.rs, group/function/value; value: "" where only a number is taken for one. */
struct pe_suite_draft *pe_suite_criterion_draft(struct pe_suite_reader *reader, const char *id,
						const char *value);

/** Where XML of Catch2 begins from a byte on; SIZE_MAX: nowhere. */
size_t pe_suite_find_catch2(const char *bytes, size_t n, size_t from);

#endif

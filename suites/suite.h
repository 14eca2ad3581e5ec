/*
 * Suite: output of a program with many benchmarks, read from the format of its library. One file is the output of one start
 * of the program; all values within it share that process, but for formats that start processes themselves.
 *
 * A file's contents are not trusted: names, units and notes may hold any bytes (a NUL ends them); use
 * pe_utf8_add_visible() to print them. An id (pe_suite_id_params()) holds printable characters alone.
 *
 * No file is refused because of its end: of one that a crash cut short, or that has other text before or after its
 * document, all readable parts are read (pe_suite_output).
 */
#pragma once

#include "core/base/arena.h"
#include "core/model/benchmark.h"
#include "core/model/metric.h"

#include <stdint.h>

enum pe_suite_format {
	PE_SUITE_AUTO,  /**< recognised by its content; unknown */
	PE_SUITE_LINES, /**< perfevo's own: a JSON object a line */
	PE_SUITE_GOOGLE_BENCHMARK,
	PE_SUITE_CATCH2,
	PE_SUITE_NANOBENCH,
	PE_SUITE_PYTEST_BENCHMARK,
	PE_SUITE_PYPERF,
	PE_SUITE_GO,
	PE_SUITE_CRITERION_RS,
	PE_SUITE_JMH,
	PE_SUITE_BENCHMARKDOTNET,
	PE_SUITE_HYPERFINE,
	PE_SUITE_BMF, /**< Bencher Metric Format */
	PE_SUITE_N_FORMATS
};

/** A parameter. Positional ones have the name "": BM_Parse/1024 has {"", "1024"}. */
struct pe_suite_param {
	const char *name, *value;
};

/**
 * Values of one metric, each for one iteration of the benchmark (the library divided), in base units.
 *
 * Values are grouped by process: those of process i are values[ends[i - 1]] to values[ends[i] - 1], ends[-1] being 0.
 * Most libraries run all in one process: n_processes is 1, and ends[0] is n_values. JMH and pyperf start several.
 */
struct pe_suite_metric {
	/** a built-in one (pe_metrics[]) of the same meaning: wall, cpu, user, sys, max-rss, allocations; else the file's */
	const char *name;
	const char *unit; /**< "ns", "bytes", "1", "1/s", "bytes/s", or the file's */
	enum pe_better better;
	enum pe_metric_kind
		kind; /**< PE_METRIC_CONTEXT: the format does not state the better direction */
	const double *values; /**< all finite; at least one */
	size_t n_values;
	const size_t *ends;
	size_t n_processes;
};

enum pe_suite_state {
	PE_SUITE_MEASURED,
	PE_SUITE_FAILED,  /**< it ran and reported a failure; `message` is the reason */
	PE_SUITE_SKIPPED, /**< it does not run here */
};

/** One benchmark with one set of parameters. */
struct pe_suite_entry {
	const char *name; /**< without parameters: "BM_Parse" */
	const struct pe_suite_param *params;
	size_t n_params;
	const char *id; /**< of these, see pe_suite_id_params(); no two entries have the same */
	/** its name for the library's filter (suites/library.h); empty: no filter selects it alone */
	const char *selector;
	const struct pe_suite_metric *metrics; /**< the first is the library's main one */
	size_t n_metrics;                      /**< 0 unless MEASURED */
	/** iterations behind one value, the median over values; 0: unknown */
	double iterations;
	enum pe_suite_state state;
	const char *message; /**< reason of a failure or skip; else "" */
};

/** Kinds of notes for the user. */
enum pe_suite_note_kind {
	PE_SUITE_NOTE_DEBUG_LIBRARY, /**< the benchmark library, or all, was built without optimisation */
	PE_SUITE_NOTE_MACHINE, /**< the library warns of the machine: frequency scaling, noise */
	/** only summaries of values were written: one value each is read, their mean or median */
	PE_SUITE_NOTE_AGGREGATES,
	PE_SUITE_NOTE_DUPLICATE, /**< several benchmarks have one name: distinguished by a parameter "#" */
	PE_SUITE_NOTE_VALUE, /**< values that are no finite number were left out */
	PE_SUITE_NOTE_DAMAGED, /**< the bytes at a position are not of the format; the rest was not read */
	PE_SUITE_NOTE_LIMIT, /**< more than perfevo reads (pe_suite_limits) */
};

struct pe_suite_note {
	enum pe_suite_note_kind kind;
	const char *text; /**< a sentence without its full stop; may quote the file */
};

struct pe_suite_output {
	enum pe_suite_format format;
	const char *version;                  /**< of the library; "": unknown */
	const struct pe_suite_entry *entries; /**< in the file's order */
	size_t n_entries;
	const struct pe_suite_note *notes;
	size_t n_notes;
	bool cut_short; /**< the document does not end */
	/** selector of the benchmark that ran when the file ended (pe_suite_next_of()); "": unknown */
	const char *running;
};

/** Limits of reading one file. */
enum pe_suite_limits {
	PE_SUITE_MAX_DEPTH = 64, /**< nesting of a document */
	PE_SUITE_MAX_ENTRIES = 1 << 20,
	PE_SUITE_MAX_METRICS = 256, /**< of one entry */
	PE_SUITE_MAX_PARAMS = 64,   /**< of one entry */
	PE_SUITE_MAX_NAME =
		64 * 1024, /**< bytes of a name or value; longer ones are left out with a note */
};

/**
 * Read the output of a suite. Time and memory are linear in n.
 *
 * @param out    filled also when the file is cut short; all its pointers are into the arena, none into `bytes`
 * @return       PE_EINVALID: no benchmark of that format can be read from it; the message names the format and the offset
 *               at which reading ended
 */
int pe_suite_read(const char *bytes, size_t n, enum pe_suite_format format, struct pe_arena *arena,
		  struct pe_suite_output *out, struct pe_err *err);

/** The name of a format in the config: "google-benchmark"; NULL: no such format. */
const char *pe_suite_format_name(enum pe_suite_format format);
/** Find a format by its name; PE_SUITE_N_FORMATS: there is none. */
enum pe_suite_format pe_suite_format_find(const char *name);

/**
 * The parameters of an id, as they stand in it: {"1024", "mode=fast"} of "BM_Parse[1024,mode=fast]". In an id, positional
 * parameters come first, in their order, then the others by name, bytewise. A name or value with a character of the grammar,
 * a control character or malformed UTF-8 is in quotes, with escapes \" \\ \n \t \u001b \xff.
 */
struct pe_strings pe_suite_id_params(const char *id, struct pe_arena *arena);

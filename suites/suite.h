/*
 * Suite: what a program with many benchmarks printed, read from the format of its library. One file is what one start
 * of the program left; all values within it share that process, but for formats that start processes themselves.
 *
 * What a file says is foreign: names, units and notes may hold any bytes (a NUL ends them), and whoever shows them takes
 * pe_utf8_add_visible(). An id (pe_suite_id()) holds printable characters alone.
 *
 * Nothing is refused because of how it ends: a file that a crash cut short, or that has other text before or after its
 * document, gives what can be read of it (pe_suite_output).
 */
#ifndef PE_SUITES_SUITE_H
#define PE_SUITES_SUITE_H

#include "core/base/arena.h"
#include "core/model/metric.h"

#include <stdint.h>

enum pe_suite_format {
	PE_SUITE_AUTO, /**< recognised by its content; PE_SUITE_AUTO from pe_suite_recognise(): none that is known */
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
	PE_SUITE_BENCHMARK_JS,
	PE_SUITE_N_FORMATS
};

/** A parameter. Positional ones have the name "": BM_Parse/1024 has {"", "1024"}. */
struct pe_suite_param {
	const char *name, *value;
};

/**
 * Values of one metric, each for one iteration of the benchmark (the library divided), in base units.
 *
 * Values come grouped by process: those of process i are values[ends[i - 1]] to values[ends[i] - 1], ends[-1] being 0.
 * Most libraries run all in one process: n_processes is 1, and ends[0] is n_values. JMH and pyperf start several.
 */
struct pe_suite_metric {
	/** a built-in's (pe_metrics[]) where it means that: wall, cpu, user, sys, max-rss, allocations; else the file's */
	const char *name;
	const char *unit; /**< "ns", "bytes", "1", "1/s", "bytes/s", or what the file says */
	enum pe_better better;
	enum pe_metric_kind
		kind; /**< PE_METRIC_CONTEXT: the format does not say which direction is better */
	const double *values; /**< all finite; at least one */
	size_t n_values;
	const size_t *ends;
	size_t n_processes;
};

enum pe_suite_state {
	PE_SUITE_MEASURED,
	PE_SUITE_FAILED,  /**< it ran and says that it failed; `message` says why */
	PE_SUITE_SKIPPED, /**< it says that it does not run here */
};

/** One benchmark with one set of parameters. */
struct pe_suite_entry {
	const char *name; /**< without parameters: "BM_Parse" */
	const struct pe_suite_param *params;
	size_t n_params;
	const char *id; /**< pe_suite_id() of these; no two entries have the same */
	/** its name as the library's filter takes it (suites/library.h); empty: no filter names it alone */
	const char *selector;
	const struct pe_suite_metric *metrics; /**< the first is what the library judges by */
	size_t n_metrics;                      /**< 0 unless MEASURED */
	/** iterations behind one value, the median over values; 0: the file does not say */
	double iterations;
	enum pe_suite_state state;
	const char *message; /**< ""; why it failed or was skipped */
};

/** What the reader of the file should know. */
enum pe_suite_note_kind {
	PE_SUITE_NOTE_DEBUG_LIBRARY, /**< the benchmark library, or all, was built without optimisation */
	PE_SUITE_NOTE_MACHINE, /**< the library warns of the machine: frequency scaling, noise */
	/** only summaries of values were written: what is read is one value each, their mean or median */
	PE_SUITE_NOTE_AGGREGATES,
	PE_SUITE_NOTE_DUPLICATE, /**< several benchmarks have one name: told apart by a parameter "#" */
	PE_SUITE_NOTE_VALUE,     /**< values that are no finite number were left out */
	PE_SUITE_NOTE_DAMAGED, /**< what stands at a place is not of the format; what follows was not read */
	PE_SUITE_NOTE_LIMIT, /**< more than perfevo reads (pe_suite_limits) */
};

struct pe_suite_note {
	enum pe_suite_note_kind kind;
	const char *text; /**< a sentence without its full stop; may quote the file */
};

struct pe_suite_output {
	enum pe_suite_format format;
	const char *version; /**< of the library as the file has it; "" where it has none */
	const struct pe_suite_entry *entries; /**< in the file's order */
	size_t n_entries;
	const struct pe_suite_note *notes;
	size_t n_notes;
	bool cut_short; /**< the document does not end */
	/** selector of what ran when the file ended, as far as the file names it (pe_suite_next_of()); "": not known */
	const char *running;
};

/** What is read of one file. */
enum pe_suite_limits {
	PE_SUITE_MAX_DEPTH = 64, /**< nesting of a document */
	PE_SUITE_MAX_ENTRIES = 1 << 20,
	PE_SUITE_MAX_METRICS = 256, /**< of one entry */
	PE_SUITE_MAX_PARAMS = 64,   /**< of one entry */
	PE_SUITE_MAX_NAME =
		64 * 1024, /**< bytes of a name or value; what is longer is left out with a note */
};

/**
 * Read what a suite printed. Time and memory are linear in n.
 *
 * @param out    filled also when the file is cut short; all that it points to is in the arena, nothing in `bytes`
 * @return       PE_EINVALID: no benchmark of that format can be read from it; the sentence says what was looked for, and
 *               where reading ended
 */
int pe_suite_read(const char *bytes, size_t n, enum pe_suite_format format, struct pe_arena *arena,
		  struct pe_suite_output *out, struct pe_err *err);

/** The format of a file by its content; PE_SUITE_AUTO: none that is known. */
enum pe_suite_format pe_suite_recognise(const char *bytes, size_t n);

/** Names of formats as the config has them: "google-benchmark". NULL and PE_SUITE_N_FORMATS: there is none. */
const char *pe_suite_format_name(enum pe_suite_format format);
/** The format of a name; PE_SUITE_N_FORMATS: there is none. */
enum pe_suite_format pe_suite_format_find(const char *name);

/**
 * The canonical name of a benchmark: "BM_Parse[1024,mode=fast]". Positional parameters come first, in their order, then
 * the others by name, bytewise. A name or value that holds what would be read otherwise, a control character or no UTF-8
 * is in quotes, with escapes \" \\ \n \t \u001b \xff.
 */
const char *pe_suite_id(const char *name, const struct pe_suite_param *params, size_t n_params,
			struct pe_arena *arena);

/** Take an id apart; params (sorted as in the id) are an array in the arena. PE_EINVALID: it is none. */
int pe_suite_id_parse(const char *id, const char **name, const struct pe_suite_param **params,
		      size_t *n_params, struct pe_arena *arena, struct pe_err *err);

#endif

/* Evolution: a history as values: lines, their jumps, failures. Without git and database. */
#pragma once

#include "core/model/layout.h"
#include "core/model/metric.h"
#include "core/model/outcome.h"
#include "core/model/revision.h"
#include "core/stats/deterministic.h"
#include "core/stats/events.h"

#include <stdbool.h>

/** One revision's value in a line. */
struct pe_point {
	size_t revision;         /**< index into the evolution's revisions */
	enum pe_outcome outcome; /**< PE_MEASURED: the values below hold */
	/**
	 * The values are another revision's, because all that the benchmark executes is the same in both (an
	 * identical build): it was not run here. `source` is that revision, whose own point comes with it.
	 */
	bool reused;
	bool unbuilt; /**< reused, and it was not even built: no file that builds read differs */
	bool skipped; /**< reused, though the builds differ: in nothing that the benchmark executes */
	size_t source;
	const char *outside; /**< reused from a revision that is not among those shown: its id */
	size_t n;            /**< samples */
	unsigned epoch;      /**< values of two epochs cannot be compared; 0: all can */
	/**
	 * The value that is judged and shown: the location of the runs, without what the machine did to all of a session or a
	 * round. The median where nothing is judged, or values do not vary.
	 */
	double value;
	/** of the same values: around `value`, without the machine's part where that is */
	double median, q25, q75, min, max, mad;
	double level; /**< of the segment that the detection puts it in; NaN: not judged */
	/**
	 * How much "no change here" tells: the smallest relative change, beginning here, that would have been found nine
	 * times in ten. Infinity: none; NaN: unknown, or there is a change.
	 */
	double least;
};

/** How much stands behind a jump. */
enum pe_jump_state {
	PE_JUMP_SUSPECT, /**< seen in the series, not measured again yet, or without a clear answer */
	PE_JUMP_CONFIRMED, /**< by fresh runs of both sides, or of a metric that does not vary */
	PE_JUMP_ACCEPTED,  /**< a tracked file accepts it, confirmed or not */
	PE_JUMP_REFUTED,   /**< by fresh runs: it is among a line's `refuted`, and no jump */
	PE_N_JUMP_STATES
};

/** "suspect", "confirmed", "accepted", "refuted". */
const char *pe_jump_state_name(enum pe_jump_state state);

/** From which runs the size of a jump is estimated. Everything that prints a size prints this one. */
enum pe_estimate {
	/** the levels of the series on both sides; the search has picked them for their difference */
	PE_ESTIMATE_LEVELS,
	/** fresh runs of both sides in random pairs: Hodges and Lehmann's estimate (core/stats/confirm.h) */
	PE_ESTIMATE_PAIRS,
	/** a metric that does not vary: its values are its levels */
	PE_ESTIMATE_EXACT,
	PE_N_ESTIMATES
};

/** "levels", "pairs", "exact". */
const char *pe_estimate_name(enum pe_estimate estimate);

/** How many instructions more or fewer a function executes after a jump. */
struct pe_function_share {
	const char *name;
	int64_t amount;
	const char
		*change; /**< what the commit did to its source: "modified", ...; NULL: unknown */
};

/** A jump between neighbouring measured revisions. */
struct pe_jump {
	/** indices of revisions: the old level's last, the new one's first */
	size_t before, after;
	size_t commits; /**< in before..after: more than 1 when some were not measured */
	double old_level, new_level; /**< in the metric's unit, of the same runs as the change */
	/** The change and its 95 % interval; 0.05 is +5 %; NaN when undefined. */
	double relative, low, high;
	enum pe_estimate
		estimate; /**< the runs that the change, its interval and both levels are from */
	double strength;
	bool regression;
	enum pe_jump_state state;
	size_t pairs; /**< of fresh runs that the state rests on; 0: none, or none are needed */
	double p; /**< of the confirmation, after control of the false-discovery rate; NaN: none */
	double sure; /**< probability that it is between these two revisions and no others; NaN: unknown */
	const char *why; /**< accepted: the reason given; NULL otherwise */
	/** revisions, oldest and newest, that hold its beginning with 95 %; `after` is among them */
	size_t first, last;
	/** a suspect of an event that fresh runs of another benchmark confirmed: it is reported with it, and not asked */
	bool event_confirmed;
	bool undecided; /**< a suspect whose fresh runs gave no answer */
	/** refuted: fresh runs confirmed it, and the series as it is measured and judged now has no jump there */
	bool withdrawn;
	size_t more; /**< undecided: about how many more pairs would */
	/**
	 * Of fresh runs: the smallest relative change that as many pairs would have confirmed nine times in ten;
	 * NaN: none were made.
	 */
	double least;
	/** confirmed: whether placement in memory alone makes the difference */
	enum pe_layout layout;
	/** of instructions: a sentence about functions that this processor executes and counting does not; NULL: none known */
	const char *generic;
	/**
	 * Functions of its benchmark that execute more or fewer instructions, by stored counts of both sides: those that the
	 * commit changed, also where they execute as many as before, then the others; the largest amount first. One jump of a
	 * benchmark and commit has them; none without counts.
	 */
	const struct pe_function_share *functions;
	size_t n_functions;
	size_t event; /**< index of its cause in the evolution's events; beyond them: it is the only one of its */
	/** Of the jump that leads its commit's, as it is stored: what that is called (core/model/commit_class.h); else NULL. */
	const char *class, *standing, *summary;
};

/** One benchmark and metric over the revisions: a line of the chart. */
struct pe_line {
	const char *benchmark;
	int64_t benchmark_key; /**< in the store; 0: of none */
	const struct pe_metric *metric;
	struct pe_point *points; /**< ascending; revisions that were not tried are absent */
	size_t n_points;
	struct pe_jump *jumps; /**< ascending */
	size_t n_jumps;
	/** Suspected, measured again, and not there, or withdrawn: reported, but no jumps. Ascending. */
	struct pe_jump *refuted;
	size_t n_refuted;
	bool judged; /**< false: recorded only */
	/** Nodes of a farm that measured it, in the order of their names: "n1, n2"; NULL: it is no farm's. */
	const char *nodes;
	/** Of a metric that should be exact: whether it is. Where it is not, metric->kind is noisy. */
	struct pe_exactness kept;
};

struct pe_failure {
	size_t revision;
	const char *benchmark; /**< NULL: the build */
	enum pe_outcome outcome;
	int status;
	const char *log; /**< the end of the output; may be NULL */
};

struct pe_evolution {
	const char *project; /**< name of the repository */
	const char *machine; /**< "AMD EPYC, 2 cores, 24 GiB, Linux 6.1" */
	int64_t machine_key; /**< in the store; 0: of none */
	const char *origin;  /**< "signed by SHA256:..., pulled from origin"; NULL: measured here */
	const char *version; /**< of perfevo */
	int64_t generated_s;
	struct pe_revision *revisions; /**< oldest first */
	double *build_s; /**< seconds that building each revision took, NaN: unknown; NULL: not loaded */
	const char **decorations; /**< tag or branch a revision, or NULL; NULL: none at all */
	/** Methods that each revision changed against its first parent; -1: unknown; NULL: all are. */
	const int64_t *mc;
	size_t n_revisions;
	/** Index of the first requested revision; earlier ones lengthen the series that was judged. */
	size_t first;
	struct pe_line *lines;
	size_t n_lines;
	struct pe_event
		*events; /**< causes of the jumps; of some that are listed no jump may be shown */
	size_t n_events;
	struct pe_failure *failures;
	size_t n_failures;
	struct {
		const char *name, *reason;
	} * left_out; /**< tests that are not compared, and why */
	size_t n_left_out;
	bool counts_only; /**< in the session that was just made nothing was timed */
};

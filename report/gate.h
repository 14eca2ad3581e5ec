/*
 * Gate: may this be merged, or pushed? Two revisions of the same machine, measured in turns, and for every
 * benchmark and judged metric an answer. Values only; the writers put them into the forms that people and CI
 * servers read.
 */
#pragma once

#include "core/model/commit_class.h"
#include "core/model/outcome.h"
#include "report/evolution.h"

/** The result of one benchmark and metric, in the order in which checks are listed. */
enum pe_gate_answer {
	PE_GATE_FAILED, /**< it runs at the base, and not here */
	/** confirmed by fresh runs, or of a metric that does not vary; over the gate's limit and not accepted */
	PE_GATE_REGRESSED,
	PE_GATE_INCONCLUSIVE, /**< suspected, and neither confirmed nor refuted with the runs there were */
	/** confirmed, and below the gate's limit, or a count of a benchmark that takes less time: it fails nothing */
	PE_GATE_NOTICE,
	/** regressed, by placement in memory alone, which is to fail nothing */
	PE_GATE_LAYOUT,
	PE_GATE_ACCEPTED, /**< regressed, and a tracked file accepts it */
	PE_GATE_IMPROVED, /**< confirmed, to the better */
	PE_GATE_PASSED,   /**< no change above the threshold */
	PE_GATE_SKIPPED, /**< could not be measured at the base, or nothing that it executes changed */
	PE_N_GATE_ANSWERS
};

/** "passed", "improved", "regressed", "notice", "layout", "accepted", "inconclusive", "failed", "skipped". */
const char *pe_gate_answer_name(enum pe_gate_answer answer);

/** Why it changed: a line of the verdict, and where that is in the new revision's source. */
struct pe_gate_cause {
	const char *text;
	const char *path; /**< from the top of the tree; NULL: not known */
	unsigned line;    /**< from 1; 0: not known */
};

/** What stands beside counts of a program that chose other code for the processor that it was counted on. */
#define PE_COUNTS_GENERIC                                                                          \
	"counts of the generic code: '%s' runs on this processor, and not where they are taken"

/** Why a notice is no regression, unless something else is said. */
#define PE_GATE_BELOW_WHY "below the gate"

struct pe_gate_check {
	const char *benchmark;
	const struct pe_metric *metric; /**< NULL: all of a benchmark that failed or was skipped */
	enum pe_gate_answer answer;
	double old_value, new_value; /**< means, in the metric's unit; NaN: not measured */
	double relative, low,
		high; /**< change and its 95 % interval; 0.05 is +5 %; NaN: undefined */
	double least; /**< passed: the smallest change that would have been detected; NaN: unknown */
	double limit; /**< of the gate for this metric; 0.03 is 3 %; NaN: nothing was decided */
	bool same;    /**< skipped, because all that it executes is the same */
	bool generic; /**< counts of code that this processor does not execute: `why` has the function */
	bool layout;  /**< regressed, not accepted: only placement in memory differs */
	size_t pairs; /**< fresh pairs that a confirmation took; 0: none */
	double p; /**< of the confirmation, after control of the false-discovery rate; NaN: none */
	const char
		*why; /**< accepted: the reason given; failed, skipped: what happened; else NULL */
	const char
		*log; /**< failed, here or at the base already: the end of its output; else NULL */
	const struct pe_gate_cause *causes;
	size_t n_causes;
	size_t more_causes; /**< that the comparison names beyond these; the page has them */
};

struct pe_gate {
	const char *project, *machine, *version; /**< as in struct pe_evolution */
	struct pe_revision base, tip;            /**< base: where the change left the target */
	struct pe_revision target; /**< what the change will be merged into, as it is now */
	const char *base_name;     /**< as the user named it: "origin/main"; NULL: not at all */
	const char *
		config; /**< path of the config from the top of the tree, for messages without a place */
	struct pe_gate_check *checks; /**< worst first: pe_gate_rank() */
	size_t n_checks;
	/** What the change does to the config or the accepted changes, and whose were used; NULL: nothing. */
	const char *config_note;
	const char *build_log; /**< the tip does not build: the end of its output; NULL: it does */
	bool base_unbuilt;     /**< the base does not build: nothing was compared */
	struct pe_gate_limits limits;
	struct pe_commit_class class
		;           /**< of the whole change, as a commit; see pe_gate_is_classified() */
	bool counts_only;   /**< nothing was timed */
	bool out_of_budget; /**< not everything was measured in the time that was given */
	uint64_t took_ns;
};

/** Put failures and regressions first, then what is undecided, improvements, the rest; of each the worst first. */
void pe_gate_rank(struct pe_gate *gate);

/**
 * Classify the change by the checks that are decided, and turn those that regressed below the gate's limits, or beside a
 * time that is better, into notices.
 */
void pe_gate_apply_limits(struct pe_gate *gate, struct pe_arena *arena);

/** Whether a check is decided, so that the change has a class. */
bool pe_gate_is_classified(const struct pe_gate *gate);

/** How many checks have an answer. */
size_t pe_gate_count(const struct pe_gate *gate, enum pe_gate_answer answer);

/**
 * Whether anything was compared, or nothing is judged at all: where the base or all its benchmarks do not run, the absence
 * of regressions means nothing.
 */
bool pe_gate_compared(const struct pe_gate *gate);

/** Whether it is to be stopped: the tip does not build, a benchmark failed, or something regressed. */
bool pe_gate_stops(const struct pe_gate *gate);

/** One line: "2 regressions in 14 checks of 3 benchmarks, 1 inconclusive". */
void pe_gate_summary(struct pe_text *out, const struct pe_gate *gate);

/** For a terminal: of each answer the worst few. */
void pe_gate_term(struct pe_text *out, const struct pe_gate *gate, const struct pe_term *term);

/** One JSON document (report/schema/ci.schema.json). */
void pe_gate_json(struct pe_text *out, const struct pe_gate *gate);

/**
 * Markdown for the comment of a pull request; begins with a marker by which an old one is found. Of each answer the worst
 * few, then all of them folded, as far as a comment has room.
 */
void pe_gate_markdown(struct pe_text *out, const struct pe_gate *gate);

/** JUnit XML: a suite a benchmark, a case a metric; what regressed is a failure. */
void pe_gate_junit(struct pe_text *out, const struct pe_gate *gate);

/** SARIF 2.1.0: a result each regression, failure and inconclusive check, at the place of its cause. */
void pe_gate_sarif(struct pe_text *out, const struct pe_gate *gate);

/** Workflow commands of GitHub Actions, one a line, which become annotations. */
void pe_gate_github(struct pe_text *out, const struct pe_gate *gate);

/** GitLab's code quality report (JSON). */
void pe_gate_gitlab(struct pe_text *out, const struct pe_gate *gate);

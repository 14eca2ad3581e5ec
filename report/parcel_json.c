/*
 * A parcel as JSON: tables first, then rows that refer to them by index.
 *
 * { "format": "perfevo parcel", "version": 1,
 *   "machine": { fingerprint, hostname, cpu, cores, memory_bytes, kernel, compilers },
 *   "batch": null | { created, seed (hexadecimal), governor, turbo, load, env_bytes, cpu, nice, fixed_layout,
 *                     aside },
 *   "revisions": [[id, time, author, subject, [parents]]],
 *   "benchmarks": [[name, version, definition, is_test]],
 *   "metrics": [[name, unit, label, better, kind, min_relative, min_absolute]],
 *   "cells": [[revision, benchmark, role, rounds (, 1: known well enough by them)]],
 *   "runs": [[revision, benchmark, kind, round, sequence, started, outcome, status, log,
 *             [metric, value, metric, value, ...]]],
 *   "builds": [[revision, recipe, outcome, status, started, duration_ns, step, log]],
 *   "reused": [[revision, benchmark, source]],
 *   "confirmations": [[benchmark, metric, before, after, first, last, null | [created, seed], direction, begun,
 *                      answer, [accept, give_up, suspected, min_effect, margin, unit],
 *                      [pairs, relative, low, high, confidence, p, least, more], known_after,
 *                      null | [before, after, first, last], sure (, 1, 2 or 3: enum pe_layout)]] }
 *
 * Times are seconds since 1970; outcomes are names; numbers of kinds, roles and directions are those that
 * stores hold. A row a line, so that git finds what two parcels have in common.
 */
#include "report/parcel.h"

#include "core/model/outcome.h"
#include "json/writer.h"

#include <inttypes.h>

static void put_hex(struct pe_json *json, const char *key, uint64_t value)
{
	struct pe_text hex = PE_TEXT_INIT;

	pe_text_addf(&hex, "%016" PRIx64, value);
	pe_json_take(json, key, &hex);
}

static void put_machine(struct pe_json *json, const struct pe_machine *machine)
{
	pe_json_begin_object(json, "machine");
	pe_json_members(json, machine, fingerprint, hostname, cpu, cores, memory_bytes, kernel,
			compilers);
	pe_json_end(json);
}

static void put_batch(struct pe_json *json, const struct pe_parcel *parcel)
{
	const struct pe_conditions *conditions = &parcel->conditions;

	if (!pe_json_begin_maybe(json, "window", parcel->has_batch))
		return;
	pe_json_put(json, "created", parcel->created_s);
	put_hex(json, "seed", parcel->seed);
	pe_json_members(json, conditions, governor, turbo, load, env_bytes, cpu, nice,
			fixed_layout);
	pe_json_put(json, "aside", parcel->aside);
	pe_json_end(json);
}

static void put_revision(struct pe_json *json, const struct pe_revision *revision)
{
	pe_json_begin_array(json, NULL);
	pe_json_columns(json, revision, id, time_s, author, subject);
	pe_json_each(json, NULL, p, revision->n_parents,
		     pe_json_put(json, NULL, revision->parents[p]));
	pe_json_end(json);
}

static void put_cell(struct pe_json *json, const struct pe_parcel_cell *cell)
{
	pe_json_begin_array(json, NULL);
	pe_json_columns(json, cell, revision, benchmark, role, rounds);
	if (cell->enough)
		pe_json_put(json, NULL, 1);
	pe_json_end(json);
}

static void put_run(struct pe_json *json, const struct pe_parcel *parcel,
		    const struct pe_parcel_run *run)
{
	pe_json_begin_array(json, NULL);
	pe_json_columns(json, run, revision, benchmark, kind, round, sequence, started_s);
	pe_json_put(json, NULL, pe_outcome_name(run->outcome));
	pe_json_columns(json, run, status, log);
	pe_json_each(json, NULL, s, run->n_samples,
		     pe_json_columns(json, &parcel->samples[run->first + s], metric, value));
	pe_json_end(json);
}

static void put_build(struct pe_json *json, const struct pe_parcel_build *row)
{
	pe_json_begin_array(json, NULL);
	pe_json_columns(json, row, revision, recipe);
	pe_json_put(json, NULL, pe_outcome_name(row->build.outcome));
	pe_json_columns(json, &row->build, status, started_s, duration_ns, step, log);
	pe_json_end(json);
}

static void put_told(struct pe_json *json, const struct pe_parcel_confirmation *row)
{
	pe_json_row(json, NULL, &row->opts, accept, give_up, suspected, min_effect, margin, unit);
	pe_json_row(json, NULL, &row->told, pairs, relative, low, high, confidence, p, least, more);
}

static void put_confirmation(struct pe_json *json, const struct pe_parcel_confirmation *row)
{
	pe_json_begin_array(json, NULL);
	pe_json_columns(json, row, benchmark, metric, before, after, first, last);
	if (row->has_batch) {
		pe_json_begin_array(json, NULL);
		pe_json_put(json, NULL, row->created_s);
		put_hex(json, NULL, row->seed);
		pe_json_end(json);
	} else {
		pe_json_null(json, NULL);
	}
	pe_json_columns(json, row, direction, begun_s);
	pe_json_put(json, NULL, pe_confirm_answer_name(row->answer));
	put_told(json, row);
	pe_json_put(json, NULL, row->known_after);
	if (row->pinned)
		pe_json_row(json, NULL, row, pinned_before, pinned_after, pinned_first,
			    pinned_last);
	else
		pe_json_null(json, NULL);
	pe_json_put(json, NULL, row->sure);
	if (row->layout != PE_LAYOUT_NOT_LOOKED)
		pe_json_put(json, NULL, row->layout);
	pe_json_end(json);
}

void pe_parcel_json(struct pe_text *out, const struct pe_parcel *parcel)
{
	struct pe_json json = PE_JSON_INIT(out);

	pe_json_begin_object(&json, NULL);
	pe_json_put(&json, "format", "perfevo parcel");
	pe_json_put(&json, "version", 1);
	put_machine(&json, &parcel->machine);
	put_batch(&json, parcel);
	pe_json_each_row(&json, "revisions", i, parcel->n_revisions,
			 put_revision(&json, &parcel->revisions[i]));
	pe_json_each_row(&json, "benchmarks", i, parcel->n_benchmarks,
			 pe_json_row(&json, NULL, &parcel->benchmarks[i], name, version, definition,
				     is_test));
	pe_json_each_row(&json, "metrics", i, parcel->n_metrics,
			 pe_json_row(&json, NULL, &parcel->metrics[i], name, unit, label, better,
				     kind, min_relative, min_absolute));
	pe_json_each_row(&json, "cells", i, parcel->n_cells, put_cell(&json, &parcel->cells[i]));
	pe_json_each_row(&json, "runs", i, parcel->n_runs,
			 put_run(&json, parcel, &parcel->runs[i]));
	pe_json_each_row(&json, "builds", i, parcel->n_builds,
			 put_build(&json, &parcel->builds[i]));
	pe_json_each_row(&json, "carried", i, parcel->n_reused,
			 pe_json_row(&json, NULL, &parcel->reused[i], revision, benchmark, source));
	pe_json_each_row(&json, "confirmations", i, parcel->n_confirmations,
			 put_confirmation(&json, &parcel->confirmations[i]));
	pe_json_finish(&json);
}

/*
 * A parcel as JSON: tables first, then rows that refer to them by index.
 *
 * { "format": "perfevo parcel", "version": 1,
 *   "machine": { fingerprint, hostname, cpu, cores, memory_bytes, kernel, compilers },
 *   "window": null | { created, seed (hexadecimal), governor, turbo, load, env_bytes, cpu, nice, fixed_layout,
 *                     aside },
 *   "revisions": [[id, time, author, subject, [parents]]],
 *   "benchmarks": [[name, version, definition, is_test]],
 *   "metrics": [[name, unit, label, better, kind, min_relative, min_absolute]],
 *   "cells": [[revision, benchmark, role, rounds (, 1: known well enough by them)]],
 *   "runs": [[revision, benchmark, kind, round, sequence, started, outcome, status, log,
 *             [metric, value, metric, value, ...]]],
 *   "builds": [[revision, recipe, outcome, status, started, duration_ns, step, log]],
 *   "carried": [[revision, benchmark, source]],
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
#include "report/format.h"
#include "report/json_out.h"

#include <inttypes.h>

static void put_string(struct pe_text *out, const char *value)
{
	pe_json_put_comma(out);
	pe_escape_json(out, value);
}

static void put_integer(struct pe_text *out, int64_t value)
{
	pe_json_put_comma(out);
	pe_text_addf(out, "%" PRId64, value);
}

static void put_member(struct pe_text *out, const char *key, int64_t value)
{
	pe_json_key(out, key);
	pe_text_addf(out, "%" PRId64, value);
}

static void open_row(struct pe_text *out)
{
	pe_json_put_comma(out);
	pe_text_add(out, "\n[");
}

static void put_machine(struct pe_text *out, const struct pe_machine *machine)
{
	pe_json_open(out, "machine", '{');
	pe_json_put_text(out, "fingerprint", machine->fingerprint);
	pe_json_put_text(out, "hostname", machine->hostname);
	pe_json_put_text(out, "cpu", machine->cpu);
	put_member(out, "cores", machine->cores);
	put_member(out, "memory_bytes", (int64_t)machine->memory_bytes);
	pe_json_put_text(out, "kernel", machine->kernel);
	pe_json_put_text(out, "compilers", machine->compilers);
	pe_text_addc(out, '}');
}

static void put_window(struct pe_text *out, const struct pe_parcel *parcel)
{
	const struct pe_conditions *conditions = &parcel->conditions;

	pe_json_key(out, "window");
	if (!parcel->has_window) {
		pe_text_add(out, "null");
		return;
	}
	pe_text_addc(out, '{');
	put_member(out, "created", parcel->created_s);
	pe_json_key(out, "seed");
	pe_text_addf(out, "\"%016" PRIx64 "\"", parcel->seed);
	pe_json_put_text(out, "governor", conditions->governor);
	pe_json_put_text(out, "turbo", conditions->turbo);
	pe_json_put_number(out, "load", conditions->load);
	put_member(out, "env_bytes", conditions->env_bytes);
	put_member(out, "cpu", conditions->cpu);
	put_member(out, "nice", conditions->nice);
	pe_json_put_bool(out, "fixed_layout", conditions->fixed_layout);
	pe_json_put_bool(out, "aside", parcel->aside);
	pe_text_addc(out, '}');
}

static void put_revisions(struct pe_text *out, const struct pe_parcel *parcel)
{
	pe_json_open(out, "revisions", '[');
	for (size_t i = 0; i < parcel->n_revisions; i++) {
		const struct pe_revision *revision = &parcel->revisions[i];

		open_row(out);
		put_string(out, revision->id);
		put_integer(out, revision->time_s);
		put_string(out, revision->author);
		put_string(out, revision->subject);
		pe_text_add(out, ",[");
		for (size_t p = 0; p < revision->n_parents; p++)
			put_string(out, revision->parents[p]);
		pe_text_add(out, "]]");
	}
	pe_text_addc(out, ']');
}

static void put_benchmarks(struct pe_text *out, const struct pe_parcel *parcel)
{
	pe_json_open(out, "benchmarks", '[');
	for (size_t i = 0; i < parcel->n_benchmarks; i++) {
		const struct pe_parcel_benchmark *benchmark = &parcel->benchmarks[i];

		open_row(out);
		put_string(out, benchmark->name);
		put_string(out, benchmark->version);
		put_string(out, benchmark->definition);
		pe_text_add(out, benchmark->is_test ? ",true]" : ",false]");
	}
	pe_text_addc(out, ']');
}

static void put_metrics(struct pe_text *out, const struct pe_parcel *parcel)
{
	pe_json_open(out, "metrics", '[');
	for (size_t i = 0; i < parcel->n_metrics; i++) {
		const struct pe_metric *metric = &parcel->metrics[i];

		open_row(out);
		put_string(out, metric->name);
		put_string(out, metric->unit);
		put_string(out, metric->label);
		put_integer(out, metric->better);
		put_integer(out, metric->kind);
		pe_json_number(out, metric->min_relative);
		pe_json_number(out, metric->min_absolute);
		pe_text_addc(out, ']');
	}
	pe_text_addc(out, ']');
}

static void put_cells(struct pe_text *out, const struct pe_parcel *parcel)
{
	pe_json_open(out, "cells", '[');
	for (size_t i = 0; i < parcel->n_cells; i++) {
		const struct pe_parcel_cell *cell = &parcel->cells[i];

		open_row(out);
		pe_text_addf(out, "%zu,%zu,%u,%u%s]", cell->revision, cell->benchmark, cell->role,
			     cell->rounds, cell->enough ? ",1" : "");
	}
	pe_text_addc(out, ']');
}

static void put_runs(struct pe_text *out, const struct pe_parcel *parcel)
{
	pe_json_open(out, "runs", '[');
	for (size_t i = 0; i < parcel->n_runs; i++) {
		const struct pe_parcel_run *run = &parcel->runs[i];

		open_row(out);
		pe_text_addf(out, "%zu,%zu,%d,%u,%" PRIu64 ",%" PRId64, run->revision,
			     run->benchmark, run->kind, run->round, run->sequence, run->started_s);
		put_string(out, pe_outcome_name(run->outcome));
		put_integer(out, run->status);
		put_string(out, run->log);
		pe_text_add(out, ",[");
		for (size_t s = run->first; s < run->first + run->n_samples; s++) {
			put_integer(out, (int64_t)parcel->samples[s].metric);
			pe_json_number(out, parcel->samples[s].value);
		}
		pe_text_add(out, "]]");
	}
	pe_text_addc(out, ']');
}

static void put_builds(struct pe_text *out, const struct pe_parcel *parcel)
{
	pe_json_open(out, "builds", '[');
	for (size_t i = 0; i < parcel->n_builds; i++) {
		const struct pe_parcel_build *row = &parcel->builds[i];

		open_row(out);
		put_integer(out, (int64_t)row->revision);
		put_string(out, row->recipe);
		put_string(out, pe_outcome_name(row->build.outcome));
		put_integer(out, row->build.status);
		put_integer(out, row->build.started_s);
		put_integer(out, (int64_t)row->build.duration_ns);
		put_string(out, row->build.step);
		put_string(out, row->build.log);
		pe_text_addc(out, ']');
	}
	pe_text_addc(out, ']');
}

static void put_carried(struct pe_text *out, const struct pe_parcel *parcel)
{
	pe_json_open(out, "carried", '[');
	for (size_t i = 0; i < parcel->n_carried; i++) {
		const struct pe_parcel_carried *row = &parcel->carried[i];

		open_row(out);
		pe_text_addf(out, "%zu,%zu,%zu]", row->revision, row->benchmark, row->source);
	}
	pe_text_addc(out, ']');
}

static void put_told(struct pe_text *out, const struct pe_parcel_confirmation *row)
{
	const struct pe_confirm_opts *opts = &row->opts;
	const struct pe_confirm_told *told = &row->told;
	const double bounds[] = {opts->accept,     opts->give_up, opts->suspected,
				 opts->min_effect, opts->margin,  opts->unit};
	const double figures[] = {told->relative,   told->low, told->high,
				  told->confidence, told->p,   told->least};

	pe_text_add(out, ",[");
	for (size_t i = 0; i < sizeof(bounds) / sizeof(*bounds); i++)
		pe_json_number(out, bounds[i]);
	pe_text_addf(out, "],[%zu", told->pairs);
	for (size_t i = 0; i < sizeof(figures) / sizeof(*figures); i++)
		pe_json_number(out, figures[i]);
	pe_text_addf(out, ",%zu]", told->more);
}

static void put_confirmations(struct pe_text *out, const struct pe_parcel *parcel)
{
	pe_json_open(out, "confirmations", '[');
	for (size_t i = 0; i < parcel->n_confirmations; i++) {
		const struct pe_parcel_confirmation *row = &parcel->confirmations[i];

		open_row(out);
		pe_text_addf(out, "%zu,%zu,%zu,%zu,%zu,%zu", row->benchmark, row->metric,
			     row->before, row->after, row->first, row->last);
		if (row->has_window)
			pe_text_addf(out, ",[%" PRId64 ",\"%016" PRIx64 "\"]", row->created_s,
				     row->seed);
		else
			pe_text_add(out, ",null");
		put_integer(out, row->direction);
		put_integer(out, row->begun_s);
		put_string(out, pe_confirm_answer_name(row->answer));
		put_told(out, row);
		put_integer(out, (int64_t)row->known_after);
		if (row->pinned)
			pe_text_addf(out, ",[%zu,%zu,%zu,%zu]", row->pinned_before,
				     row->pinned_after, row->pinned_first, row->pinned_last);
		else
			pe_text_add(out, ",null");
		pe_json_number(out, row->sure);
		if (row->layout != PE_LAYOUT_NOT_LOOKED)
			put_integer(out, row->layout);
		pe_text_addc(out, ']');
	}
	pe_text_addc(out, ']');
}

void pe_parcel_json(struct pe_text *out, const struct pe_parcel *parcel)
{
	pe_text_add(out, "{\"format\":\"perfevo parcel\",\"version\":1");
	put_machine(out, &parcel->machine);
	put_window(out, parcel);
	put_revisions(out, parcel);
	put_benchmarks(out, parcel);
	put_metrics(out, parcel);
	put_cells(out, parcel);
	put_runs(out, parcel);
	put_builds(out, parcel);
	put_carried(out, parcel);
	put_confirmations(out, parcel);
	pe_text_add(out, "}\n");
}

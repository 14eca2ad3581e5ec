/* A store that has measured itself: a machine, two commits, a profile, and a run of each with every built-in metric. */
#pragma once

#include "analysis/profile/cct.h"
#include "store/sql.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOW_S INT64_C(1700100000)
#define OWN   "ffeeddccbbaa99887766554433221100" /* the seeds have another */

enum { COMMITS = 2 };

static struct pe_store *store;
static int64_t commits[COMMITS];

static void must(int rc, const struct pe_err *err)
{
	if (rc == PE_OK)
		return;
	fprintf(stderr, "%s\n", err->message);
	abort();
}

/* What the seeds have of another machine. */
static void put_profile(int64_t machine, int64_t benchmark, struct pe_err *err)
{
	const struct pe_stored_profile profile = {
		.machine = machine,
		.benchmark = benchmark,
		.revision = "1111111111111111111111111111111111111111",
		.kind = "counting",
		.taken_s = NOW_S - 1,
	};
	struct pe_frames frames = PE_FRAMES_INIT;
	pe_auto_arena arena = PE_ARENA_INIT;
	struct pe_cct_builder *builder = pe_cct_builder_new(&frames, PE_CCT_CALLS);
	const struct pe_cct *tree;
	int64_t key;

	pe_cct_builder_child(builder, 0, pe_frames_add_method(&frames, "probe", "a.c"), 0);
	tree = pe_cct_builder_finish(builder, &(struct pe_cct_facts){.source = "counting"}, &arena);
	must(pe_store_put_profile(&key, store, &profile, &tree, 1, err), err);
	pe_frames_release(&frames);
}

/* A machine, two commits, a profile, and a run of each with every built-in metric. */
static void measure(struct pe_err *err)
{
	const struct pe_machine machine = {.hostname = "here", .fingerprint = OWN};
	struct pe_coverage cells[COMMITS];
	struct pe_batch batch = {.created_s = NOW_S, .cells = cells, .n_cells = COMMITS};
	struct pe_run run = {.started_s = NOW_S, .n_samples = PE_N_METRICS};
	int64_t benchmark;

	must(pe_store_put_machine(&batch.machine, store, &machine, err), err);
	must(pe_sql_run(store,
			"INSERT INTO benchmarks (name, version, generation, definition, is_test)"
			" VALUES ('parse', '0123456789abcdef0123456789abcdef', 1, '{}', 0)",
			NULL, err),
	     err);
	benchmark = 1;
	for (size_t i = 0; i < COMMITS; i++) {
		struct pe_revision revision = {.time_s = 1, .author = "a", .subject = "s"};

		memset(revision.id, (int)('1' + i), PE_OID_HEX - 1);
		must(pe_store_put_revision(&commits[i], store, &revision, err), err);
		cells[i] = (struct pe_coverage){
			.revision = commits[i], .benchmark = benchmark, .timed = 1};
	}
	must(pe_store_put_batch(store, &batch, err), err);
	put_profile(batch.machine, benchmark, err);
	for (size_t m = 0; m < PE_N_METRICS; m++)
		run.samples[m] =
			(struct pe_sample){.metric = &pe_metrics[m], .value = 1 + (double)m};
	for (size_t i = 0; i < COMMITS; i++)
		must(pe_store_put_run(store, batch.key, commits[i], benchmark, &run, err), err);
}

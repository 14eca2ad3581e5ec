/*
 * Parcels come from other machines by way of a git server, so a value is checked before it is used. Each table is an
 * array of rows, each row an array of columns; `struct row` reads one from left to right and remembers the first thing
 * that was wrong. An object is read as one row, too, its members by name.
 */
#include "json/parcel.h"

#include "json/tree.h"
#include "core/model/batch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	VERSION = 1,
	NAME_MOST = 4096,     /* bytes of a name */
	TEXT_MOST = 1 << 20,  /* of a log, a definition */
	ROUNDS_MOST = 100000, /* of a batch */
	ROLE_MOST = PE_ROLE_EXPLORED,
};

struct row {
	const struct pe_json_value *values;
	size_t at;         /* the next column */
	const char *wrong; /* what is wrong with the row; NULL so far */
	struct pe_arena *arena;
};

static const struct pe_json_value *next(struct row *row)
{
	return pe_json_element(row->values, row->at++);
}

static const struct pe_json_value *named(const struct row *row, const char *key)
{
	return pe_json_member(row->values, key);
}

static void refuse(struct row *row, const char *wrong)
{
	if (row->wrong == NULL)
		row->wrong = wrong;
}

/* --- Values --- */

static int64_t integer_of(struct row *row, const struct pe_json_value *value, int64_t least,
			  int64_t most)
{
	int64_t whole = pe_json_whole(value, INT64_MIN);

	if (whole >= least && whole <= most && whole != INT64_MIN)
		return whole;
	refuse(row, "a whole number is missing or out of its range");
	return least;
}

static int64_t integer(struct row *row, int64_t least, int64_t most)
{
	return integer_of(row, next(row), least, most);
}

static double real_of(struct row *row, const struct pe_json_value *value)
{
	double number = pe_json_number(value);

	if (isfinite(number))
		return number;
	refuse(row, "a number is missing");
	return 0;
}

static double real(struct row *row)
{
	return real_of(row, next(row));
}

/* NaN where null stands. */
static double maybe_real(struct row *row)
{
	const struct pe_json_value *value = next(row);

	return pe_json_there(value) ? real_of(row, value) : NAN;
}

/* NULL where null is allowed and stands there. Bytes of 0 would end the text early. */
static const char *text_of(struct row *row, const struct pe_json_value *value, size_t most,
			   bool nullable)
{
	if (nullable && !pe_json_there(value))
		return NULL;
	if (value->kind != PE_JSON_STRING)
		refuse(row, "a text is missing");
	else if (value->n > most || strlen(value->text) != value->n)
		refuse(row, "a text is too long or holds a zero byte");
	else
		return value->text;
	return "";
}

static const char *text(struct row *row, size_t most)
{
	return text_of(row, next(row), most, false);
}

static const char *name(struct row *row)
{
	const char *value = text(row, NAME_MOST);

	if (value[0] == '\0')
		refuse(row, "a name is empty");
	return value;
}

static const char *maybe_text(struct row *row, size_t most)
{
	return text_of(row, next(row), most, true);
}

/* Exactly size - 1 lower-case hexadecimal digits. */
static void hex_of(char *out, size_t size, struct row *row, const struct pe_json_value *column)
{
	const char *value = text_of(row, column, NAME_MOST, false);

	if (strlen(value) == size - 1 && strspn(value, "0123456789abcdef") == size - 1) {
		memcpy(out, value, size);
		return;
	}
	refuse(row, "an identifier has another form");
	memset(out, '0', size - 1);
	out[size - 1] = '\0';
}

static const char *hash(struct row *row)
{
	char hex[PE_HASH_HEX];

	hex_of(hex, sizeof(hex), row, next(row));
	return pe_arena_strdup(row->arena, hex);
}

static uint64_t seed_of(struct row *row, const struct pe_json_value *value)
{
	char hex[17];

	hex_of(hex, sizeof(hex), row, value);
	return strtoull(hex, NULL, 16);
}

static size_t reference(struct row *row, size_t n)
{
	int64_t index = integer(row, 0, n > 0 ? (int64_t)n - 1 : 0);

	if (n == 0)
		refuse(row, "it refers to an empty table");
	return (size_t)index;
}

static enum pe_outcome outcome(struct row *row)
{
	const char *value = text(row, NAME_MOST);

	for (int i = 0; i < PE_N_OUTCOMES; i++)
		if (strcmp(value, pe_outcome_name((enum pe_outcome)i)) == 0)
			return (enum pe_outcome)i;
	refuse(row, "its outcome is unknown");
	return PE_NOT_STARTED;
}

/* --- Tables --- */

struct reading {
	struct pe_parcel *out;
	const struct pe_json_value *root;
	struct pe_arena *arena;
	struct pe_err *err;
};

/* Read every row of a table; `read` gets its number. */
static int each_row(struct reading *reading, const char *table, size_t columns,
		    void (*read)(struct pe_parcel *out, size_t i, struct row *row))
{
	const struct pe_json_value *rows = pe_json_member(reading->root, table);

	if (rows->kind != PE_JSON_ARRAY)
		return pe_fail(reading->err, PE_EINVALID, "it has no table '%s'", table);
	for (size_t i = 0; i < rows->n; i++) {
		struct row row = {&rows->items[i], 0, NULL, reading->arena};

		if (pe_json_length(row.values) < columns)
			refuse(&row, "it has too few columns");
		read(reading->out, i, &row);
		if (row.wrong != NULL)
			return pe_fail(reading->err, PE_EINVALID, "row %zu of '%s': %s", i, table,
				       row.wrong);
	}
	return PE_OK;
}

/* Room for a table's rows, whose number goes to *n. */
static void *room(size_t *n, const struct reading *reading, const char *table, size_t size)
{
	*n = pe_json_length(pe_json_member(reading->root, table));
	return pe_arena_alloc(reading->arena, *n, size);
}

static void read_revision(struct pe_parcel *out, size_t i, struct row *row)
{
	struct pe_revision *revision = &out->revisions[i];
	const struct pe_json_value *parents;
	char(*ids)[PE_OID_HEX];

	hex_of(revision->id, sizeof(revision->id), row, next(row));
	revision->time_s = integer(row, INT64_MIN / 2, INT64_MAX / 2);
	revision->author = text(row, NAME_MOST);
	revision->subject = text(row, TEXT_MOST);
	parents = next(row);
	revision->n_parents = pe_json_length(parents);
	ids = pe_arena_alloc(row->arena, revision->n_parents, sizeof(*ids));
	for (size_t p = 0; p < revision->n_parents; p++)
		hex_of(ids[p], sizeof(ids[p]), row, &parents->items[p]);
	revision->parents = (const char(*)[PE_OID_HEX])ids;
}

static void read_benchmark(struct pe_parcel *out, size_t i, struct row *row)
{
	struct pe_parcel_benchmark *benchmark = &out->benchmarks[i];
	const struct pe_json_value *is_test;

	benchmark->name = name(row);
	benchmark->version = hash(row);
	benchmark->definition = text(row, TEXT_MOST);
	is_test = next(row);
	if (is_test->kind != PE_JSON_TRUE && is_test->kind != PE_JSON_FALSE)
		refuse(row, "a truth value is missing");
	benchmark->is_test = pe_json_true(is_test);
}

static void read_metric(struct pe_parcel *out, size_t i, struct row *row)
{
	struct pe_metric *metric = &out->metrics[i];

	metric->name = name(row);
	metric->unit = text(row, NAME_MOST);
	metric->label = text(row, NAME_MOST);
	metric->better = (enum pe_better)integer(row, PE_LOWER_IS_BETTER, PE_HIGHER_IS_BETTER);
	metric->kind = (enum pe_metric_kind)integer(row, PE_METRIC_NOISY, PE_METRIC_CONTEXT);
	metric->min_relative = real(row);
	metric->min_absolute = real(row);
}

static void read_cell(struct pe_parcel *out, size_t i, struct row *row)
{
	struct pe_parcel_cell *cell = &out->cells[i];

	cell->revision = reference(row, out->n_revisions);
	cell->benchmark = reference(row, out->n_benchmarks);
	cell->role = (unsigned)integer(row, 0, ROLE_MOST);
	cell->rounds = (unsigned)integer(row, 0, ROUNDS_MOST);
	/* Left out by older ones, and where it says nothing. */
	if (pe_json_length(row->values) > 4)
		cell->enough = integer(row, 0, 1) != 0;
}

static void read_samples(struct pe_parcel *out, struct pe_parcel_run *run, struct row *row)
{
	const struct pe_json_value *values = next(row);
	struct row pairs = {values, 0, NULL, row->arena};

	run->first = out->n_samples;
	run->n_samples = pe_json_length(values) / 2;
	if (values->kind != PE_JSON_ARRAY || pe_json_length(values) % 2 != 0 ||
	    run->n_samples > PE_RUN_MAX_SAMPLES ||
	    (run->n_samples != 0 && run->outcome != PE_MEASURED)) {
		refuse(row, "its samples are not pairs of a measured run");
		run->n_samples = 0;
	}
	for (size_t s = 0; s < run->n_samples; s++) {
		struct pe_parcel_sample *sample = &out->samples[out->n_samples++];

		sample->metric = reference(&pairs, out->n_metrics);
		sample->value = real(&pairs);
		for (size_t before = run->first; before + 1 < out->n_samples; before++)
			if (out->samples[before].metric == sample->metric)
				refuse(row, "it has two samples of one metric");
	}
	if (pairs.wrong != NULL)
		refuse(row, pairs.wrong);
}

static void read_run(struct pe_parcel *out, size_t i, struct row *row)
{
	struct pe_parcel_run *run = &out->runs[i];

	run->revision = reference(row, out->n_revisions);
	run->benchmark = reference(row, out->n_benchmarks);
	run->kind = (enum pe_run_kind)integer(row, PE_RUN_TIMED, PE_RUN_ALLOCATIONS);
	run->round = (unsigned)integer(row, 0, ROUNDS_MOST);
	run->sequence = (uint64_t)integer(row, 0, INT64_MAX);
	run->started_s = integer(row, INT64_MIN / 2, INT64_MAX / 2);
	run->outcome = outcome(row);
	run->status = (int)integer(row, INT32_MIN, INT32_MAX);
	run->log = maybe_text(row, TEXT_MOST);
	read_samples(out, run, row);
}

static void read_build(struct pe_parcel *out, size_t i, struct row *row)
{
	struct pe_parcel_build *build = &out->builds[i];

	build->revision = reference(row, out->n_revisions);
	build->recipe = hash(row);
	build->build = (struct pe_build){.outcome = outcome(row)};
	build->build.status = (int)integer(row, INT32_MIN, INT32_MAX);
	build->build.started_s = integer(row, INT64_MIN / 2, INT64_MAX / 2);
	build->build.duration_ns = (uint64_t)integer(row, 0, INT64_MAX);
	build->build.step = maybe_text(row, TEXT_MOST);
	build->build.log = maybe_text(row, TEXT_MOST);
}

static void read_reused(struct pe_parcel *out, size_t i, struct row *row)
{
	out->reused[i].revision = reference(row, out->n_revisions);
	out->reused[i].benchmark = reference(row, out->n_benchmarks);
	out->reused[i].source = reference(row, out->n_revisions);
}

/* --- Confirmations --- */

/* The elements of a column that is an array of its own; a column that is null has none. */
static struct row inner(struct row *row, size_t columns, bool nullable)
{
	struct row inside = {next(row), 0, NULL, row->arena};

	if (!(nullable && !pe_json_there(inside.values)) &&
	    pe_json_length(inside.values) != columns)
		refuse(row, "a list in it has another length");
	return inside;
}

static void end_inner(struct row *row, const struct row *inside)
{
	if (inside->wrong != NULL)
		refuse(row, inside->wrong);
}

static enum pe_confirm_answer answer(struct row *row)
{
	const char *value = text(row, NAME_MOST);

	for (int i = PE_CONFIRMED; i <= PE_CONFIRM_UNDECIDED; i++)
		if (strcmp(value, pe_confirm_answer_name((enum pe_confirm_answer)i)) == 0)
			return (enum pe_confirm_answer)i;
	refuse(row, "its answer is unknown");
	return PE_CONFIRM_UNDECIDED;
}

static void read_batch_name(struct pe_parcel_confirmation *out, struct row *row)
{
	struct row inside = inner(row, 2, true);

	out->has_batch = pe_json_there(inside.values);
	if (!out->has_batch)
		return;
	out->created_s = integer(&inside, INT64_MIN / 2, INT64_MAX / 2);
	out->seed = seed_of(&inside, next(&inside));
	end_inner(row, &inside);
}

static void read_opts(struct pe_confirm_opts *out, struct row *row)
{
	struct row inside = inner(row, 6, false);

	out->accept = real(&inside);
	out->give_up = real(&inside);
	out->suspected = real(&inside);
	out->min_effect = real(&inside);
	out->margin = real(&inside);
	out->unit = real(&inside);
	end_inner(row, &inside);
}

static void read_told(struct pe_confirm_told *out, struct row *row)
{
	struct row inside = inner(row, 8, false);

	out->pairs = (size_t)integer(&inside, 0, PE_CONFIRM_PAIRS);
	out->relative = maybe_real(&inside);
	out->low = maybe_real(&inside);
	out->high = maybe_real(&inside);
	out->confidence = maybe_real(&inside);
	out->p = maybe_real(&inside);
	out->least = maybe_real(&inside);
	out->more = (size_t)integer(&inside, 0, INT32_MAX);
	end_inner(row, &inside);
}

static void read_pin(struct pe_parcel_confirmation *out, struct row *row, size_t n_revisions)
{
	struct row inside = inner(row, 4, true);

	out->pinned = pe_json_there(inside.values);
	if (!out->pinned)
		return;
	out->pinned_before = reference(&inside, n_revisions);
	out->pinned_after = reference(&inside, n_revisions);
	out->pinned_first = reference(&inside, n_revisions);
	out->pinned_last = reference(&inside, n_revisions);
	end_inner(row, &inside);
}

static void read_confirmation(struct pe_parcel *out, size_t i, struct row *row)
{
	struct pe_parcel_confirmation *confirmation = &out->confirmations[i];

	confirmation->benchmark = reference(row, out->n_benchmarks);
	confirmation->metric = reference(row, out->n_metrics);
	confirmation->before = reference(row, out->n_revisions);
	confirmation->after = reference(row, out->n_revisions);
	confirmation->first = reference(row, out->n_revisions);
	confirmation->last = reference(row, out->n_revisions);
	read_batch_name(confirmation, row);
	confirmation->direction = (int)integer(row, -1, 1);
	confirmation->begun_s = integer(row, INT64_MIN / 2, INT64_MAX / 2);
	confirmation->answer = answer(row);
	read_opts(&confirmation->opts, row);
	read_told(&confirmation->told, row);
	confirmation->known_after = (size_t)integer(row, 0, INT32_MAX);
	read_pin(confirmation, row, out->n_revisions);
	confirmation->sure = maybe_real(row);
	/* Left out by older ones, and where nobody looked. */
	if (pe_json_length(row->values) > 15)
		confirmation->layout =
			(enum pe_layout)integer(row, PE_LAYOUT_NOT_LOOKED, PE_LAYOUT_UNTOLD);
}

/* --- Single things --- */

static void read_machine(struct pe_parcel *out, struct row *row)
{
	struct pe_machine *machine = &out->machine;

	hex_of(machine->fingerprint, sizeof(machine->fingerprint), row, named(row, "fingerprint"));
	machine->hostname = text_of(row, named(row, "hostname"), NAME_MOST, true);
	machine->cpu = text_of(row, named(row, "cpu"), NAME_MOST, true);
	machine->cores = (unsigned)integer_of(row, named(row, "cores"), 0, 1 << 20);
	machine->memory_bytes = (uint64_t)integer_of(row, named(row, "memory_bytes"), 0, INT64_MAX);
	machine->kernel = text_of(row, named(row, "kernel"), NAME_MOST, true);
	machine->compilers = text_of(row, named(row, "compilers"), NAME_MOST, true);
}

static void read_batch(struct pe_parcel *out, struct row *row)
{
	struct pe_conditions *conditions = &out->conditions;
	double load = pe_json_number(named(row, "load"));

	out->has_batch = pe_json_there(row->values);
	if (!out->has_batch)
		return;
	out->created_s = integer_of(row, named(row, "created"), INT64_MIN / 2, INT64_MAX / 2);
	out->seed = seed_of(row, named(row, "seed"));
	out->aside = pe_json_true(named(row, "aside"));
	conditions->governor = text_of(row, named(row, "governor"), NAME_MOST, true);
	conditions->turbo = text_of(row, named(row, "turbo"), NAME_MOST, true);
	conditions->load = isfinite(load) ? load : 0;
	conditions->env_bytes = (unsigned)integer_of(row, named(row, "env_bytes"), 0, UINT32_MAX);
	conditions->cpu = (int)integer_of(row, named(row, "cpu"), -1, 1 << 20);
	conditions->nice = (int)integer_of(row, named(row, "nice"), -20, 19);
	conditions->fixed_layout = pe_json_true(named(row, "fixed_layout"));
}

static int single(struct reading *reading, const char *key,
		  void (*read)(struct pe_parcel *out, struct row *row))
{
	struct row row = {pe_json_member(reading->root, key), 0, NULL, reading->arena};

	read(reading->out, &row);
	if (row.wrong == NULL)
		return PE_OK;
	return pe_fail(reading->err, PE_EINVALID, "'%s': %s", key, row.wrong);
}

/* As many samples as all runs claim to have. */
static size_t count_samples(const struct reading *reading)
{
	const struct pe_json_value *runs = pe_json_member(reading->root, "runs");
	size_t n = 0;

	for (size_t i = 0; i < pe_json_length(runs); i++)
		n += pe_json_length(pe_json_element(&runs->items[i], 9)) / 2;
	return n;
}

static int read_tables(struct reading *reading)
{
	static const struct {
		const char *name;
		size_t columns;
		void (*read)(struct pe_parcel *out, size_t i, struct row *row);
	} tables[] = {
		{"revisions", 5, read_revision}, {"benchmarks", 4, read_benchmark},
		{"metrics", 7, read_metric},     {"cells", 4, read_cell},
		{"runs", 10, read_run},          {"builds", 8, read_build},
		{"carried", 3, read_reused},     {"confirmations", 15, read_confirmation},
	};
	struct pe_parcel *out = reading->out;
	int rc = PE_OK;

	out->revisions = room(&out->n_revisions, reading, "revisions", sizeof(*out->revisions));
	out->benchmarks = room(&out->n_benchmarks, reading, "benchmarks", sizeof(*out->benchmarks));
	out->metrics = room(&out->n_metrics, reading, "metrics", sizeof(*out->metrics));
	out->cells = room(&out->n_cells, reading, "cells", sizeof(*out->cells));
	out->runs = room(&out->n_runs, reading, "runs", sizeof(*out->runs));
	out->builds = room(&out->n_builds, reading, "builds", sizeof(*out->builds));
	out->reused = room(&out->n_reused, reading, "carried", sizeof(*out->reused));
	out->confirmations =
		room(&out->n_confirmations, reading, "confirmations", sizeof(*out->confirmations));
	out->samples =
		pe_arena_new(reading->arena, struct pe_parcel_sample, count_samples(reading));
	for (size_t i = 0; rc == PE_OK && i < sizeof(tables) / sizeof(*tables); i++)
		rc = each_row(reading, tables[i].name, tables[i].columns, tables[i].read);
	return rc;
}

static int read_root(struct reading *reading)
{
	const struct pe_json_value *version = pe_json_member(reading->root, "version");
	int rc;

	if (!pe_json_equals(pe_json_member(reading->root, "format"), "perfevo parcel") ||
	    version->kind != PE_JSON_NUMBER)
		return pe_fail(reading->err, PE_EINVALID, "it is no parcel of perfevo");
	if (pe_json_whole(version, 0) != VERSION)
		return pe_fail(reading->err, PE_EUNSUPPORTED,
			       "it is of version %s, and this perfevo reads %d: update perfevo",
			       version->text, VERSION);
	rc = single(reading, "machine", read_machine);
	if (rc == PE_OK)
		rc = single(reading, "window", read_batch);
	return rc == PE_OK ? read_tables(reading) : rc;
}

int pe_json_parcel(struct pe_parcel *out, const char *document, size_t n, struct pe_arena *arena,
		   struct pe_err *err)
{
	struct reading reading = {out, NULL, arena, err};
	int rc = pe_json_tree(&reading.root, document, n, arena, err);

	*out = (struct pe_parcel){0};
	return rc == PE_OK ? read_root(&reading) : rc;
}

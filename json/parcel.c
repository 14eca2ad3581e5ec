/*
 * Parcels come from other machines by way of a git server, so a row is checked before it is used. Each table
 * is an array of rows, each row an array of columns; `struct row` reads one from left to right and remembers
 * the first thing that was wrong.
 */
#include "json/parcel.h"

#include "json/document.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	VERSION = 1,
	NAME_MOST = 4096,     /* bytes of a name */
	TEXT_MOST = 1 << 20,  /* of a log, a definition */
	ROUNDS_MOST = 100000, /* of a window */
	ROLE_MOST = 3,
};

struct row {
	struct json_object *columns;
	size_t at;         /* the next column */
	const char *wrong; /* what is wrong with the row; NULL so far */
	struct pe_arena *arena;
};

static struct json_object *next(struct row *row)
{
	struct json_object *column = NULL;

	if (row->at < pe_json_length(row->columns))
		column = json_object_array_get_idx(row->columns, row->at);
	row->at++;
	return column;
}

static void refuse(struct row *row, const char *wrong)
{
	if (row->wrong == NULL)
		row->wrong = wrong;
}

/* --- Values --- */

static int64_t integer(struct row *row, int64_t least, int64_t most)
{
	struct json_object *column = next(row);
	int64_t value = json_object_is_type(column, json_type_int) ? json_object_get_int64(column)
								   : INT64_MIN;

	if (value >= least && value <= most && json_object_is_type(column, json_type_int))
		return value;
	refuse(row, "a whole number is missing or out of its range");
	return least;
}

static double real_of(struct row *row, struct json_object *column)
{
	double value = json_object_is_type(column, json_type_int) ||
				       json_object_is_type(column, json_type_double)
			       ? json_object_get_double(column)
			       : NAN;

	if (isfinite(value))
		return value;
	refuse(row, "a number is missing");
	return 0;
}

/* NULL where null is allowed and stands there. Bytes of 0 would end the text early. */
static const char *text_of(struct row *row, struct json_object *column, size_t most, bool nullable)
{
	if (column == NULL && nullable)
		return NULL;
	if (!json_object_is_type(column, json_type_string)) {
		refuse(row, "a text is missing");
		return "";
	}
	if ((size_t)json_object_get_string_len(column) > most ||
	    strlen(json_object_get_string(column)) != (size_t)json_object_get_string_len(column)) {
		refuse(row, "a text is too long or holds a zero byte");
		return "";
	}
	return pe_arena_strdup(row->arena, json_object_get_string(column));
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
static void hex_of(char *out, size_t size, struct row *row, struct json_object *column)
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
	struct json_object *root;
	struct pe_arena *arena;
	struct pe_err *err;
};

/* Read every row of a table; `read` gets its number. */
static int each_row(struct reading *reading, const char *table, size_t columns,
		    void (*read)(struct pe_parcel *out, size_t i, struct row *row))
{
	struct json_object *rows = pe_json_member(reading->root, table);

	if (!json_object_is_type(rows, json_type_array))
		return pe_fail(reading->err, PE_EINVALID, "it has no table '%s'", table);
	for (size_t i = 0; i < pe_json_length(rows); i++) {
		struct row row = {json_object_array_get_idx(rows, i), 0, NULL, reading->arena};

		if (pe_json_length(row.columns) < columns)
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
	struct json_object *parents;
	char(*ids)[PE_OID_HEX];

	hex_of(revision->id, sizeof(revision->id), row, next(row));
	revision->time_s = integer(row, INT64_MIN / 2, INT64_MAX / 2);
	revision->author = text(row, NAME_MOST);
	revision->subject = text(row, TEXT_MOST);
	parents = next(row);
	revision->n_parents = pe_json_length(parents);
	ids = pe_arena_alloc(row->arena, revision->n_parents, sizeof(*ids));
	for (size_t p = 0; p < revision->n_parents; p++)
		hex_of(ids[p], sizeof(ids[p]), row, json_object_array_get_idx(parents, p));
	revision->parents = (const char(*)[PE_OID_HEX])ids;
}

static void read_benchmark(struct pe_parcel *out, size_t i, struct row *row)
{
	struct pe_parcel_benchmark *benchmark = &out->benchmarks[i];
	char version[PE_HASH_HEX];
	struct json_object *is_test;

	benchmark->name = name(row);
	hex_of(version, sizeof(version), row, next(row));
	benchmark->version = pe_arena_strdup(row->arena, version);
	benchmark->definition = text(row, TEXT_MOST);
	is_test = next(row);
	if (!json_object_is_type(is_test, json_type_boolean))
		refuse(row, "a truth value is missing");
	benchmark->is_test = json_object_get_boolean(is_test);
}

static void read_metric(struct pe_parcel *out, size_t i, struct row *row)
{
	struct pe_metric *metric = &out->metrics[i];

	metric->name = name(row);
	metric->unit = text(row, NAME_MOST);
	metric->label = text(row, NAME_MOST);
	metric->better = (enum pe_better)integer(row, PE_LOWER_IS_BETTER, PE_HIGHER_IS_BETTER);
	metric->kind = (enum pe_metric_kind)integer(row, PE_METRIC_NOISY, PE_METRIC_CONTEXT);
	metric->min_relative = real_of(row, next(row));
	metric->min_absolute = real_of(row, next(row));
}

static void read_cell(struct pe_parcel *out, size_t i, struct row *row)
{
	struct pe_parcel_cell *cell = &out->cells[i];

	cell->revision = reference(row, out->n_revisions);
	cell->benchmark = reference(row, out->n_benchmarks);
	cell->role = (unsigned)integer(row, 0, ROLE_MOST);
	cell->rounds = (unsigned)integer(row, 0, ROUNDS_MOST);
	/* Left out by older ones, and where it says nothing. */
	if (pe_json_length(row->columns) > 4)
		cell->enough = integer(row, 0, 1) != 0;
}

static void read_samples(struct pe_parcel *out, struct pe_parcel_run *run, struct row *row)
{
	struct json_object *values = next(row);
	struct row pairs = {values, 0, NULL, row->arena};

	run->first = out->n_samples;
	run->n_samples = pe_json_length(values) / 2;
	if (!json_object_is_type(values, json_type_array) || pe_json_length(values) % 2 != 0 ||
	    run->n_samples > PE_RUN_MAX_SAMPLES ||
	    (run->n_samples != 0 && run->outcome != PE_MEASURED)) {
		refuse(row, "its samples are not pairs of a measured run");
		run->n_samples = 0;
	}
	for (size_t s = 0; s < run->n_samples; s++) {
		struct pe_parcel_sample *sample = &out->samples[out->n_samples++];

		sample->metric = reference(&pairs, out->n_metrics);
		sample->value = real_of(&pairs, next(&pairs));
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
	char recipe[PE_HASH_HEX];

	build->revision = reference(row, out->n_revisions);
	hex_of(recipe, sizeof(recipe), row, next(row));
	build->recipe = pe_arena_strdup(row->arena, recipe);
	build->build = (struct pe_build){.outcome = outcome(row)};
	build->build.status = (int)integer(row, INT32_MIN, INT32_MAX);
	build->build.started_s = integer(row, INT64_MIN / 2, INT64_MAX / 2);
	build->build.duration_ns = (uint64_t)integer(row, 0, INT64_MAX);
	build->build.step = maybe_text(row, TEXT_MOST);
	build->build.log = maybe_text(row, TEXT_MOST);
}

static void read_carried(struct pe_parcel *out, size_t i, struct row *row)
{
	out->carried[i].revision = reference(row, out->n_revisions);
	out->carried[i].benchmark = reference(row, out->n_benchmarks);
	out->carried[i].source = reference(row, out->n_revisions);
}

/* --- Confirmations --- */

/* The elements of a column that is an array of its own; a column that is null has none. */
static struct row inner(struct row *row, size_t columns, bool nullable)
{
	struct row inside = {next(row), 0, NULL, row->arena};

	if (!(nullable && inside.columns == NULL) && pe_json_length(inside.columns) != columns)
		refuse(row, "a list in it has another length");
	return inside;
}

static void end_inner(struct row *row, const struct row *inside)
{
	if (inside->wrong != NULL)
		refuse(row, inside->wrong);
}

/* NaN where null stands. */
static double maybe_real(struct row *row)
{
	struct json_object *column = next(row);

	return column != NULL ? real_of(row, column) : NAN;
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

static void read_window_name(struct pe_parcel_confirmation *out, struct row *row)
{
	struct row inside = inner(row, 2, true);
	char seed[17];

	out->has_window = inside.columns != NULL;
	if (!out->has_window)
		return;
	out->created_s = integer(&inside, INT64_MIN / 2, INT64_MAX / 2);
	hex_of(seed, sizeof(seed), &inside, next(&inside));
	out->seed = strtoull(seed, NULL, 16);
	end_inner(row, &inside);
}

static void read_opts(struct pe_confirm_opts *out, struct row *row)
{
	struct row inside = inner(row, 6, false);

	out->accept = real_of(&inside, next(&inside));
	out->give_up = real_of(&inside, next(&inside));
	out->suspected = real_of(&inside, next(&inside));
	out->min_effect = real_of(&inside, next(&inside));
	out->margin = real_of(&inside, next(&inside));
	out->unit = real_of(&inside, next(&inside));
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

	out->pinned = inside.columns != NULL;
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
	read_window_name(confirmation, row);
	confirmation->direction = (int)integer(row, -1, 1);
	confirmation->begun_s = integer(row, INT64_MIN / 2, INT64_MAX / 2);
	confirmation->answer = answer(row);
	read_opts(&confirmation->opts, row);
	read_told(&confirmation->told, row);
	confirmation->known_after = (size_t)integer(row, 0, INT32_MAX);
	read_pin(confirmation, row, out->n_revisions);
	confirmation->sure = maybe_real(row);
	/* Left out by older ones, and where nobody looked. */
	if (pe_json_length(row->columns) > 15)
		confirmation->layout =
			(enum pe_layout)integer(row, PE_LAYOUT_NOT_LOOKED, PE_LAYOUT_UNTOLD);
}

/* --- Single things --- */

/* A named member of an object, read as if it were the next column of a row. */
static struct row column(struct reading *reading, struct json_object *object, const char *key)
{
	struct row row = {json_object_new_array_ext(1), 0, NULL, reading->arena};

	json_object_array_add(row.columns, json_object_get(pe_json_member(object, key)));
	return row;
}

static int end_column(struct row *row, struct reading *reading, const char *key)
{
	json_object_put(row->columns);
	if (row->wrong == NULL)
		return PE_OK;
	return pe_fail(reading->err, PE_EINVALID, "'%s': %s", key, row->wrong);
}

static int member_integer(int64_t *out, struct reading *reading, struct json_object *object,
			  const char *key, int64_t least, int64_t most)
{
	struct row row = column(reading, object, key);

	*out = integer(&row, least, most);
	return end_column(&row, reading, key);
}

static int member_text(const char **out, struct reading *reading, struct json_object *object,
		       const char *key)
{
	struct row row = column(reading, object, key);

	*out = text_of(&row, next(&row), NAME_MOST, true);
	return end_column(&row, reading, key);
}

static int member_hex(char *out, size_t size, struct reading *reading, struct json_object *object,
		      const char *key)
{
	struct row row = column(reading, object, key);

	hex_of(out, size, &row, next(&row));
	return end_column(&row, reading, key);
}

static int read_machine(struct reading *reading)
{
	struct pe_machine *machine = &reading->out->machine;
	struct json_object *object = pe_json_member(reading->root, "machine");
	int64_t cores = 0, memory = 0;
	int rc = member_hex(machine->fingerprint, sizeof(machine->fingerprint), reading, object,
			    "fingerprint");

	if (rc == PE_OK)
		rc = member_text(&machine->hostname, reading, object, "hostname");
	if (rc == PE_OK)
		rc = member_text(&machine->cpu, reading, object, "cpu");
	if (rc == PE_OK)
		rc = member_integer(&cores, reading, object, "cores", 0, 1 << 20);
	if (rc == PE_OK)
		rc = member_integer(&memory, reading, object, "memory_bytes", 0, INT64_MAX);
	if (rc == PE_OK)
		rc = member_text(&machine->kernel, reading, object, "kernel");
	if (rc == PE_OK)
		rc = member_text(&machine->compilers, reading, object, "compilers");
	machine->cores = (unsigned)cores;
	machine->memory_bytes = (uint64_t)memory;
	return rc;
}

static int read_conditions(struct reading *reading, struct json_object *window)
{
	struct pe_conditions *conditions = &reading->out->conditions;
	int64_t env_bytes = 0, cpu = 0, nice = 0;
	int rc = member_text(&conditions->governor, reading, window, "governor");

	if (rc == PE_OK)
		rc = member_text(&conditions->turbo, reading, window, "turbo");
	if (rc == PE_OK)
		rc = member_integer(&env_bytes, reading, window, "env_bytes", 0, UINT32_MAX);
	if (rc == PE_OK)
		rc = member_integer(&cpu, reading, window, "cpu", -1, 1 << 20);
	if (rc == PE_OK)
		rc = member_integer(&nice, reading, window, "nice", -20, 19);
	conditions->load = json_object_get_double(pe_json_member(window, "load"));
	if (!isfinite(conditions->load))
		conditions->load = 0;
	conditions->env_bytes = (unsigned)env_bytes;
	conditions->cpu = (int)cpu;
	conditions->nice = (int)nice;
	conditions->fixed_layout = json_object_get_boolean(pe_json_member(window, "fixed_layout"));
	return rc;
}

static int read_window(struct reading *reading)
{
	struct json_object *window = pe_json_member(reading->root, "window");
	char seed[17];
	int rc;

	reading->out->has_window = window != NULL;
	if (window == NULL)
		return PE_OK;
	rc = member_integer(&reading->out->created_s, reading, window, "created", INT64_MIN / 2,
			    INT64_MAX / 2);
	if (rc == PE_OK)
		rc = member_hex(seed, sizeof(seed), reading, window, "seed");
	if (rc == PE_OK)
		reading->out->seed = strtoull(seed, NULL, 16);
	reading->out->aside = json_object_get_boolean(pe_json_member(window, "aside"));
	return rc == PE_OK ? read_conditions(reading, window) : rc;
}

/* As many samples as all runs claim to have. */
static size_t count_samples(const struct reading *reading)
{
	struct json_object *runs = pe_json_member(reading->root, "runs");
	size_t n = 0;

	for (size_t i = 0; i < pe_json_length(runs); i++) {
		struct json_object *run = json_object_array_get_idx(runs, i);

		if (pe_json_length(run) > 9)
			n += pe_json_length(json_object_array_get_idx(run, 9)) / 2;
	}
	return n;
}

static int read_tables(struct reading *reading)
{
	struct pe_parcel *out = reading->out;
	int rc;

	out->revisions = room(&out->n_revisions, reading, "revisions", sizeof(*out->revisions));
	out->benchmarks = room(&out->n_benchmarks, reading, "benchmarks", sizeof(*out->benchmarks));
	out->metrics = room(&out->n_metrics, reading, "metrics", sizeof(*out->metrics));
	out->cells = room(&out->n_cells, reading, "cells", sizeof(*out->cells));
	out->runs = room(&out->n_runs, reading, "runs", sizeof(*out->runs));
	out->builds = room(&out->n_builds, reading, "builds", sizeof(*out->builds));
	out->carried = room(&out->n_carried, reading, "carried", sizeof(*out->carried));
	out->confirmations =
		room(&out->n_confirmations, reading, "confirmations", sizeof(*out->confirmations));
	out->samples =
		pe_arena_new(reading->arena, struct pe_parcel_sample, count_samples(reading));
	rc = each_row(reading, "revisions", 5, read_revision);
	if (rc == PE_OK)
		rc = each_row(reading, "benchmarks", 4, read_benchmark);
	if (rc == PE_OK)
		rc = each_row(reading, "metrics", 7, read_metric);
	if (rc == PE_OK)
		rc = each_row(reading, "cells", 4, read_cell);
	if (rc == PE_OK)
		rc = each_row(reading, "runs", 10, read_run);
	if (rc == PE_OK)
		rc = each_row(reading, "builds", 8, read_build);
	if (rc == PE_OK)
		rc = each_row(reading, "carried", 3, read_carried);
	if (rc == PE_OK)
		rc = each_row(reading, "confirmations", 15, read_confirmation);
	return rc;
}

static int read_root(struct reading *reading)
{
	struct json_object *version = pe_json_member(reading->root, "version");
	const char *format = pe_json_string(reading->root, "format", reading->arena);
	int rc;

	if (format == NULL || strcmp(format, "perfevo parcel") != 0 ||
	    !json_object_is_type(version, json_type_int))
		return pe_fail(reading->err, PE_EINVALID, "it is no parcel of perfevo");
	if (json_object_get_int64(version) != VERSION)
		return pe_fail(reading->err, PE_EUNSUPPORTED,
			       "it is of version %lld, and this perfevo reads %d: update perfevo",
			       (long long)json_object_get_int64(version), VERSION);
	rc = read_machine(reading);
	if (rc == PE_OK)
		rc = read_window(reading);
	return rc == PE_OK ? read_tables(reading) : rc;
}

int pe_json_parcel(struct pe_parcel *out, const char *document, size_t n, struct pe_arena *arena,
		   struct pe_err *err)
{
	struct reading reading = {out, NULL, arena, err};
	int rc = pe_json_parse(&reading.root, document, n, err);

	*out = (struct pe_parcel){0};
	if (rc != PE_OK)
		return rc;
	rc = read_root(&reading);
	json_object_put(reading.root);
	return rc;
}

#include "app/measure/suite_port.h"

#include "analysis/profile/input.h"
#include "core/base/files.h"
#include "core/stats/order.h"
#include "configs/read.h"
#include "suites/gather.h"
#include "suites/library.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

struct pe_session_suite *pe_suite_port_find(struct pe_session *session,
					    const struct pe_suite *suite)
{
	for (size_t i = 0; i < session->n_suites; i++)
		if (session->suites[i].suite == suite)
			return &session->suites[i];
	return NULL;
}

/* --- Commands --- */

static struct pe_command with_words(const struct pe_suite *suite, const struct pe_strings *words,
				    struct pe_arena *arena)
{
	struct pe_command command = pe_command_append(&suite->command, &suite->options, arena);

	return pe_command_append(&command, words, arena);
}

/* Make the command that lists benchmarks, or prints help. */
static int ask_command(struct pe_suite_command *out, const struct pe_session_suite *at,
		       pe_suite_words asked, struct pe_arena *arena, struct pe_err *err)
{
	struct pe_strings words = {asked, 0};

	if (words.at == NULL)
		return pe_fail(err, PE_EUNSUPPORTED,
			       "suite '%s': its program cannot be asked for its benchmarks",
			       at->suite->name);
	while (words.at[words.n] != NULL)
		words.n++;
	out->command = with_words(at->suite, &words, arena);
	return PE_OK;
}

/*
 * Make the shortest command that runs all benchmarks. Only for libraries that list names without a run is it certain that
 * one iteration runs each benchmark once.
 */
static void brief_command(struct pe_suite_command *out, const struct pe_session_suite *at,
			  const struct pe_suite_library *library, struct pe_arena *arena)
{
	const struct pe_suite_request request = {
		.repetitions = 1,
		.iterations = 1,
		.help = at->fixed && library != NULL ? library->iterations_sign : NULL,
	};
	struct pe_strings words = {NULL, 0};
	struct pe_err why = PE_ERR_INIT;

	if (library == NULL || library->list == NULL ||
	    pe_suite_words_for(&words, (enum pe_suite_format)at->format, &request, arena, &why) !=
		    PE_OK)
		words = (struct pe_strings){NULL, 0};
	out->command = with_words(at->suite, &words, arena);
}

static int command(struct pe_suite_command *out, const struct pe_suite *suite,
		   const struct pe_suite_task *task, const char *tree, struct pe_arena *arena,
		   void *payload, struct pe_err *err)
{
	const struct pe_session_suite *at = pe_suite_port_find(payload, suite);
	const enum pe_suite_format format = (enum pe_suite_format)at->format;
	const struct pe_suite_library *library = pe_suite_library_find(format);
	struct pe_suite_request request = {
		.selectors = task->names,
		.n_selectors = task->n,
		.iterations = task->what == PE_ASK_ONCE ? PE_SUITE_ITERATIONS : 0,
		.help = at->fixed && library != NULL ? library->iterations_sign : NULL,
		.filter = suite->filter.n > 0 ? &suite->filter : NULL,
	};
	struct pe_strings words = {NULL, 0};

	(void)tree;
	*out = (struct pe_suite_command){.command = suite->command};
	if (at->ignores && (task->n > 0 || task->what == PE_ASK_ONCE || task->what == PE_ASK_LIST))
		return pe_fail(err, PE_EUNSUPPORTED, "suite '%s': its program ignores options",
			       suite->name);
	if (task->what == PE_ASK_LIST)
		return ask_command(out, at, library != NULL ? library->list : NULL, arena, err);
	if (task->what == PE_ASK_BRIEFLY) {
		brief_command(out, at, library, arena);
		return PE_OK;
	}
	if (task->what == PE_ASK_HELP)
		return ask_command(out, at, library != NULL ? library->help : NULL, arena, err);
	if (library == NULL && request.filter == NULL &&
	    (task->names != NULL || task->what == PE_ASK_ONCE))
		return pe_fail(err, PE_EUNSUPPORTED,
			       "suite '%s': its program has no option to choose benchmarks "
			       "('filter' of the suite may name one)",
			       suite->name);
	if (library != NULL && library->file != NULL && suite->output == NULL &&
	    task->what == PE_ASK_RUN)
		request.file = out->output = task->output;
	if (library != NULL || request.filter != NULL)
		PE_TRY(pe_suite_words_for(&words, format, &request, arena, err));
	out->command = with_words(suite, &words, arena);
	out->iterations = PE_SUITE_ITERATIONS;
	return PE_OK;
}

/* --- Reading --- */

static int read_list(struct pe_member_name **out, size_t *n, const struct pe_suite *suite,
		     const char *text, size_t size, struct pe_arena *arena, void *payload,
		     struct pe_err *err)
{
	struct pe_session_suite *at = pe_suite_port_find(payload, suite);
	const enum pe_suite_format format = (enum pe_suite_format)at->format;
	struct pe_suite_output names;
	int rc = pe_suite_names_read(text, size, format, arena, &names, err);

	*n = 0;
	at->ignores = rc == PE_EUNSUPPORTED;
	PE_TRY(rc);
	*out = pe_arena_new(arena, struct pe_member_name, names.n_entries + 1);
	for (size_t i = 0; i < names.n_entries; i++)
		(*out)[(*n)++] =
			(struct pe_member_name){names.entries[i].selector, names.entries[i].id};
	return PE_OK;
}

/*
 * The value of a metric in a file: the median over its processes of the medians within each. Values of one process share
 * its memory layout, so that a process with many values must not outweigh the others.
 */
static double value_of(const struct pe_suite_metric *metric)
{
	pe_auto_free double *values = pe_realloc(NULL, metric->n_values + 1, sizeof(*values));
	pe_auto_free double *medians = pe_realloc(NULL, metric->n_processes + 1, sizeof(*medians));
	size_t n = 0, begin = 0;

	memcpy(values, metric->values, metric->n_values * sizeof(*values));
	for (size_t i = 0; i < metric->n_processes; begin = metric->ends[i++])
		if (metric->ends[i] > begin)
			medians[n++] = pe_order_median(values + begin, metric->ends[i] - begin);
	return n > 0 ? pe_order_median(medians, n) : pe_order_median(values, metric->n_values);
}

/* The name of a metric as a config can write it: other characters of a program's counters are replaced. */
static const char *metric_name(const char *name, struct pe_arena *arena)
{
	char *copy = pe_arena_strndup(arena, name, strnlen(name, 100));

	for (char *at = copy; *at != '\0'; at++)
		if (strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.",
			   *at) == NULL)
			*at = '_';
	return pe_metric_find(copy) != NULL || *copy == '\0' ? pe_arena_printf(arena, "%s_", copy)
							     : copy;
}

/* One struct for each metric, which lives as long as the session, because values refer to it. */
static const struct pe_metric *intern(struct pe_session *session, const struct pe_metric *metric)
{
	struct pe_metric *copy;

	for (size_t i = 0; i < session->suite_metrics.n; i++) {
		const struct pe_metric *one = session->suite_metrics.data[i];

		if (strcmp(one->name, metric->name) == 0 && strcmp(one->unit, metric->unit) == 0 &&
		    one->better == metric->better && one->kind == metric->kind)
			return one;
	}
	copy = pe_arena_new(session->arena, struct pe_metric, 1);
	*copy = *metric;
	copy->name = copy->label = pe_arena_strdup(session->arena, metric->name);
	copy->unit = pe_arena_strdup(session->arena, metric->unit);
	pe_vec_push(&session->suite_metrics, copy);
	return copy;
}

static bool is_rate(const char *unit)
{
	size_t n = strlen(unit);

	return n > 2 && strcmp(unit + n - 2, "/s") == 0;
}

/* A rate repeats the information of its time: it is judged only where there is no time. */
static const struct pe_metric *metric_of(struct pe_session *session,
					 const struct pe_suite_metric *from, bool has_time,
					 struct pe_arena *arena)
{
	const struct pe_metric *builtin = pe_metric_find(from->name);
	struct pe_metric metric = {
		.unit = from->unit,
		.better = from->better,
		.kind = has_time && is_rate(from->unit) ? PE_METRIC_CONTEXT : from->kind,
		.min_relative = 0.02,
	};

	if (builtin != NULL && strcmp(builtin->unit, from->unit) == 0)
		return &pe_metrics_of_iteration[builtin - pe_metrics];
	metric.name = metric_name(from->name, arena);
	return intern(session, &metric);
}

static bool has_time(const struct pe_suite_entry *entry)
{
	for (size_t i = 0; i < entry->n_metrics; i++)
		if (strcmp(entry->metrics[i].name, pe_metrics[PE_WALL].name) == 0 ||
		    strcmp(entry->metrics[i].name, pe_metrics[PE_CPU].name) == 0)
			return true;
	return false;
}

static void take_entry(struct pe_member_reading *out, struct pe_session *session,
		       const struct pe_suite_entry *entry, struct pe_arena *arena)
{
	struct pe_sample *values = pe_arena_new(arena, struct pe_sample, entry->n_metrics + 1);

	for (size_t i = 0; i < entry->n_metrics; i++) {
		const struct pe_suite_metric *from = &entry->metrics[i];

		values[i] = (struct pe_sample){
			.metric = metric_of(session, from, has_time(entry), arena),
			.value = value_of(from),
			.inner = from->values,
			.n_inner = from->n_values,
		};
	}
	*out = (struct pe_member_reading){
		.name = {entry->selector, entry->id},
		.error = entry->state != PE_SUITE_MEASURED ? entry->message : NULL,
		.values = values,
		.n_values = entry->n_metrics,
	};
}

/* Note each kind once a session, because processes of all commits and rounds repeat it. */
static void note_once(const struct pe_session *session, struct pe_session_suite *at,
		      enum pe_suite_note_kind kind, const char *text)
{
	if ((at->noted & 1u << kind) == 0)
		pe_app_note(session->app, "suite '%s': %s", at->suite->name, text);
	at->noted |= 1u << kind;
}

/* Note data that the file lacks or that perfevo leaves out; warnings of the library about the machine are for `check`. */
static void note_output(const struct pe_session *session, struct pe_session_suite *at,
			const struct pe_suite_output *output, struct pe_arena *arena)
{
	for (size_t i = 0; i < output->n_notes; i++)
		if (output->notes[i].kind == PE_SUITE_NOTE_DEBUG_LIBRARY ||
		    output->notes[i].kind >= PE_SUITE_NOTE_VALUE)
			note_once(session, at, output->notes[i].kind, output->notes[i].text);
	for (size_t i = 0; i < output->n_entries; i++)
		if (output->entries[i].n_metrics > PE_RUN_MAX_SAMPLES)
			note_once(session, at, PE_SUITE_NOTE_LIMIT,
				  pe_arena_printf(
					  arena, "%s has %zu metrics: the first %d are stored",
					  output->entries[i].id, output->entries[i].n_metrics,
					  PE_RUN_MAX_SAMPLES));
}

/* Unpack what gzip compressed, as pyperf does for -o FILE.json.gz; leave other bytes as they are. */
static int unpack(const char **bytes, size_t *n, const char *name, struct pe_arena *arena,
		  struct pe_err *err)
{
	pe_auto_text text = PE_TEXT_INIT;
	struct pe_input *input;
	const char *some;
	size_t got = *n;
	int rc;

	if (*n < 2 || memcmp(*bytes, "\x1f\x8b", 2) != 0)
		return PE_OK;
	rc = pe_input_open_bytes(&input, *bytes, *n, name, err);
	while (rc == PE_OK && got > 0) {
		rc = pe_input_peek(input, 1, &some, &got, err);
		if (rc == PE_OK)
			pe_text_addn(&text, some, got);
		pe_input_take(input, rc == PE_OK ? got : 0);
	}
	pe_input_close(input);
	*bytes = pe_arena_strndup(arena, pe_text_str(&text), text.len);
	*n = text.len;
	return rc;
}

static int read_results(struct pe_suite_readings *out, const struct pe_suite *suite,
			const char *text, size_t size, struct pe_arena *arena, void *payload,
			struct pe_err *err)
{
	struct pe_session *session = payload;
	struct pe_session_suite *at = pe_suite_port_find(session, suite);
	struct pe_suite_output *output = pe_arena_new(arena, struct pe_suite_output, 1);
	struct pe_member_reading *entries;

	PE_TRY(unpack(&text, &size, "results", arena, err));
	PE_TRY(pe_suite_read(text, size, (enum pe_suite_format)at->format, arena, output, err));
	at->format = output->format;
	note_output(session, at, output, arena);
	entries = pe_arena_new(arena, struct pe_member_reading, output->n_entries + 1);
	for (size_t i = 0; i < output->n_entries; i++)
		take_entry(&entries[i], session, &output->entries[i], arena);
	*out = (struct pe_suite_readings){
		.entries = entries,
		.n = output->n_entries,
		.cut_short = output->cut_short,
		.running = output->running != NULL && *output->running != '\0' ? output->running
									       : NULL,
		.output = output,
	};
	return PE_OK;
}

static int use_folder(struct pe_text *out, const char *tree, const char *path, struct pe_err *err)
{
	return out != NULL ? pe_suite_gather(out, tree, path, err)
			   : pe_suite_gather_clear(tree, path, err);
}

struct pe_suite_port pe_suite_port_of(struct pe_session *session)
{
	return (struct pe_suite_port){.command = command,
				      .list = read_list,
				      .read = read_results,
				      .folder = use_folder,
				      .payload = session};
}

/* --- Detection of the library --- */

static int format_of_file(const char *path)
{
	pe_auto_fd fd = pe_files_open_found(path, 0);
	int format = PE_SUITE_AUTO;
	struct stat st;
	void *bytes;

	if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size > 0) {
		bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (bytes != MAP_FAILED) {
			format = (int)pe_suite_format_of_program(bytes, (size_t)st.st_size);
			munmap(bytes, (size_t)st.st_size);
		}
	}
	return format;
}

int pe_suite_port_format_of(const struct pe_benchmark *benchmark, const char *tree,
			    struct pe_arena *arena)
{
	int format = (int)pe_suite_format_of_command(benchmark->command.text);
	struct pe_strings words = pe_benchmark_words(benchmark, arena);

	for (size_t i = 0; i < words.n && format == PE_SUITE_AUTO; i++)
		format = format_of_file(pe_arena_printf(arena, "%s/%s", tree, words.at[i]));
	return format;
}

void pe_suite_port_look(struct pe_session_suite *suite, const char *tree, struct pe_arena *arena)
{
	struct pe_benchmark shared = suite->suite->model;

	if (suite->format != PE_SUITE_AUTO)
		return;
	shared.command = suite->suite->command;
	suite->format = pe_suite_port_format_of(&shared, tree, arena);
}

/*
 * pyperf: -o FILE, format 1.0. A run is a process; its values are seconds (or bytes, or a count) an iteration, loops and
 * inner loops divided out. Warm-ups are separate, and calibrating runs have nothing else. Metadata common to all benchmarks
 * of a file, with the name if there is just one, comes after them, in the file's metadata: it is read first.
 */
#include "suites/suite_internal.h"

#include <math.h>
#include <string.h>

static const struct pe_suite_definition memory = {"memory", "bytes", PE_LOWER_IS_BETTER,
						  PE_METRIC_NOISY};
static const struct pe_suite_definition count = {"value", "1", PE_LOWER_IS_BETTER, PE_METRIC_NOISY};

/* Read metadata of a run, of a benchmark, or of the file; members that are missing stay. */
static void take_metadata(struct pe_suite_metadata *out, const struct pe_json_value *metadata,
			  struct pe_arena *arena)
{
	const char *name = pe_suite_string(pe_json_member(metadata, "name"));
	const char *unit = pe_suite_string(pe_json_member(metadata, "unit"));
	double loops = pe_suite_number(pe_json_member(metadata, "loops"));
	double inner = pe_suite_number(pe_json_member(metadata, "inner_loops"));

	if (*name != '\0')
		out->name = pe_arena_strdup(arena, name);
	if (*unit != '\0')
		out->unit = pe_arena_strdup(arena, unit);
	if (loops > 0)
		out->loops = loops;
	if (inner > 0)
		out->inner_loops = inner;
}

static void take_run(struct pe_suite_reader *reader, struct pe_suite_draft *draft,
		     const struct pe_json_value *run, struct pe_suite_metadata about)
{
	const struct pe_json_value *values = pe_json_member(run, "values");
	const struct pe_suite_definition *metric = &pe_suite_wall;
	double factor = 1e9;

	take_metadata(&about, pe_json_member(run, "metadata"), &reader->scratch);
	if (strcmp(about.unit, "byte") == 0 || strcmp(about.unit, "integer") == 0) {
		metric = about.unit[0] == 'b' ? &memory : &count;
		factor = 1;
	}
	for (size_t i = 0; i < pe_json_length(values); i++)
		pe_suite_value(reader, draft, metric,
			       factor * pe_suite_number(pe_json_element(values, i)));
	if (pe_json_length(values) > 0) {
		pe_suite_iterations(draft, about.loops * about.inner_loops);
		reader->process++;
	}
}

static void take_benchmark(struct pe_suite_reader *reader, const struct pe_json_value *benchmark,
			   bool whole)
{
	const struct pe_json_value *runs = pe_json_member(benchmark, "runs");
	struct pe_suite_metadata about = reader->metadata;
	struct pe_suite_name name = {0};
	struct pe_suite_draft *draft;

	take_metadata(&about, pe_json_member(benchmark, "metadata"), &reader->scratch);
	/* Old versions repeat all metadata in each run. */
	take_metadata(&about, pe_json_member(pe_json_element(runs, 0), "metadata"),
		      &reader->scratch);
	name.name = about.name;
	if (!whole) {
		pe_suite_cut(reader, name.name);
		return;
	}
	draft = pe_suite_draft(reader, &name, PE_SUITE_EACH);
	for (size_t i = 0; draft != NULL && i < pe_json_length(runs); i++)
		take_run(reader, draft, pe_json_element(runs, i), about);
}

static void take_common(struct pe_suite_reader *reader, const struct pe_json_value *metadata,
			bool whole)
{
	const char *version = pe_suite_string(pe_json_member(metadata, "perf_version"));

	if (*version == '\0')
		version = pe_suite_string(pe_json_member(metadata, "pyperf_version"));
	(void)whole;
	reader->out->version = pe_arena_strdup(reader->arena, version);
	take_metadata(&reader->metadata, metadata, reader->arena);
}

void pe_suite_read_pyperf(struct pe_suite_reader *reader)
{
	static const struct pe_suite_part common[] = {{"metadata", false, take_common}};
	static const struct pe_suite_part parts[] = {{"benchmarks", true, take_benchmark}};

	reader->metadata = (struct pe_suite_metadata){"pyperf", "second", 1, 1};
	pe_suite_documents(reader, PE_SUITE_PYPERF, common, 1);
	/* The second pass finds errors in the file again. */
	reader->found = reader->document = reader->process = 0;
	reader->out->cut_short = false;
	pe_suite_documents(reader, PE_SUITE_PYPERF, parts, 1);
}

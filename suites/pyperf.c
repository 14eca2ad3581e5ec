/*
 * pyperf: -o FILE, format 1.0. A run is a process; its values are seconds (or bytes, or a count) an iteration, loops and
 * inner loops divided out. Warm-ups are separate, and calibrating runs have nothing else. Metadata common to all benchmarks
 * of a file, with the name if there is just one, is in the file's metadata.
 */
#include "suites/suite_internal.h"

#include <string.h>

/* Metadata of a run, a benchmark or a file. */
struct metadata {
	const char *name, *unit;
	double loops, inner_loops;
};

static const struct pe_suite_definition memory = {"memory", "bytes", PE_LOWER_IS_BETTER,
						  PE_METRIC_NOISY};
static const struct pe_suite_definition count = {"value", "1", PE_LOWER_IS_BETTER, PE_METRIC_NOISY};

/* Read metadata of a run, of a benchmark, or of the file; members that are missing stay. */
static void take_metadata(struct metadata *out, const struct pe_json_value *owner)
{
	const struct pe_json_value *metadata = pe_json_member(owner, "metadata");
	const char *name = pe_suite_string(pe_json_member(metadata, "name"));
	const char *unit = pe_suite_string(pe_json_member(metadata, "unit"));
	double loops = pe_json_number(pe_json_member(metadata, "loops"));
	double inner = pe_json_number(pe_json_member(metadata, "inner_loops"));

	if (*name != '\0')
		out->name = name;
	if (*unit != '\0')
		out->unit = unit;
	if (loops > 0)
		out->loops = loops;
	if (inner > 0)
		out->inner_loops = inner;
}

static void take_run(struct pe_suite_reader *reader, struct pe_suite_draft *draft,
		     const struct pe_json_value *run, struct metadata about)
{
	const struct pe_json_value *values = pe_json_member(run, "values");
	const struct pe_suite_definition *metric = &pe_suite_wall;
	double factor = 1e9;

	take_metadata(&about, run);
	if (strcmp(about.unit, "byte") == 0 || strcmp(about.unit, "integer") == 0) {
		metric = about.unit[0] == 'b' ? &memory : &count;
		factor = 1;
	}
	for (size_t i = 0; i < pe_json_length(values); i++)
		pe_suite_value(reader, draft, metric,
			       factor * pe_json_number(pe_json_element(values, i)));
	if (pe_json_length(values) > 0) {
		pe_suite_iterations(draft, about.loops * about.inner_loops);
		reader->process++;
	}
}

static void take_benchmark(struct pe_suite_reader *reader, const struct pe_json_value *benchmark,
			   struct metadata about)
{
	const struct pe_json_value *runs = pe_json_member(benchmark, "runs");
	struct pe_suite_name name = {0};
	struct pe_suite_draft *draft;

	take_metadata(&about, benchmark);
	/* Old versions repeat all metadata in each run. */
	take_metadata(&about, pe_json_element(runs, 0));
	name.name = about.name;
	if (benchmark->is_cut) {
		pe_suite_cut(reader, name.name);
		return;
	}
	draft = pe_suite_draft(reader, &name, PE_SUITE_EACH);
	for (size_t i = 0; draft != NULL && i < pe_json_length(runs); i++)
		take_run(reader, draft, pe_json_element(runs, i), about);
}

void pe_suite_take_pyperf(struct pe_suite_reader *reader, const struct pe_json_value *root)
{
	const struct pe_json_value *benchmarks = pe_json_member(root, "benchmarks");
	const char *version = pe_suite_string(pe_json_at(root, "metadata.perf_version"));
	struct metadata common = {"pyperf", "second", 1, 1};

	if (*version == '\0')
		version = pe_suite_string(pe_json_at(root, "metadata.pyperf_version"));
	reader->out->version = pe_arena_strdup(reader->arena, version);
	take_metadata(&common, root);
	for (size_t i = 0; i < pe_json_length(benchmarks); i++)
		take_benchmark(reader, pe_json_element(benchmarks, i), common);
}

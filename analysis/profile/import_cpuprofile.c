/*
 * .cpuprofile, as Chrome DevTools and Node's --cpu-prof write it. Without samples, hits share the time from start to end, as
 * in DevTools.
 */
#include "analysis/profile/importers.h"

#include "analysis/profile/import_v8.h"

#include <inttypes.h>
#include <stddef.h>

#define AT(member) offsetof(struct cpuprofile, member)

struct cpuprofile {
	struct pe_v8_reader reader;
	struct pe_v8 v8;
	PE_VEC(int64_t) samples, deltas; /* ids of nodes, and µs */
	double start, end;               /* µs */
};

static int on_sample(struct pe_json_cursor *json, void *self)
{
	struct cpuprofile *profile = self;
	int64_t id = 0;

	PE_TRY(pe_json_read_integer(json, &id));
	pe_v8_index(&profile->v8, id, json->token.offset); /* where an unknown one was met */
	pe_vec_push(&profile->samples, id);
	return PE_OK;
}

static int on_delta(struct pe_json_cursor *json, void *self)
{
	int64_t delta = 0;

	PE_TRY(pe_json_read_integer(json, &delta));
	pe_vec_push(&((struct cpuprofile *)self)->deltas, delta);
	return PE_OK;
}

static int on_profile(struct pe_json_cursor *json, void *self)
{
	static const struct pe_json_field fields[] = {
		{"nodes", pe_v8_node, AT(reader), true},
		{"samples", on_sample, 0, true},
		{"timeDeltas", on_delta, 0, true},
		{"startTime", pe_json_read_double, AT(start), false},
		{"endTime", pe_json_read_double, AT(end), false},
	};

	return pe_json_fields(json, fields, sizeof(fields) / sizeof(*fields), self);
}

/* Samples without times have a time of 0; times without samples are dropped. */
static void add_samples(struct cpuprofile *profile, struct pe_import *import)
{
	const size_t n = profile->samples.n, n_deltas = profile->deltas.n;

	for (size_t i = 0; i < n; i++)
		pe_v8_add(&profile->v8, profile->samples.data[i],
			  i < n_deltas ? profile->deltas.data[i] : 0, 0);
	if (n != n_deltas)
		import->note = n > n_deltas
				       ? pe_arena_printf(import->arena, "%zu samples have no time",
							 n - n_deltas)
				       : pe_arena_printf(import->arena, "%zu times have no sample",
							 n_deltas - n);
}

static int finish(struct cpuprofile *profile, struct pe_import *import)
{
	struct pe_v8 *v8 = &profile->v8;
	double length_ns = (profile->end - profile->start) * 1e3;
	double hit_ns = v8->hits > 0 && length_ns > 0 ? length_ns / (double)v8->hits : 0;
	unsigned known = PE_CCT_SAMPLES;

	add_samples(profile, import);
	if (v8->samples > 0) {
		import->facts.samples = pe_v8_samples(v8, import->frames);
		import->facts.interval_ns = (uint64_t)v8->latest_us * 1000 / v8->samples;
		known |= v8->latest_us > 0 ? PE_CCT_TIME : 0;
	} else {
		import->facts.samples = pe_v8_samples(v8, import->frames);
		import->facts.interval_ns = (uint64_t)hit_ns;
		known |= hit_ns > 0 ? PE_CCT_TIME : 0;
	}
	if ((known & PE_CCT_TIME) == 0)
		import->note = "the profile says nothing of times";
	import->facts.threads = import->facts.processes = 1;
	pe_cct_builder_know(import->builder, known);
	return pe_v8_build(v8, import, 0, hit_ns);
}

bool pe_cpuprofile_recognises(const char *head, size_t n)
{
	/* Heap profiles have "selfSize" in the same nodes. */
	return pe_import_begins(head, n, '{') && !pe_import_holds(head, n, "\"selfSize\"") &&
	       ((pe_import_holds(head, n, "\"nodes\"") &&
		 pe_import_holds(head, n, "\"callFrame\"")) ||
		pe_import_holds(head, n, "\"timeDeltas\""));
}

int pe_cpuprofile_read(struct pe_import *import)
{
	struct cpuprofile profile = {
		.reader.names = {.frames = import->frames, .read = pe_v8_read_name},
	};
	struct pe_json_source source = {.input = import->input};
	struct pe_json_stream *stream = pe_import_json(&source, 0);
	int rc;

	profile.reader.v8 = &profile.v8;
	rc = pe_json_document(stream, on_profile, &profile, import->err);
	if (rc == PE_OK)
		rc = finish(&profile, import);
	pe_json_stream_free(stream);
	pe_v8_reader_release(&profile.reader);
	pe_v8_release(&profile.v8);
	pe_vec_release(&profile.samples);
	pe_vec_release(&profile.deltas);
	return rc;
}

/* All traces of a directory, in the order in which their processes began. */
#include "analysis/profile/trace.h"

#include "analysis/profile/recordings.h"
#include "analysis/profile/trace_reader.h"

static void begin(struct pe_trace_reading *reading, const struct pe_symbolizer *symbolizer,
		  struct pe_frames *frames, struct pe_arena *arena)
{
	*reading = (struct pe_trace_reading){
		.addresses = {.symbolizer = symbolizer, .frames = frames, .arena = arena},
		.facts.source = "counting",
		.frames = frames,
		.arena = arena,
	};
	reading->builder = pe_cct_builder_new(frames, PE_CCT_CALLS | PE_CCT_SITES);
}

/* Finish reading: with an error, return it, else the tree and the notes. */
static int finish(struct pe_cct **out, struct pe_trace_notes *notes,
		  struct pe_trace_reading *reading, int rc)
{
	unsigned known = PE_CCT_CALLS | PE_CCT_SITES;

	if (rc == PE_OK) {
		if (reading->notes.bypassed == 0)
			known |= PE_CCT_ALLOCATIONS;
		else
			reading->facts.peak_bytes = 0;
		reading->facts.processes = reading->notes.processes;
		reading->facts.threads = reading->notes.threads;
		pe_cct_builder_know(reading->builder, known);
		*out = pe_cct_builder_finish(reading->builder, &reading->facts, reading->arena);
		if (notes != NULL)
			*notes = reading->notes;
	} else {
		pe_cct_builder_free(reading->builder);
	}
	pe_addresses_release(&reading->addresses);
	return rc;
}

/* Add a file. That of a process that was killed before it began is no trace, and is skipped. */
static int add_file(const char *path, const void *bytes, size_t n, void *payload,
		    struct pe_err *err)
{
	int rc = pe_trace_check_header(bytes, n, path, err);

	if (rc == PE_ENOTFOUND)
		return PE_OK;
	return rc == PE_OK ? pe_trace_add(payload, bytes, path, err) : rc;
}

int pe_trace_read_dir(struct pe_cct **out, struct pe_trace_notes *notes, const char *dir,
		      const struct pe_symbolizer *symbolizer, struct pe_frames *frames,
		      struct pe_arena *arena, struct pe_err *err)
{
	struct pe_trace_reading reading;
	int rc;

	begin(&reading, symbolizer, frames, arena);
	rc = pe_recordings_each(&dir, 1, PE_TRACE_SUFFIX, add_file, &reading, arena, err);
	if (rc == PE_OK && reading.notes.processes == 0)
		rc = pe_fail(err, PE_ENOTFOUND,
			     "no trace in %s: no program loaded libperfevo_calls.so (a static or "
			     "setuid program cannot)",
			     dir);
	return finish(out, notes, &reading, rc);
}

int pe_trace_read_bytes(struct pe_cct **out, struct pe_trace_notes *notes, const void *bytes,
			size_t n, const char *name, const struct pe_symbolizer *symbolizer,
			struct pe_frames *frames, struct pe_arena *arena, struct pe_err *err)
{
	const struct pe_trace_header *header = bytes;
	struct pe_trace_reading reading;
	int rc = pe_trace_check_header(header, n, name, err);

	if (rc == PE_ENOTFOUND)
		return pe_fail(err, PE_ENOTFOUND, "%s holds no trace", name);
	if (rc != PE_OK)
		return rc;
	begin(&reading, symbolizer, frames, arena);
	return finish(out, notes, &reading, pe_trace_add(&reading, bytes, name, err));
}

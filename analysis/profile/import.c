/* Import: the table of formats, and the steps from a file to a finished tree. */
#include "analysis/profile/importers.h"

#include "core/base/text.h"

#include <inttypes.h>
#include <string.h>

/* Bytes of a file in which its format is recognised. */
enum { HEAD_BYTES = 16 * 1024 };

/* The first format that recognises a file reads it: the most permissive one is last. */
const struct pe_importer pe_importers[] = {
	{"speedscope", pe_speedscope_recognises, pe_speedscope_read},
	{"chrome", pe_chrome_recognises, pe_chrome_read},
	{"cpuprofile", pe_cpuprofile_recognises, pe_cpuprofile_read},
	{"pprof", pe_pprof_recognises, pe_pprof_read},
	{"callgrind", pe_callgrind_recognises, pe_callgrind_read},
	{"perf-script", pe_perf_script_recognises, pe_perf_script_read},
	{"folded", pe_folded_recognises, pe_folded_read},
};
const size_t pe_n_importers = sizeof(pe_importers) / sizeof(pe_importers[0]);

static void add_names(struct pe_text *text)
{
	for (size_t i = 0; i < pe_n_importers; i++)
		pe_text_addf(text, "%s%s", i > 0 ? ", " : "", pe_importers[i].name);
}

const struct pe_importer *pe_importer_find(const char *name, struct pe_err *err)
{
	pe_auto_text names = PE_TEXT_INIT;

	for (size_t i = 0; i < pe_n_importers; i++)
		if (strcmp(pe_importers[i].name, name) == 0)
			return &pe_importers[i];
	add_names(&names);
	pe_fail(err, PE_EINVALID, "there is no profile format '%s'; there are %s", name,
		pe_text_str(&names));
	return NULL;
}

/* Files of other tools in formats that are not read, and how each becomes one that is. */
static const struct {
	const char *text;
	bool begins; /* the file begins with it; else it is near its beginning */
	const char *what;
} foreign_formats[] = {
	{"PERFILE2", true, "a recording of perf: run 'perf script -i FILE' and give its output"},
	{"Ftrace!", true,
	 "a recording of uftrace: run 'uftrace dump --chrome' and give its output"},
	{"gmon", true, "a recording of gprof, which has no call chains"},
	{"FLR", true,
	 "a recording of Java's flight recorder: convert it to pprof or folded stacks"},
	{"PK\3\4", true, "a zip archive: unpack it"},
	{"\x28\xb5\x2f\xfd", true, "compressed by zstd: unpack it"},
	{"BZh", true, "compressed by bzip2: unpack it"},
	{"\3757zXZ", true, "compressed by xz: unpack it"},
	{"\x1f\x8b", true, "compressed twice by gzip: unpack it once"},
	{"version https://git-lfs", true, "a pointer of Git LFS: 'git lfs pull' fetches the file"},
	{"\xff\xfe", true, "text in UTF-16: convert it to UTF-8"},
	{"\xfe\xff", true, "text in UTF-16: convert it to UTF-8"},
	{"<!DOCTYPE html", true, "a web page: give the profile that it was made of"},
	{"<svg", false, "a picture: give the stacks that it was made of"},
	{"\"selfSize\"", false, "a heap profile of V8: only its CPU profiles are read"},
	{"\"preprocessedProfileVersion\"", false,
	 "a profile of Firefox's profiler: save it as pprof or folded stacks"},
	{"\"stackwalk\"", false,
	 "a profile of Firefox's profiler: save it as pprof or folded stacks"},
};

/* Describe a file in such a format; NULL: unknown. */
static const char *foreign_format(const char *head, size_t n)
{
	for (size_t i = 0; i < sizeof(foreign_formats) / sizeof(*foreign_formats); i++) {
		const char *text = foreign_formats[i].text;
		const size_t length = strlen(text);

		if (foreign_formats[i].begins ? n >= length && memcmp(head, text, length) == 0
					      : pe_import_holds(head, n, text))
			return foreign_formats[i].what;
	}
	return NULL;
}

static int recognise(const struct pe_importer **out, struct pe_input *input, struct pe_err *err)
{
	pe_auto_text names = PE_TEXT_INIT;
	const char *what;
	const char *head;
	size_t n;

	PE_TRY(pe_input_peek(input, HEAD_BYTES, &head, &n, err));
	if (n == 0)
		return pe_fail(err, PE_EINVALID,
			       "%s: offset 0: no samples: it is empty; expected a profile",
			       pe_input_at(input)->name);
	/* Use no more, even if more is there, as with bytes from memory: the answer must not depend on it. */
	if (n > HEAD_BYTES)
		n = HEAD_BYTES;
	for (size_t i = 0; i < pe_n_importers; i++)
		if (pe_importers[i].recognises(head, n)) {
			*out = &pe_importers[i];
			return PE_OK;
		}
	add_names(&names);
	what = foreign_format(head, n);
	return pe_fail(err, PE_EINVALID,
		       "%s: offset 0: no known profile format%s%s; expected one of %s, or its name "
		       "given with the file",
		       pe_input_at(input)->name, what != NULL ? ": this is " : "",
		       what != NULL ? what : "", pe_text_str(&names));
}

/* Whether some node has a value. */
static bool has_values(const struct pe_cct *cct)
{
	for (int c = 0; c < PE_CCT_N_COLUMNS; c++)
		for (uint32_t i = 0; cct->columns[c] != NULL && i < cct->n; i++)
			if (cct->columns[c][i] != 0)
				return true;
	return false;
}

static int read_with(struct pe_cct **out, const struct pe_importer *importer,
		     struct pe_input *input, struct pe_frames *frames, struct pe_arena *arena,
		     const char **note, struct pe_err *err)
{
	pe_auto_arena scratch = PE_ARENA_INIT;
	struct pe_import import = {
		.input = input,
		.err = err,
		.builder = pe_cct_builder_new(frames, 0),
		.frames = frames,
		.facts = {.source = importer->name},
		.arena = &scratch,
	};
	int rc = importer->read(&import);

	if (rc != PE_OK) {
		pe_cct_builder_free(import.builder);
		return rc;
	}
	if (note != NULL)
		*note = pe_arena_strdup(arena, import.note);
	import.facts.source = pe_arena_strdup(arena, import.facts.source);
	import.facts.counted = pe_arena_strdup(arena, import.facts.counted);
	*out = pe_cct_builder_finish(import.builder, &import.facts, arena);
	if (has_values(*out))
		return PE_OK;
	*out = NULL;
	return pe_fail(err, PE_EINVALID,
		       "%s: offset %" PRIu64
		       ": no samples, or none but of 0, up to its end; expected some (format %s)",
		       pe_input_at(input)->name, pe_input_at(input)->offset, importer->name);
}

int pe_import(struct pe_cct **out, struct pe_input *input, const char *format,
	      struct pe_frames *frames, struct pe_arena *arena, const char **note,
	      struct pe_err *err)
{
	const struct pe_importer *importer = NULL;
	int rc = PE_OK;

	*out = NULL;
	if (note != NULL)
		*note = NULL;
	if (format != NULL) {
		importer = pe_importer_find(format, err);
		rc = importer != NULL ? PE_OK : PE_EINVALID;
	} else {
		rc = recognise(&importer, input, err);
	}
	if (rc == PE_OK)
		rc = read_with(out, importer, input, frames, arena, note, err);
	pe_input_close(input);
	return rc;
}

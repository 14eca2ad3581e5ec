#include "app/profiling/profile_files.h"

#include "analysis/profile/importer.h"
#include "core/base/walk.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#define DEFAULT_SAMPLE_NS 1000000

static uint64_t distance_of(struct pe_app *app, const char *path, const struct pe_cct *cct,
			    struct pe_recorded_opts *opts)
{
	if (cct->facts.interval_ns > 0 && opts->sample_ns == 0)
		return cct->facts.interval_ns;
	if (opts->sample_ns > 0)
		return opts->sample_ns;
	if (!opts->noted)
		pe_app_note(
			app,
			"%s: it does not say how far samples lie apart: one is taken for 1 ms (--sample-interval says otherwise)",
			path);
	opts->noted = true;
	return DEFAULT_SAMPLE_NS;
}

int pe_recorded_read(struct pe_cct **out, struct pe_app *app, const char *path,
		     struct pe_recorded_opts *opts, struct pe_frames *frames)
{
	const char *note = NULL;
	struct pe_input *input;
	struct pe_cct *cct;
	uint64_t distance_ns, sum_ns = 0;

	PE_TRY(pe_input_open(&input, path, app->err));
	PE_TRY(pe_import(out, input, opts->format, frames, app->arena, &note, app->err));
	if (note != NULL)
		pe_app_note(app, "%s: %s", path, note);
	cct = *out;
	if (cct->self_ns != NULL || cct->samples == NULL)
		return PE_OK;
	if (opts->sample_ns > 0)
		cct->facts.counted = NULL;
	distance_ns = cct->facts.counted != NULL ? 1 : distance_of(app, path, cct, opts);
	cct->known |= PE_CCT_TIME;
	cct->self_ns = pe_arena_new(app->arena, uint64_t, cct->n);
	cct->total_ns = pe_arena_new(app->arena, uint64_t, cct->n);
	for (uint32_t i = 0; i < cct->n; i++) {
		uint64_t samples = cct->samples[i];

		cct->self_ns[i] =
			samples > UINT64_MAX / distance_ns ? UINT64_MAX : samples * distance_ns;
		sum_ns = sum_ns > UINT64_MAX - cct->self_ns[i] ? UINT64_MAX
							       : sum_ns + cct->self_ns[i];
	}
	/* Each event was counted, as callgrind does: these are exact. */
	if (cct->facts.counted != NULL && cct->facts.samples == sum_ns)
		cct->facts.samples = 0;
	cct->facts.duration_ns = sum_ns;
	pe_cct_sum(cct);
	return PE_OK;
}

int pe_recorded_add(struct pe_recorded_paths *paths, const char *path, struct pe_app *app)
{
	size_t before = paths->list.n;
	const char **names;
	struct stat st;

	if (stat(path, &st) != 0)
		return errno == ENOENT
			       ? pe_fail(app->err, PE_ENOTFOUND, "%s: there is no such file", path)
			       : pe_fail_errno(app->err, "cannot read %s", path);
	if (!S_ISDIR(st.st_mode)) {
		pe_vec_push(&paths->list, path);
		return PE_OK;
	}
	names = pe_walk_names_of(path, app->arena);
	if (names == NULL)
		return pe_fail_errno(app->err, "cannot read %s", path);
	for (; *names != NULL; names++) {
		const char *file = pe_arena_printf(app->arena, "%s/%s", path, *names);

		/* Hidden files are other programs' notes. */
		if (**names != '.' && stat(file, &st) == 0 && S_ISREG(st.st_mode))
			pe_vec_push(&paths->list, file);
	}
	return paths->list.n > before ? PE_OK
				      : pe_fail(app->err, PE_ENOTFOUND, "no profile in %s", path);
}

static bool is_timeline(const struct pe_cct *cct)
{
	return cct->facts.source != NULL && strcmp(cct->facts.source, "chrome") == 0;
}

static const char *counted_by(const struct pe_recorded *one)
{
	return one->cct->facts.counted != NULL ? one->cct->facts.counted : "times";
}

bool pe_recorded_have_one_unit(const struct pe_recorded *one, const struct pe_recorded *other)
{
	return strcmp(counted_by(one), counted_by(other)) == 0;
}

const char *pe_recorded_apart(const struct pe_recorded *one, const struct pe_recorded *other,
			      struct pe_arena *arena)
{
	if (is_timeline(one->cct) != is_timeline(other->cct)) {
		const struct pe_recorded *timeline = is_timeline(one->cct) ? one : other;
		const struct pe_recorded *samples = timeline == one ? other : one;

		return pe_arena_printf(
			arena,
			"%s is a timeline (%s) and %s is not (%s): their call paths and times do not mean the same; record both in one format",
			timeline->path, timeline->cct->facts.source, samples->path,
			samples->cct->facts.source != NULL ? samples->cct->facts.source : "?");
	}
	if (!pe_recorded_have_one_unit(one, other))
		return pe_arena_printf(arena,
				       "%s holds %s and %s holds %s: these cannot be compared",
				       one->path, counted_by(one), other->path, counted_by(other));
	return NULL;
}

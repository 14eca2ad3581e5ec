#include "cmd/recorded.h"

#include "profile/importer.h"

#define DEFAULT_SAMPLE_NS 1000000

static uint64_t distance_of(struct pe_cmd_ctx *ctx, const char *path, const struct pe_cct *cct,
			    struct pe_recorded_opts *opts)
{
	if (cct->facts.interval_ns > 0 && opts->sample_ns == 0)
		return cct->facts.interval_ns;
	if (opts->sample_ns > 0)
		return opts->sample_ns;
	if (!opts->told)
		pe_cmd_note(ctx,
			    "%s: it does not say how far samples lie apart: one is taken for 1 ms "
			    "(--sample-interval says otherwise)",
			    path);
	opts->told = true;
	return DEFAULT_SAMPLE_NS;
}

int pe_recorded_read(struct pe_cct **out, struct pe_cmd_ctx *ctx, const char *path,
		     struct pe_recorded_opts *opts, struct pe_frames *frames)
{
	const char *note = NULL;
	struct pe_cct *cct;
	uint64_t distance_ns, sum_ns = 0;
	int rc = pe_import_file(out, path, opts->format, frames, ctx->arena, &note, ctx->err);

	if (rc != PE_OK)
		return rc;
	if (note != NULL)
		pe_cmd_note(ctx, "%s: %s", path, note);
	cct = *out;
	if (cct->self_ns != NULL || cct->samples == NULL)
		return PE_OK;
	distance_ns = distance_of(ctx, path, cct, opts);
	cct->known |= PE_CCT_TIME;
	cct->self_ns = pe_arena_new(ctx->arena, uint64_t, cct->n);
	cct->total_ns = pe_arena_new(ctx->arena, uint64_t, cct->n);
	for (uint32_t i = 0; i < cct->n; i++) {
		uint64_t samples = cct->samples[i];

		cct->self_ns[i] =
			samples > UINT64_MAX / distance_ns ? UINT64_MAX : samples * distance_ns;
		sum_ns = sum_ns > UINT64_MAX - cct->self_ns[i] ? UINT64_MAX
							       : sum_ns + cct->self_ns[i];
	}
	cct->facts.duration_ns = sum_ns;
	pe_cct_sum(cct);
	return PE_OK;
}

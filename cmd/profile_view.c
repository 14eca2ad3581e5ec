#include "cmd/profile_view.h"

#include "configs/read.h"
#include "analysis/profile/export.h"
#include "report/profile.h"

#include <string.h>

const char *const pe_profile_formats[] = {"term", "json", "folded", NULL};

enum { FORMAT_TERM, FORMAT_JSON, FORMAT_FOLDED };

int pe_profile_view_check(struct pe_cmd_ctx *ctx, const struct pe_profile_view *view)
{
	double share;

	if (view->hot && view->methods)
		return pe_cmd_misused(ctx, "--hot and --methods are two lists: give one of them");
	if ((view->hot || view->methods) && view->format != FORMAT_TERM)
		return pe_cmd_misused(
			ctx,
			"--hot and --methods are for the terminal; --format %s has the whole tree",
			pe_profile_formats[view->format]);
	if (view->least != NULL && !pe_read_fraction_text(&share, view->least))
		return pe_cmd_misused(ctx, "--min-share is a share such as 2%% or 0.02, not '%s'",
				      view->least);
	return PE_OK;
}

static int fill(struct pe_profile *out, const struct pe_cct *cct,
		const struct pe_profile_subject *subject, const struct pe_profile_view *view,
		struct pe_err *err)
{
	*out = (struct pe_profile)PE_PROFILE_DEFAULTS;
	out->cct = cct;
	out->benchmark = subject->benchmark;
	out->revision = subject->revision;
	out->subject = subject->subject;
	out->instructions = subject->instructions;
	out->weight = PE_WEIGHT_AUTO;
	out->depth = (unsigned)view->depth;
	if (view->most > 0)
		out->most = view->most;
	/* Formats for other programs have all nodes unless an option limits them. */
	if (view->format == FORMAT_JSON)
		out->threshold = 0;
	if (view->least != NULL)
		pe_read_fraction_text(&out->threshold, view->least);
	if (view->weight != NULL)
		PE_TRY(pe_weight_find(&out->weight, view->weight, err));
	return PE_OK;
}

static int write_folded(struct pe_text *text, const struct pe_profile *profile,
			const struct pe_profile_subject *subject, struct pe_err *err)
{
	const struct pe_export_format *format = pe_export_find("folded", err);
	const struct pe_export_options options = {
		.weight = profile->weight, .title = subject->benchmark, .time_s = subject->taken_s};

	return format != NULL ? format->write(text, profile->cct, &options, err) : err->code;
}

static void write_lists(struct pe_text *text, const struct pe_profile *profile,
			const struct pe_profile_view *view, const struct pe_term *term)
{
	if (view->hot || view->methods)
		pe_profile_list(text, profile, view->hot, term);
	else if (view->format == FORMAT_JSON)
		pe_profile_json(text, profile);
	else
		pe_profile_tree(text, profile, term);
}

int pe_profile_print(struct pe_cmd_ctx *ctx, const struct pe_cct *cct,
		     const struct pe_profile_subject *subject, const struct pe_profile_view *view)
{
	pe_auto_text text = PE_TEXT_INIT;
	struct pe_profile profile;

	PE_TRY(fill(&profile, cct, subject, view, ctx->app.err));
	PE_TRY(pe_weight_settle(&profile.weight, cct, ctx->app.err));
	if (view->format == FORMAT_FOLDED)
		PE_TRY(write_folded(&text, &profile, subject, ctx->app.err));
	else
		write_lists(&text, &profile, view, &ctx->out);
	return pe_cmd_show(ctx, &text, true);
}

/* Profile: the calling context tree of one commit and benchmark: collected where it is not known, and printed. */
#include "cmd/commands.h"
#include "app/profiling/collect.h"
#include "cmd/profile_view.h"
#include "analysis/compare/functions.h"
#include "analysis/profile/timeline.h"
#include "cmd/ui/term.h"
#include "core/base/outfile.h"
#include "core/base/utf8.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *const modes[] = {"config", "counting+samples", "counting", "samples", NULL};

static const enum pe_profile_mode mode_of[] = {PE_PROFILE_DEFAULT, PE_PROFILE_BOTH,
					       PE_PROFILE_COUNTING, PE_PROFILE_SAMPLES};

struct options {
	const char *bench;
	bool again;
	int mode;
	const char *timeline;
	struct pe_profile_view view;
};

/* --- Which benchmark --- */

int cmd_choose_benchmark(const struct pe_benchmark **out, const struct pe_session *session,
			 const char *bench)
{
	enum { NAMED = 5 };
	struct pe_benchmark *const *all = session->benchmarks.data;
	const size_t n = session->benchmarks.n;
	pe_auto_text names = PE_TEXT_INIT;

	if (n == 0)
		return pe_session_fail_without(session, bench);
	*out = n == 1 ? all[0] : NULL;
	for (size_t i = 0; i < n; i++) {
		if (bench != NULL && strcmp(all[i]->name, bench) == 0)
			*out = all[i];
		if (i < NAMED)
			pe_text_addf(&names, "%s'%s'", i > 0 ? ", " : "", all[i]->name);
	}
	return *out != NULL ? PE_OK
			    : pe_fail(session->app->err, PE_EINVALID,
				      "%zu benchmarks match: choose with --bench one of %s%s", n,
				      pe_text_str(&names), n > NAMED ? ", ..." : "");
}

/* --- What comes of it --- */

static int fail(struct pe_cmd_ctx *ctx, const struct pe_revision *revision,
		const struct pe_collected *collected)
{
	/* As much of it as helps on a terminal. */
	const char *log = pe_utf8_last_lines(collected->log, 30);
	const char *why = pe_collected_why(collected);
	pe_auto_text text = PE_TEXT_INIT;

	if (ctx->app.quiet) {
		pe_fail(ctx->app.err, PE_EUNSUPPORTED, "%.10s %.200s: %s: %s", revision->id,
			revision->subject, collected->stage, why);
		pe_cmd_say(ctx, ctx->app.err->message);
	} else {
		pe_app_note(&ctx->app, "%.10s %s: %s: %s", revision->id, revision->subject,
			    collected->stage, why);
		pe_utf8_add_log(&text, log);
		pe_term_write(STDERR_FILENO, pe_text_str(&text), text.len, NULL);
	}
	return PE_EXIT_UNMEASURABLE;
}

static int show(struct pe_cmd_ctx *ctx, const struct pe_revision *revision,
		const struct pe_benchmark *benchmark, const struct pe_collected *collected,
		const uint64_t *instructions, const struct options *options)
{
	const struct pe_profile_subject subject = {
		.benchmark = benchmark->name,
		.revision = pe_arena_strndup(ctx->app.arena, revision->id, 8),
		.subject = revision->subject,
		.taken_s = collected->profile.taken_s,
		.instructions = instructions,
	};

	PE_TRY(pe_profile_print(ctx, collected->cct, &subject, &options->view));
	if (collected->profile.reused)
		pe_app_note(&ctx->app, "collected at %.10s, which executes the same machine code",
			    collected->profile.revision);
	if (collected->profile.file != NULL && collected->profile.file[0] != '\0')
		pe_app_note(&ctx->app, "imported from %s", collected->profile.file);
	for (size_t i = 0; i < collected->advice.n; i++)
		pe_app_note(&ctx->app, "%s", collected->advice.at[i]);
	return PE_EXIT_GOOD;
}

/* --- The way to it --- */

static int choose(struct pe_session *session, const struct pe_revision *revision, const char *bench)
{
	struct pe_revision *one = pe_arena_new(session->arena, struct pe_revision, 1);
	const struct pe_revisions revisions = {one, 1, false, 0};

	*one = *revision;
	return pe_session_choose(session, &revisions, bench);
}

/* What its methods execute, where it was counted. */
static int load_instructions(const uint64_t **out, const struct pe_session *session,
			     const struct pe_benchmark *benchmark, const struct pe_frames *frames)
{
	struct pe_app *app = session->app;
	const struct pe_counts_query query = {PE_COUNTS_OF_FUNCTIONS, session->machine_key,
					      benchmark->key,
					      session->revisions[session->n_revisions - 1].key};
	struct pe_function_ranges ranges;

	PE_TRY(pe_store_counts(&ranges, app->store, &query, app->arena, app->err));
	*out = pe_functions_by_frame(&ranges, frames, app->arena);
	return PE_OK;
}

static int write_timeline(const struct pe_cct *cct, const char *path, struct pe_err *err)
{
	const struct pe_timeline *timeline = cct != NULL ? cct->facts.timeline : NULL;
	pe_auto_text text = PE_TEXT_INIT;

	if (timeline == NULL)
		return pe_fail(err, PE_EUNSUPPORTED,
			       "the profile has no timeline; '--again --mode samples' takes one");
	pe_timeline_write(&text, timeline, cct->frames);
	return pe_outfile_write_file(&text, path, err);
}

/*
 * Look into the store, without locks and without leaving anything there, where tests are not found, for building finds them;
 * or collect.
 */
static int obtain(struct pe_collected *out, const struct pe_benchmark **benchmark,
		  const uint64_t **instructions, struct pe_cmd_ctx *ctx,
		  const struct pe_revision *revision, const struct options *options,
		  struct pe_frames *frames, bool stored)
{
	const struct pe_collect_opts opts = {
		.mode = mode_of[options->mode],
		.again = options->again,
	};
	const struct pe_benchmark *chosen = NULL;
	struct pe_app *app = &ctx->app;
	pe_auto_session session = {.app = NULL};
	pe_auto_transaction store = stored ? app->store : NULL;

	if (stored)
		PE_TRY(pe_store_begin(store, app->err));
	PE_TRY(pe_session_open(&session, app, !stored));
	PE_TRY(choose(&session, revision, options->bench));
	if (stored && session.benchmarks.n == 0)
		return PE_ENOTFOUND; /* one of the tests, if any */
	if (!stored)
		PE_TRY(pe_session_discover(&session, options->bench));
	PE_TRY(cmd_choose_benchmark(&chosen, &session, options->bench));
	*benchmark = chosen;
	PE_TRY(stored ? pe_collect_load(out, app, session.machine_key, chosen, revision->id,
					opts.mode, false, frames, app->arena)
		      : pe_collect(out, &session, &session.revisions[session.n_revisions - 1],
				   chosen, &opts, frames, app->arena));
	if (options->timeline != NULL && out->outcome == PE_MEASURED)
		PE_TRY(write_timeline(out->cct, options->timeline, app->err));
	return load_instructions(instructions, &session, chosen, frames);
}

static int run(struct pe_cmd_ctx *ctx, const struct options *options, const char *spec)
{
	pe_auto_frames frames = PE_FRAMES_INIT;
	const struct pe_benchmark *benchmark = NULL;
	const uint64_t *instructions = NULL;
	struct pe_collected collected;
	struct pe_revision revision;
	int rc = PE_ENOTFOUND;

	PE_TRY(pe_app_resolve(&revision, &ctx->app, spec));
	if (!options->again)
		rc = obtain(&collected, &benchmark, &instructions, ctx, &revision, options, &frames,
			    true);
	if (rc == PE_ENOTFOUND)
		rc = obtain(&collected, &benchmark, &instructions, ctx, &revision, options, &frames,
			    false);
	PE_TRY(rc);
	return collected.outcome != PE_MEASURED
		       ? fail(ctx, &revision, &collected)
		       : show(ctx, &revision, benchmark, &collected, instructions, options);
}

int cmd_profile(struct pe_cmd_ctx *ctx, int argc, char **argv)
{
	struct options options = {.again = false};
	const struct pe_opt opts[] = {
		OPT_GROUP("What is collected"),
		OPT_STRING('b', "bench", &options.bench, "REGEX", "the benchmark"),
		OPT_CHOICE(0, "mode", &options.mode, modes,
			   "by which way, in place of the config's"),
		OPT_FLAG(0, "again", &options.again, "collect what is collected already"),
		OPT_STRING(0, "timeline", &options.timeline, "FILE",
			   "write one run as a trace of Chrome"),
		OPT_GROUP("What is shown"),
		PE_PROFILE_VIEW_OPTS(&options.view),
		OPT_END,
	};

	PE_TRY(pe_cmd_begin(ctx, opts, &argc, &argv));
	PE_TRY(pe_profile_view_check(ctx, &options.view));
	return run(ctx, &options, argc == 1 ? argv[0] : "HEAD");
}

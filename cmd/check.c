/*
 * Check: is the config right, does the current commit build, does every benchmark run, and how well can this
 * machine tell versions apart? Nothing of it is stored as a measurement.
 */
#include "cmd/check.h"

#include "app/measure/reuse.h"
#include "cmd/commands.h"

bool pe_check_all_ran(const struct pe_check *check)
{
	if (check->build.outcome != PE_MEASURED)
		return false;
	for (size_t i = 0; i < check->n_tried; i++)
		if (check->tried[i].run.outcome != PE_MEASURED)
			return false;
	return pe_check_suites_ran(&check->suites);
}

static int run(struct pe_check *check, struct pe_cmd_ctx *ctx, const char *spec, const char *bench)
{
	struct pe_range range = {.spec = spec, .last = 1};
	struct pe_revisions revisions;
	struct pe_slot *slot;
	const struct pe_revision *newest;

	PE_TRY(pe_repo_walk(&revisions, ctx->app.repo, &range, ctx->app.arena, ctx->app.err));
	if (revisions.n == 0)
		return pe_fail(ctx->app.err, PE_ENOTFOUND, "there is no commit to check yet");
	PE_TRY(pe_session_open(&check->session, &ctx->app, true));
	PE_TRY(pe_session_choose(&check->session, &revisions, bench));
	newest = &check->session.revisions[check->session.n_revisions - 1];
	check->revision = &revisions.at[0];
	check->session.builds_total = 1;
	PE_TRY(pe_session_build(&slot, &check->build, &check->session, newest));
	/* What it left outside of its tree is another commit's by now. */
	if (check->build.outcome == PE_MEASURED &&
	    pe_outside_is_foreign(&check->session.outside, slot->tree)) {
		slot->id[0] = '\0';
		slot->held = false;
		PE_TRY(pe_slot_forget(slot, ctx->app.err));
		PE_TRY(pe_session_build(&slot, &check->build, &check->session, newest));
	}
	if (check->build.outcome != PE_MEASURED)
		return PE_OK;
	check->tree = pe_arena_strdup(ctx->app.arena, slot->tree);
	PE_TRY(pe_session_discover(&check->session, bench));
	PE_TRY(pe_check_try(check, slot->tree));
	PE_TRY(pe_check_suites(&check->suites, &check->session, slot->tree));
	if (pe_check_all_ran(check))
		PE_TRY(pe_reuse_look(&check->session, check->session.n_revisions - 1, slot->tree,
				     UINT64_MAX));
	pe_check_advise(check);
	return PE_OK;
}

static int print(const struct pe_check *check, struct pe_cmd_ctx *ctx, int format)
{
	pe_auto_text text = PE_TEXT_INIT;

	if (format == PE_FORMAT_JSON)
		pe_check_print_json(&text, check);
	else
		pe_check_print(&text, check);
	return pe_cmd_show(ctx, &text, false);
}

int cmd_check_revision(struct pe_cmd_ctx *ctx, const char *spec, const char *bench, int format)
{
	struct pe_check check = {0};
	int rc = run(&check, ctx, spec, bench);

	if (rc == PE_OK)
		rc = print(&check, ctx, format);
	if (rc == PE_OK && !pe_check_all_ran(&check))
		rc = PE_EXIT_UNMEASURABLE;
	pe_session_close(&check.session);
	pe_vec_release(&check.advice);
	return rc;
}

int cmd_check(struct pe_cmd_ctx *ctx, int argc, char **argv)
{
	const char *bench = NULL;
	int format = 0;
	const struct pe_opt opts[] = {
		OPT_BENCH(&bench),
		OPT_JSON(&format),
		OPT_END,
	};

	PE_TRY(pe_cmd_begin(ctx, opts, &argc, &argv));
	return cmd_check_revision(ctx, argc > 0 ? argv[0] : NULL, bench, format);
}

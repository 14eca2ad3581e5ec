/*
 * Interim results of a running track: printed as a note when there is something new, and their number left in the store for
 * `perfevo log` in another terminal. The first time after a minute; a short track has its result by then.
 */
#include "cmd/tracking.h"

#include "app/history/values.h"
#include "core/base/clock.h"
#include "report/interim.h"

#include <stdlib.h>

enum {
	FIRST_S = 60, /* from the beginning; PERFEVO_FIRST_ANSWER sets another number of seconds */
	PAUSE_S = 10,
	SHARE = 20, /* interim judging takes one part in this of the time */
};

static const uint64_t SECOND = 1000000000;

static int look(struct pe_tracking_watch *watch, struct pe_app *app)
{
	struct pe_detect_opts opts = pe_track_detect_opts(watch->session);
	struct pe_evolution whole, asked;
	pe_auto_text text = PE_TEXT_INIT;
	struct pe_interim now;

	opts.keep = false;
	PE_TRY(pe_detect_load(&whole, app, &opts));
	asked = pe_values_within(&whole, watch->revisions, app->arena);
	now = pe_interim_add(&text, &asked, watch->revisions->n);
	PE_TRY(pe_store_put_activity(
		app->store, watch->session->machine_key,
		&(struct pe_activity){watch->since_s, now.known, watch->revisions->n}, app->err));
	if (now.known < 2 || (watch->shown && !pe_interim_differs(&watch->last, &now)))
		return PE_OK;
	pe_app_note(&watch->ctx->app, "%s", pe_text_str(&text));
	watch->shown = true;
	watch->last = now;
	return PE_OK;
}

static void look_now_and_then(void *payload)
{
	struct pe_tracking_watch *watch = payload;
	pe_auto_arena arena = PE_ARENA_INIT;
	struct pe_err err = PE_ERR_INIT;
	struct pe_app app = watch->ctx->app;
	uint64_t since_ns = pe_clock_ns(), took_ns;

	if (since_ns < watch->due_ns)
		return;
	/* All of it is released at once; its failure is no failure of the track. */
	app.arena = &arena;
	app.err = &err;
	app.note = NULL;
	look(watch, &app);
	took_ns = pe_clock_ns() - since_ns;
	watch->due_ns = since_ns + took_ns +
			(SHARE * took_ns > watch->pause_ns ? SHARE * took_ns : watch->pause_ns);
}

int pe_tracking_watch(struct pe_tracking_watch *watch, struct pe_cmd_ctx *ctx,
		      struct pe_session *session, const struct pe_revisions *revisions)
{
	const char *given = getenv("PERFEVO_FIRST_ANSWER");
	uint64_t first_s = given != NULL ? strtoull(given, NULL, 10) : FIRST_S;

	*watch = (struct pe_tracking_watch){
		.ctx = ctx,
		.session = session,
		.revisions = revisions,
		.since_s = pe_clock_now_s(),
		.due_ns = pe_clock_ns() + first_s * SECOND,
		.pause_ns = first_s < PAUSE_S ? first_s * SECOND : PAUSE_S * SECOND,
	};
	session->look = look_now_and_then;
	session->look_payload = watch;
	return pe_store_put_activity(ctx->app.store, session->machine_key,
				     &(struct pe_activity){watch->since_s, 0, revisions->n},
				     ctx->app.err);
}

int pe_tracking_unwatch(int rc, struct pe_tracking_watch *watch)
{
	struct pe_err later = PE_ERR_INIT;
	struct pe_session *session = watch->session;
	int rc_drop = pe_store_drop_activity(watch->ctx->app.store, session->machine_key,
					     rc == PE_OK ? watch->ctx->app.err : &later);

	session->look = NULL;
	return rc == PE_OK ? rc_drop : rc;
}

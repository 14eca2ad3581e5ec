/*
 * Shared by all parts of a session: look-ups by the store's keys, its benchmarks, the limits of trees, and the stored
 * rows of a build.
 */
#include "app/measure/session.h"

#include "app/measure/trace.h"
#include "core/base/array.h"
#include "core/base/regex.h"
#include "vcs/digest.h"

#include <inttypes.h>
#include <string.h>

size_t pe_session_revision_of(const struct pe_session *session, int64_t key)
{
	return pe_key_index_find(&session->revision_index, key);
}

const struct pe_revision *pe_session_newest(const struct pe_session *session)
{
	for (size_t r = session->n_revisions; r-- > 0;)
		if (session->wanted[r])
			return &session->revisions[r];
	return NULL;
}

size_t pe_session_benchmark_of(const struct pe_session *session, int64_t key)
{
	return pe_key_index_find(&session->benchmark_index, key);
}

const char *pe_session_limits(const struct pe_session *session)
{
	return pe_arena_printf(session->arena, "perfevo %s, %" PRIu64 " bytes", PE_VERSION,
			       session->app->config->limits.disk_bytes);
}

int pe_session_take_benchmarks(struct pe_session *session, struct pe_benchmark *benchmarks,
			       size_t n, const char *bench)
{
	struct pe_app *app = session->app;
	pe_auto_regex regex;

	PE_TRY(pe_regex_init_option(&regex, "--bench", bench, app->err));
	for (size_t i = 0; i < n; i++) {
		struct pe_benchmark *one = &benchmarks[i];

		if ((session->names != NULL &&
		     !pe_has_string(session->names->at, session->names->n, one->name)) ||
		    !pe_regex_matches(&regex, one->name))
			continue;
		PE_TRY(pe_store_put_benchmark(&one->key, app->store, one, app->err));
		pe_key_index_put(&session->benchmark_index, one->key, session->benchmarks.n);
		pe_vec_push(&session->benchmarks, one);
	}
	return PE_OK;
}

void pe_session_report_build(struct pe_session *session, const struct pe_revision *revision)
{
	const struct pe_progress *progress = &session->app->progress;
	struct pe_progress_event event = {
		.phase = PE_PROGRESS_BUILD,
		.done = session->builds_done,
		.total = session->builds_total,
		.revision = revision->id,
		.subject = revision->subject,
		.failed = pe_troubles_commits(&session->troubles),
	};

	if (progress->report != NULL)
		progress->report(&event, progress->payload);
}

int pe_session_report_run(const struct pe_session *session, const struct pe_revision *revision,
			  const char *benchmark, size_t done, size_t total)
{
	const struct pe_app *app = session->app;
	const struct pe_progress_event event = {
		.phase = PE_PROGRESS_RUN,
		.done = done,
		.total = total,
		.revision = revision != NULL ? revision->id : NULL,
		.subject = revision != NULL ? revision->subject : NULL,
		.benchmark = benchmark,
	};

	if (*app->interrupts > 0)
		return pe_fail(app->err, PE_ESTOPPED, "stopped");
	if (app->progress.report != NULL)
		app->progress.report(&event, app->progress.payload);
	return PE_OK;
}

/* Pack the reads of a build for the store; or the reason why they are incomplete. */
static struct pe_stored_reads pack(const struct pe_dependencies *seen, struct pe_arena *arena)
{
	char *digest = pe_arena_alloc(arena, PE_OID_HEX, 1);
	struct pe_stored_reads out = {.reason = "it was not watched"};

	if (seen == NULL)
		return out;
	out.reason = seen->complete ? seen->impure : seen->reason;
	if (out.reason != NULL)
		return out;
	out.paths = pe_trace_pack(seen, arena);
	if (out.paths == NULL)
		out.reason = "the name of a file that it reads has two lines";
	else if (pe_digest_bytes(digest, out.paths, strlen(out.paths)) != 0)
		out.reason = "the list of what it reads has no digest";
	else
		out.digest = digest;
	return out;
}

/*
 * Pack the reads of a build, so that other builds become unnecessary. After three incomplete ones in a row the session
 * watches no more: few others would be complete, and watching costs a little time.
 */
static const struct pe_stored_reads *pack_reads(struct pe_session *session,
						const struct pe_build *build)
{
	struct pe_stored_reads *reads;

	if (build->outcome != PE_MEASURED || session->builder.watch == NULL)
		return NULL;
	if (build->reads != NULL)
		pe_outside_learn_build(&session->outside, build->reads);
	reads = pe_arena_new(session->arena, struct pe_stored_reads, 1);
	*reads = pack(build->reads, session->arena);
	session->n_unseen = reads->reason != NULL ? session->n_unseen + 1 : 0;
	if (session->n_unseen >= PE_UNSEEN_BUILDS)
		session->builder.watch = NULL;
	return reads;
}

int pe_session_keep_build(struct pe_session *session, const struct pe_build_request *request,
			  struct pe_slot *slot, const struct pe_build *build)
{
	struct pe_app *app = session->app;
	const struct pe_stored_reads *reads;
	int64_t key;

	if (request->stored) {
		reads = pack_reads(session, build);
		session->builds_done++;
		PE_TRY(pe_store_put_build(&key, app->store, request->revision->key,
					  session->machine_key, request->recipe_hash, build,
					  app->err));
		if (reads != NULL)
			PE_TRY(pe_store_put_reads(app->store, key, reads, app->err));
	}
	PE_TRY(pe_session_count_build(session, slot, build));
	return build->outcome == PE_MEASURED ? pe_slot_remember(slot, request->revision->id,
								request->recipe_hash, app->err)
					     : PE_OK;
}

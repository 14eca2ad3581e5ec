/* What every step of collecting uses: what failed, advice, the slots of the further builds. */
#include "app/profiling/collect_internal.h"

#include <stdarg.h>
#include <stdio.h>

void pe_collecting_fail(struct pe_collecting *collecting, const char *stage,
			enum pe_outcome outcome, int status, const char *log)
{
	struct pe_collected *out = collecting->out;

	out->outcome = outcome;
	out->stage = stage;
	out->status = status;
	out->log = log != NULL ? log : "";
}

void pe_collecting_advise(struct pe_collecting *collecting, const char *format, ...)
{
	char sentence[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(sentence, sizeof(sentence), format, args);
	va_end(args);
	pe_vec_push(&collecting->advice, pe_arena_strdup(collecting->arena, sentence));
}

const struct pe_profile_plan *pe_collecting_plan(const struct pe_benchmark *benchmark)
{
	static const struct pe_profile_plan nothing;

	return benchmark->profile != NULL ? benchmark->profile : &nothing;
}

int pe_collecting_timed_build(struct pe_slot **slot, struct pe_collecting *collecting)
{
	struct pe_session *session = collecting->session;
	struct pe_build build;

	PE_TRY(pe_session_build(slot, &build, session, collecting->revision));
	if (*slot == NULL)
		return pe_fail(session->app->err, PE_EFULL,
			       "no room for a build: raise 'disk:' in %s",
			       session->app->config->path);
	if (build.outcome == PE_MEASURED)
		return PE_OK;
	*slot = NULL;
	pe_collecting_fail(collecting, "build", build.outcome, build.status, build.log);
	return PE_OK;
}

int pe_collecting_open_slots(struct pe_collecting *collecting)
{
	struct pe_session *session = collecting->session;
	const char *root = pe_arena_printf(collecting->arena, "%s/variants", session->cache_dir);

	/* Timed builds have the larger part of the disk: they are run again and again. */
	return pe_slots_open(&collecting->slots, root, session->app->config->disk_bytes / 4,
			     collecting->arena, session->app->err);
}

void pe_collecting_close(struct pe_collecting *collecting)
{
	pe_session_close_slots(collecting->session, &collecting->slots);
	pe_vec_release(&collecting->advice);
	pe_vec_release(&collecting->trees);
}

#include "core/exec/builder.h"

#include "core/base/clock.h"
#include "core/base/text.h"
#include "core/exec/dependencies.h"
#include "core/exec/env.h"
#include "core/exec/failure.h"
#include "core/exec/limits.h"
#include "core/base/files.h"
#include "core/base/vec.h"
#include "core/exec/alloc.h"
#include "probe/formats/alloc.h"
#include "probe/formats/paths.h"

#include <string.h>
#include <unistd.h>

enum { LOG_TAIL_BYTES = 64 * 1024 };

/* A build that prints more than this is not building any more. */
static const uint64_t LOG_LIMIT_BYTES = 256u << 20;

/* A step that fails with less than this left most likely failed for it. */
static const uint64_t FULL_DISK_BYTES = 1u << 20;

const char *pe_log_tail(int fd, size_t bytes, struct pe_arena *arena)
{
	off_t size = lseek(fd, 0, SEEK_END), from = size > (off_t)bytes ? size - (off_t)bytes : 0;
	pe_auto_text text = PE_TEXT_INIT;
	const char *tail, *line;

	if (size > 0 && lseek(fd, from, SEEK_SET) == from)
		pe_text_read_fd(&text, fd);
	tail = pe_text_str(&text);
	line = from > 0 ? strchr(tail, '\n') : NULL;
	if (line != NULL && line[1] != '\0') {
		from += line + 1 - tail;
		tail = line + 1;
	}
	return from > 0 ? pe_arena_printf(arena, "[%lld earlier bytes left out]\n%s",
					  (long long)from, tail)
			: pe_arena_strndup(arena, tail, text.len);
}

static int fill(const struct pe_builder *builder, struct pe_slot *slot, const char *id,
		struct pe_err *err)
{
	char have[PE_OID_HEX];
	const bool one_path = builder->executor.tree != NULL;
	struct pe_fill_spec spec = {
		.dir = slot->tree,
		.trusted = slot->trusted,
		/* Products that contain another path of the tree are useless to this build. */
		.have = slot->id[0] != '\0' && slot->one_path == one_path &&
					pe_slot_is_of_this_boot(slot)
				? have
				: NULL,
		.id = id,
		.clean = builder->recipe->clean,
		.most_bytes = builder->tree_bytes,
	};
	struct pe_fill done;

	memcpy(have, slot->id, sizeof(have));
	slot->id[0] = '\0';
	slot->one_path = one_path;
	PE_TRY(pe_slot_forget(slot, err));
	PE_TRY(builder->source.fill(&done, &spec, builder->source.payload, err));
	return pe_slot_remember(slot, id, NULL, err);
}

/* --- Watching --- */

/*
 * The files of its tree that a build reads, finds missing and lists, recorded by the counting library in every process of
 * it (probe/runtime/touch.h). The library slows compilers by a few thousandths.
 */
struct watch {
	const char *preload; /* the counting library; NULL: it is not watched */
	const char *dir;     /* of the records; the steps may write to it */
	PE_VEC(struct pe_watched) steps;
};

static const char RECORDS[] = "reads";

/* Make the folder of the records beside a slot's tree, empty. */
static int begin_watch(struct watch *out, const char *library, const struct pe_slot *slot,
		       struct pe_arena *arena, struct pe_err *err)
{
	pe_auto_fd dir = pe_files_open_below(slot->trusted, slot->dir, true);

	*out = (struct watch){
		.preload = library,
		.dir = pe_arena_printf(arena, "%s/%s", slot->dir, RECORDS),
	};
	if (dir < 0 || pe_files_make_fresh(dir, RECORDS) != 0)
		return pe_fail_errno(err, "cannot make the folder %s", out->dir);
	return PE_OK;
}

/* The environment of a step with what the library needs; the same one where the build is not watched. */
static const char *const *env_of_step(const struct watch *watch, const char *const *env,
				      const char *tree, struct pe_arena *arena)
{
	const char **out;
	size_t n = 0;

	if (watch->preload == NULL)
		return env;
	while (env[n] != NULL)
		n++;
	out = pe_arena_new(arena, const char *, n + 5);
	memcpy(out, env, n * sizeof(*out));
	out[n] = pe_arena_printf(arena, "LD_PRELOAD=%s", watch->preload);
	out[n + 1] = pe_arena_printf(arena, PE_ALLOC_DIR_ENV "=%s", watch->dir);
	out[n + 2] = pe_arena_printf(arena, PE_TOUCH_ROOT_ENV "=%s", tree);
	out[n + 3] = PE_TOUCH_OUTSIDE_ENV "=1";
	return out;
}

/* system(3) and popen(3) start it within libc, and leave no note of it. */
static void check_shell(struct pe_dependencies *seen, struct pe_arena *arena)
{
	char reason[256];

	if (!seen->complete || pe_alloc_countable("/bin/sh", reason, sizeof(reason)))
		return;
	seen->complete = false;
	seen->reason = pe_arena_printf(arena, "/bin/sh: %s", reason);
}

/*
 * Read what was seen, remove the records, and release the watch.
 *
 * @return  NULL: it was not watched; what could not be read is not complete. In the arena
 */
static const struct pe_dependencies *end_watch(struct watch *watch, const struct pe_slot *slot,
					       struct pe_arena *arena)
{
	struct pe_dependencies *out;
	struct pe_err why = PE_ERR_INIT;
	size_t removed = 0;
	pe_auto_fd dir = -1;

	if (watch->preload == NULL)
		return NULL;
	out = pe_arena_new(arena, struct pe_dependencies, 1);
	if (pe_dependencies_collect(out, watch->dir, slot->tree, watch->steps.data, watch->steps.n,
				    arena, &why) != PE_OK) {
		out->complete = false;
		out->reason = pe_arena_strdup(arena, why.message);
	}
	check_shell(out, arena);
	/* Records of an earlier build are not this one's; where they cannot be removed, the next build fails with that. */
	dir = pe_files_open_below(slot->trusted, slot->dir, false);
	if (dir >= 0)
		pe_files_remove_at(dir, RECORDS, &removed);
	pe_vec_release(&watch->steps);
	watch->preload = NULL;
	return out;
}

/* --- Steps --- */

/* What a step's end means for the build; PE_MEASURED: go on. */
static enum pe_outcome outcome_of_step(const struct pe_proc_result *result)
{
	if (result->end == PE_PROC_EXITED && result->status == 0)
		return PE_MEASURED;
	return result->end == PE_PROC_TIMED_OUT || result->end == PE_PROC_UNANSWERED
		       ? PE_BUILD_TIMED_OUT
		       : PE_BUILD_FAILED;
}

static int run_step(struct pe_build *out, const struct pe_builder *builder,
		    const struct pe_command *step, unsigned flags, const char *tree,
		    struct watch *watch, int log, struct pe_arena *arena, struct pe_err *err)
{
	const char *seen = pe_executor_tree(&builder->executor, tree);
	const char *const *env = pe_env_for_build(builder->recipe, seen, builder->root,
						  builder->jobserver != NULL, arena);
	struct pe_proc_spec spec = {
		.argv = step->argv,
		.cwd = seen,
		.env = env_of_step(watch, env, seen, arena),
		.stdout_fd = log,
		.stderr_fd = log,
		.jobs = builder->jobserver,
		.timeout_ns = builder->recipe->timeout_ns,
		.output_bytes = LOG_LIMIT_BYTES,
		.cpu = -1,
		.flags = flags,
		.leaves = true,
		.builds = true,
		.places = {tree, watch->preload != NULL ? watch->dir : NULL},
		.interrupts = builder->interrupts,
		.stop_fd = builder->stop_fd,
	};
	uint64_t oom_kills = pe_oom_kills(), began = pe_clock_ns();
	struct pe_proc_result result;

	PE_TRY(builder->executor.run(&result, &spec, builder->executor.payload, err));
	if (result.end == PE_PROC_STOPPED)
		return pe_fail(err, PE_ESTOPPED, "stopped while building");
	if (watch->preload != NULL)
		pe_vec_push(&watch->steps,
			    (struct pe_watched){.pid = result.pid, .from_ns = began});
	out->outcome = outcome_of_step(&result);
	/* A build that fails on a full disk is no fact about the revision, and would be skipped for ever. */
	if (out->outcome != PE_MEASURED && pe_files_free(tree) < FULL_DISK_BYTES)
		return pe_fail(err, PE_EFULL, "no space left in %s: free some, or lower 'disk:'",
			       tree);
	if (out->outcome != PE_MEASURED) {
		const struct pe_failure_site site = {builder->sandbox, builder->limits_of_steps,
						     &builder->recipe->pass_env, tree, oom_kills};

		out->step = step->text;
		out->status = result.status;
		out->log = pe_failure_log(
			&out->outcome,
			pe_arena_printf(arena, "%s\n", pe_log_tail(log, LOG_TAIL_BYTES, arena)),
			step->text, &result, &site, arena);
	}
	return PE_OK;
}

/*
 * Steps, each with a log of its own. The log has no name, and so none that a build could put a link in
 * place of.
 */
static int run_steps(struct pe_build *out, const struct pe_builder *builder,
		     const struct pe_commands *steps, unsigned flags, const struct pe_slot *slot,
		     struct watch *watch, struct pe_arena *arena, struct pe_err *err)
{
	pe_auto_fd dir = pe_files_open_below(slot->trusted, slot->dir, true);

	for (size_t i = 0; out->outcome == PE_MEASURED && i < steps->n; i++) {
		pe_auto_fd log = dir >= 0 ? pe_files_open_unnamed(dir) : -1;

		if (log < 0)
			return pe_fail_errno(err, "cannot write a log in %s", slot->dir);
		PE_TRY(run_step(out, builder, &steps->at[i], flags, slot->tree, watch, log, arena,
				err));
	}
	return PE_OK;
}

/* What a build put in place of its tree is not run: a link may lead to anything of the user's. */
static void refuse_swapped(struct pe_build *out, const struct pe_slot *slot, struct pe_arena *arena)
{
	pe_auto_fd tree = pe_files_open_below(slot->trusted, slot->tree, false);

	if (tree >= 0)
		return;
	out->outcome = PE_BUILD_FAILED;
	out->log = pe_arena_strdup(arena, "the build replaced its own folder (PERFEVO_TREE) by "
					  "something else, or removed it\n");
}

static bool preloads(const struct pe_strings *settings)
{
	for (size_t i = 0; i < settings->n; i++)
		if (strncmp(settings->at[i], "LD_PRELOAD=", 11) == 0)
			return true;
	return false;
}

/* A project's own preloaded library is not displaced, and earlier products were read by commands that were not watched. */
static bool can_be_watched(const struct pe_builder *builder)
{
	return builder->watch != NULL && builder->recipe->clean == PE_CLEAN_ALWAYS &&
	       !preloads(&builder->recipe->env);
}

static int build_once(struct pe_build *out, const struct pe_builder *builder, struct pe_slot *slot,
		      const char *id, bool watched, struct pe_arena *arena, struct pe_err *err)
{
	struct watch watch = {.preload = NULL};
	int rc = fill(builder, slot, id, err);

	if (rc == PE_EINVALID || rc == PE_EUNSUPPORTED || rc == PE_EVCS) {
		out->outcome = PE_TREE_REFUSED;
		out->refused_by = rc == PE_EINVALID ? builder->limits : NULL;
		out->log = pe_arena_strdup(arena, err != NULL ? err->message : "");
		return PE_OK;
	}
	if (rc == PE_OK && builder->overlay != NULL)
		rc = builder->overlay(slot->tree, builder->overlay_payload, err);
	if (rc == PE_OK && watched)
		rc = begin_watch(&watch, builder->watch, slot, arena, err);
	if (rc == PE_OK)
		rc = run_steps(out, builder, &builder->recipe->prepare, PE_PROC_NETWORK, slot,
			       &watch, arena, err);
	if (rc == PE_OK && out->outcome == PE_MEASURED)
		rc = run_steps(out, builder, &builder->recipe->steps, 0, slot, &watch, arena, err);
	if (rc == PE_OK && out->outcome == PE_MEASURED)
		refuse_swapped(out, slot, arena);
	out->reads = end_watch(&watch, slot, arena);
	return rc;
}

int pe_build_revision(struct pe_build *out, const struct pe_builder *builder, struct pe_slot *slot,
		      const char *id, struct pe_arena *arena, struct pe_err *err)
{
	const struct pe_build begun = {.outcome = PE_MEASURED,
				       .started_s = pe_clock_now_s(),
				       .started_ns = pe_clock_file_ns(),
				       .log = ""};
	uint64_t began = pe_clock_ns();
	bool watched = can_be_watched(builder);
	int rc;

	*out = begun;
	rc = build_once(out, builder, slot, id, watched, arena, err);
	/* A sanitizer's library has to be loaded first; a build must not fail because it is watched. */
	if (rc == PE_OK && out->outcome == PE_BUILD_FAILED && out->reads != NULL) {
		*out = begun;
		rc = build_once(out, builder, slot, id, false, arena, err);
	}
	if (out->outcome != PE_MEASURED)
		out->reads = NULL;
	out->duration_ns = pe_clock_ns() - began;
	return rc;
}

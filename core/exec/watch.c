#include "core/exec/watch.h"

#include "core/base/files.h"
#include "core/exec/alloc.h"
#include "core/exec/env.h"
#include "probe/formats/alloc.h"
#include "probe/formats/paths.h"

#include <string.h>
#include <unistd.h>

static const char RECORDS[] = "reads";

int pe_watch_begin(struct pe_watch *out, const char *library, const struct pe_slot *slot,
		   struct pe_arena *arena, struct pe_err *err)
{
	pe_auto_fd dir = pe_files_open_below(slot->trusted, slot->dir, true);

	*out = (struct pe_watch){
		.preload = library,
		.dir = pe_arena_printf(arena, "%s/%s", slot->dir, RECORDS),
	};
	if (dir < 0 || pe_files_make_fresh(dir, RECORDS) != 0)
		return pe_fail_errno(err, "cannot make the folder %s", out->dir);
	return PE_OK;
}

const char *const *pe_watch_env(const struct pe_watch *watch, const char *const *env,
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

const struct pe_dependencies *pe_watch_end(struct pe_watch *watch, const struct pe_slot *slot,
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

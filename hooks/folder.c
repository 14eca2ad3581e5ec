#include "hooks/folder.h"

#include "core/base/arena.h"
#include "core/base/files.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Paths of a hook and of the files next to it. */
struct places {
	const char *hook, *kept, *edited;
};

static struct places places_of(const char *folder, enum pe_hook hook, struct pe_arena *arena)
{
	const char *path = pe_arena_printf(arena, "%s/%s", folder, pe_hook_name(hook));

	return (struct places){path, pe_arena_printf(arena, "%s" PE_HOOK_KEPT, path),
			       pe_arena_printf(arena, "%s" PE_HOOK_EDITED, path)};
}

static bool exists(const char *path)
{
	struct stat info;

	return lstat(path, &info) == 0;
}

/* Bytes and permission bits; a link counts by where it points to, whatever is there. */
static int digest(struct pe_hook_before *out, const char *path, struct pe_err *err)
{
	pe_auto_text text = PE_TEXT_INIT;
	struct pe_hash hash;
	struct stat info;
	char target[PATH_MAX];
	ssize_t n;

	if (lstat(path, &info) < 0)
		return pe_fail_errno(err, "cannot look at %s", path);
	pe_hash_init(&hash);
	if (S_ISLNK(info.st_mode)) {
		n = readlink(path, target, sizeof(target));
		if (n < 0)
			return pe_fail_errno(err, "cannot read the link %s", path);
		pe_hash_bytes(&hash, target, (size_t)n);
	} else if (S_ISREG(info.st_mode)) {
		PE_TRY(pe_text_read_file(&text, path, err));
		pe_hash_bytes(&hash, pe_text_str(&text), text.len);
	} else {
		return pe_fail(err, PE_EINVALID, "%s is not a file", path);
	}
	pe_hash_hex(&hash, out->hash);
	out->mode = (unsigned)info.st_mode & 07777;
	return PE_OK;
}

/* --- Looking --- */

static int look(struct pe_hook_found *out, struct pe_hook_before *before,
		const struct places *places, enum pe_hook hook, struct pe_err *err)
{
	pe_auto_text text = PE_TEXT_INIT, ours = PE_TEXT_INIT;
	enum pe_hook_author author = PE_HOOK_BY_OTHERS;
	struct pe_hook_before now;

	*out = (struct pe_hook_found){.kept = exists(places->kept)};
	*before = (struct pe_hook_before){"", 0};
	if (!exists(places->hook))
		return PE_OK;
	out->runs = access(places->hook, X_OK) == 0;
	out->state = PE_HOOK_FOREIGN;
	/* A link to nowhere, or what we may not read: not ours in any case. */
	if (pe_text_read_file(&text, places->hook, NULL) == PE_OK)
		author = pe_hook_author(pe_text_str(&text), before);
	if (author == PE_HOOK_BY_OTHERS)
		return PE_OK;
	pe_hook_script(&ours, hook, before);
	out->state = author != PE_HOOK_BY_US             ? PE_HOOK_CHANGED
		     : strcmp(text.data, ours.data) == 0 ? PE_HOOK_OURS
							 : PE_HOOK_OUTDATED;
	if (out->kept) {
		PE_TRY(digest(&now, places->kept, err));
		out->kept_edited = strcmp(now.hash, before->hash) != 0 || now.mode != before->mode;
	}
	return PE_OK;
}

int pe_hook_look(struct pe_hook_found *out, const char *folder, enum pe_hook hook,
		 struct pe_err *err)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	const struct places places = places_of(folder, hook, &arena);
	struct pe_hook_before before;

	return look(out, &before, &places, hook, err);
}

/* --- Installing --- */

static bool same_file(const char *a, const char *b)
{
	struct pe_hook_before x, y;

	return digest(&x, a, NULL) == PE_OK && digest(&y, b, NULL) == PE_OK &&
	       strcmp(x.hash, y.hash) == 0 && x.mode == y.mode;
}

/*
 * Keep the foreign hook under a second name. A hard link leaves the first name in force until ours is renamed over it;
 * where the file system has no hard links, there is a short time without a hook.
 */
static int keep(struct pe_hook_before *before, const struct places *places, bool has_kept,
		struct pe_err *err)
{
	PE_TRY(digest(before, places->hook, err));
	/* An installation that was cut off here is gone on with. */
	if (has_kept && same_file(places->hook, places->kept))
		return PE_OK;
	if (has_kept)
		return pe_fail(
			err, PE_EINVALID,
			"%s is not perfevo's, and an earlier hook is in %s: perfevo's hook was overwritten; move one of the two away",
			places->hook, places->kept);
	if (link(places->hook, places->kept) == 0 || rename(places->hook, places->kept) == 0)
		return PE_OK;
	return pe_fail_errno(err, "cannot keep %s as %s", places->hook, places->kept);
}

static int set_aside(bool *aside, const struct places *places, struct pe_err *err)
{
	*aside = true;
	if (link(places->hook, places->edited) == 0)
		return PE_OK;
	if (errno == EEXIST)
		return pe_fail(
			err, PE_EINVALID,
			"%s was edited, and an earlier edit is in %s: move one of the two away",
			places->hook, places->edited);
	/* Second names are unknown here. */
	if (rename(places->hook, places->edited) < 0)
		return pe_fail_errno(err, "cannot move %s to %s", places->hook, places->edited);
	return PE_OK;
}

static int install(enum pe_hook_done *done, bool *aside, const struct places *places,
		   enum pe_hook hook, struct pe_err *err)
{
	pe_auto_text script = PE_TEXT_INIT;
	struct pe_hook_before before;
	struct pe_hook_found found;
	int rc = PE_OK;

	PE_TRY(look(&found, &before, places, hook, err));
	if (found.state == PE_HOOK_OURS && found.runs) {
		*done = PE_HOOK_NOTHING;
		return PE_OK;
	}
	*done = found.state == PE_HOOK_ABSENT    ? PE_HOOK_INSTALLED
		: found.state == PE_HOOK_FOREIGN ? PE_HOOK_CHAINED
						 : PE_HOOK_RENEWED;
	if (found.state == PE_HOOK_FOREIGN)
		rc = keep(&before, places, found.kept, err);
	else if (found.state == PE_HOOK_CHANGED)
		rc = set_aside(aside, places, err);
	else if (found.state == PE_HOOK_ABSENT && found.kept)
		/* Ours was deleted by hand: what was before it runs again. */
		rc = digest(&before, places->kept, err);
	if (rc == PE_OK) {
		pe_hook_script(&script, hook, &before);
		rc = pe_text_write_file_as(&script, places->hook, 0777, err);
	}
	if (rc != PE_OK && found.state == PE_HOOK_FOREIGN && !found.kept &&
	    rename(places->kept, places->hook) < 0)
		pe_err_context(err, "the hook that was there is in %s", places->kept);
	return rc;
}

int pe_hook_install(enum pe_hook_done *done, bool *aside, const char *folder, enum pe_hook hook,
		    struct pe_err *err)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	const struct places places = places_of(folder, hook, &arena);

	*aside = false;
	PE_TRY(pe_files_make_dir(folder, err));
	return install(done, aside, &places, hook, err);
}

/* --- Removing --- */

static int put_back(enum pe_hook_done *done, const struct places *places,
		    const struct pe_hook_found *found, struct pe_err *err)
{
	if (!found->kept) {
		*done = PE_HOOK_REMOVED;
		if (unlink(places->hook) < 0 && errno != ENOENT)
			return pe_fail_errno(err, "cannot remove %s", places->hook);
		return PE_OK;
	}
	*done = found->kept_edited ? PE_HOOK_RESTORED_EDITED : PE_HOOK_RESTORED;
	if (rename(places->kept, places->hook) < 0)
		return pe_fail_errno(err, "cannot put %s back to %s", places->kept, places->hook);
	return PE_OK;
}

int pe_hook_remove(enum pe_hook_done *done, bool *aside, const char *folder, enum pe_hook hook,
		   struct pe_err *err)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	const struct places places = places_of(folder, hook, &arena);
	struct pe_hook_before before;
	struct pe_hook_found found;

	*aside = false;
	PE_TRY(look(&found, &before, &places, hook, err));
	*done = found.state == PE_HOOK_FOREIGN && found.kept ? PE_HOOK_LEFT : PE_HOOK_NOTHING;
	if (found.state == PE_HOOK_FOREIGN || (found.state == PE_HOOK_ABSENT && !found.kept))
		return PE_OK;
	if (found.state == PE_HOOK_CHANGED)
		PE_TRY(set_aside(aside, &places, err));
	return put_back(done, &places, &found, err);
}

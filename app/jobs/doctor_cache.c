/*
 * The doctor's checks of the cache: its owner, running measurements, kept builds. These are counted while nothing measures:
 * the lock is held meanwhile, and never waited for. Whether they are what was built is seen before each is used.
 */
#include "app/jobs/doctor.h"

#include "core/base/files.h"
#include "core/exec/slots.h"

#include <sys/stat.h>
#include <unistd.h>

/* As core/exec/slots.c leaves free. */
static const uint64_t SPARE_BYTES = 512u << 20;

/* False: it is not to be trusted, or not there. */
static bool look_at_owner(struct pe_doctor *doctor, char *path)
{
	struct pe_err why = PE_ERR_INIT;
	struct stat info;

	if (stat(path, &info) != 0)
		return false;
	if (info.st_uid == geteuid() && (info.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
		pe_doctor_mend_mode(
			doctor, "cache", path, 0, S_IWGRP | S_IWOTH,
			pe_arena_printf(doctor->app->arena,
					"others may write into %s, and so put programs into it",
					path));
		if (!doctor->mends)
			return false;
	}
	if (pe_files_own_dir(path, &why) == PE_OK)
		return true;
	pe_doctor_add(doctor, PE_FINDING_WRONG, "cache", "%s", why.message);
	return false;
}

/* --- What is kept --- */

static void look_at_builds(struct pe_doctor *doctor, const char *dir, const char *name)
{
	struct pe_app *app = doctor->app;
	struct pe_slots slots;
	const char *root = pe_arena_printf(app->arena, "%s/%s", dir, name);
	struct pe_err why = PE_ERR_INIT;
	size_t built = 0;

	if (access(root, F_OK) != 0)
		return;
	if (pe_slots_open(&slots, root, UINT64_MAX, app->arena, &why) != PE_OK) {
		pe_doctor_add(doctor, PE_FINDING_WRONG, "cache", "%s", why.message);
		return;
	}
	for (size_t i = 0; i < slots.n; i++)
		built += slots.at[i].recipe[0] != '\0';
	pe_doctor_add(doctor, PE_FINDING_FACT, "cache", "%s: %zu kept builds, %.1f MB", root, built,
		      (double)pe_slots_bytes(&slots) / 1e6);
}

void pe_doctor_look_at_cache(struct pe_doctor *doctor)
{
	struct pe_app *app = doctor->app;
	char *root = pe_arena_strdup(app->arena, pe_app_cache_root(app));
	char *dir = pe_arena_strdup(app->arena, pe_app_cache_dir(app));
	struct pe_err why = PE_ERR_INIT;
	uint64_t room;
	pe_auto_fd lock = -1;

	if (access(root, F_OK) != 0) {
		pe_doctor_add(doctor, PE_FINDING_FACT, "cache", "%s: none yet", root);
		return;
	}
	room = pe_files_free(root);
	if (room < SPARE_BYTES)
		pe_doctor_add(
			doctor, PE_FINDING_WRONG, "cache",
			"%.0f MB are free in %s: free some, set 'cache:' in the config to another disk, or 'perfevo gc --cache'",
			(double)room / 1e6, root);
	if (!look_at_owner(doctor, root) || !look_at_owner(doctor, dir))
		return;
	if (pe_app_lock_cache(&lock, app, &why) == PE_EBUSY)
		pe_doctor_add(
			doctor, PE_FINDING_FACT, "locks",
			"another perfevo measures (%s/measure.lock): kept builds were not looked at",
			root);
	if (why.code != PE_OK || lock < 0)
		return;
	pe_doctor_add(doctor, PE_FINDING_FACT, "locks",
		      "no other perfevo measures with this cache");
	look_at_builds(doctor, dir, "slots");
	look_at_builds(doctor, dir, "variants");
}

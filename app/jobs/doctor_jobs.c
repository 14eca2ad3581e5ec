/* The doctor's checks of background work: hooks, waiting commits, the nightly run. */
#include "app/jobs/doctor.h"

#include "app/jobs/hook.h"
#include "app/jobs/nightly.h"
#include "core/base/clock.h"
#include "core/base/place.h"
#include "hooks/folder.h"
#include "vcs/hooked.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- Hooks --- */

struct hook {
	const char *folder;
	enum pe_hook which;
};

static int renew(void *payload, struct pe_err *err)
{
	const struct hook *hook = payload;
	enum pe_hook_done done;
	bool aside;

	return pe_hook_install(&done, &aside, hook->folder, hook->which, err);
}

static bool look_at_hook(struct pe_doctor *doctor, struct hook *hook)
{
	struct pe_err why = PE_ERR_INIT;
	struct pe_arena *arena = doctor->app->arena;
	const char *name = pe_hook_name(hook->which);
	struct pe_hook_found found;

	if (pe_hook_look(&found, hook->folder, hook->which, &why) != PE_OK) {
		pe_doctor_add(doctor, PE_FINDING_WRONG, "hooks", "%s", why.message);
		return false;
	}
	if (found.state == PE_HOOK_ABSENT || found.state == PE_HOOK_FOREIGN)
		return false;
	if (found.state == PE_HOOK_OUTDATED)
		pe_doctor_mend(doctor, "hooks", renew, hook,
			       pe_arena_printf(arena, "%s is of another version of perfevo", name));
	else if (found.state == PE_HOOK_CHANGED)
		pe_doctor_add(
			doctor, PE_FINDING_ADVICE, "hooks",
			"%s was edited since it was installed: 'perfevo hooks install' renews it, and keeps what was edited beside it",
			name);
	if (!found.runs)
		pe_doctor_mend_mode(doctor, "hooks",
				    pe_arena_printf(arena, "%s/%s", hook->folder, name), 0111, 0,
				    pe_arena_printf(arena,
						    "%s may not be executed, so git passes over it",
						    name));
	return true;
}

static void look_at_hooks(struct pe_doctor *doctor)
{
	struct pe_app *app = doctor->app;
	pe_auto_text installed = PE_TEXT_INIT;
	struct pe_err why = PE_ERR_INIT;
	struct pe_hooks_place place;

	if (pe_repo_hooks_place(&place, app->repo, app->arena, &why) != PE_OK) {
		pe_doctor_add(doctor, PE_FINDING_WRONG, "hooks", "%s", why.message);
		return;
	}
	for (int i = 0; i < PE_N_HOOKS; i++) {
		struct hook hook = {place.folder, (enum pe_hook)i};

		if (look_at_hook(doctor, &hook))
			pe_text_addf(&installed, "%s%s", installed.len > 0 ? ", " : "",
				     pe_hook_name(hook.which));
	}
	if (installed.len > 0 && pe_place_on_path("perfevo", app->arena) == NULL)
		pe_doctor_add(
			doctor, PE_FINDING_WRONG, "hooks",
			"they call 'perfevo', which is not on PATH: put its folder there, or they do nothing");
	pe_doctor_add(doctor, PE_FINDING_FACT, "hooks", "%s",
		      installed.len > 0 ? installed.data : "none installed");
}

/* --- The journal --- */

static void look_at_journal(struct pe_doctor *doctor)
{
	struct pe_app *app = doctor->app;
	const char *folder = pe_app_hook_dir(app);
	pid_t job = pe_job_process(folder);
	struct pe_err why = PE_ERR_INIT;
	struct pe_journal journal;
	size_t n;

	if (pe_journal_read(&journal, folder, app->arena, &why) != PE_OK) {
		pe_doctor_add(doctor, PE_FINDING_WRONG, "queue", "%s", why.message);
		return;
	}
	pe_journal_waiting(&journal, &n);
	if (job != 0)
		pe_doctor_add(doctor, PE_FINDING_FACT, "queue",
			      "process %lld measures in the background, %zu commits wait",
			      (long long)job, n);
	else if (n > 0)
		pe_doctor_add(
			doctor, PE_FINDING_ADVICE, "queue",
			"%zu commits wait, and nobody measures them: the next commit starts the worker, or 'perfevo hook work' does",
			n);
}

/* --- The nightly run --- */

static void look_at_nightly(struct pe_doctor *doctor)
{
	struct stat info;

	if (stat(pe_nightly_log(doctor->app), &info) != 0)
		pe_doctor_add(doctor, PE_FINDING_FACT, "nightly", "last run never");
	else
		pe_doctor_add(doctor, PE_FINDING_FACT, "nightly", "last run %ld days ago",
			      (long)((pe_clock_now_s() - (int64_t)info.st_mtime) / 86400));
}

void pe_doctor_look_at_jobs(struct pe_doctor *doctor)
{
	look_at_hooks(doctor);
	look_at_journal(doctor);
	look_at_nightly(doctor);
}

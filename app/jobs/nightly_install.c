/*
 * How a night is started: a line in the user's crontab, or a systemd timer of the user. Either calls this very
 * program by its path with the search path of now, because cron gives next to no environment.
 */
#include "app/jobs/nightly.h"

#include "core/base/hash.h"
#include "core/base/files.h"
#include "core/base/spawn.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct schedule {
	struct pe_app *app;
	const char *dir;     /* of the repository: what -C is given */
	const char *program; /* this one */
	const char *path;    /* search path */
	unsigned hour, minute;
	char name[48]; /* of the timer; the mark of the line */
};

/* --- What is installed --- */

static int read_time(struct schedule *out, const char *at, struct pe_err *err)
{
	int end = 0;

	if (sscanf(at, "%2u:%2u%n", &out->hour, &out->minute, &end) == 2 && at[end] == '\0' &&
	    out->hour < 24 && out->minute < 60)
		return PE_OK;
	return pe_fail(err, PE_EINVALID, "--at takes a time of day such as 02:30, not '%s'", at);
}

static int find_program(struct schedule *out, struct pe_err *err)
{
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (n < 0)
		return pe_fail_errno(err, "cannot find the path of this program");
	path[n] = '\0';
	out->program = pe_arena_strdup(out->app->arena, path);
	return PE_OK;
}

static void name_it(struct schedule *out)
{
	struct pe_hash hash;
	char hex[PE_HASH_HEX];

	pe_hash_init(&hash);
	pe_hash_string(&hash, pe_repo_identity(out->app->repo));
	pe_hash_hex(&hash, hex);
	snprintf(out->name, sizeof(out->name), "perfevo-nightly-%.12s", hex);
}

static int make(struct schedule *out, struct pe_app *app, const char *at)
{
	const char *path = getenv("PATH");
	int rc;

	*out = (struct schedule){.app = app};
	out->dir = pe_repo_workdir(app->repo) != NULL ? pe_repo_workdir(app->repo)
						      : pe_repo_common_dir(app->repo);
	out->path = path != NULL ? path : "/usr/local/bin:/usr/bin:/bin";
	name_it(out);
	rc = at != NULL ? read_time(out, at, app->err) : PE_OK;
	return rc == PE_OK ? find_program(out, app->err) : rc;
}

/* The command as a shell takes it. */
static void add_command(struct pe_text *out, const struct schedule *schedule)
{
	const struct pe_app *app = schedule->app;

	pe_text_add(out, "PATH=");
	pe_text_add_quoted(out, schedule->path);
	pe_text_addc(out, ' ');
	pe_text_add_quoted(out, schedule->program);
	pe_text_add(out, " -C ");
	pe_text_add_quoted(out, schedule->dir);
	if (app->config_path != NULL) {
		pe_text_add(out, " --config ");
		pe_text_add_quoted(out, app->config_path);
	}
	if (app->store_path != NULL) {
		pe_text_add(out, " --store ");
		pe_text_add_quoted(out, app->store_path);
	}
	pe_text_add(out, " nightly --quiet");
}

/* --- cron --- */

/* Whether a command exited with 0. */
static bool succeeds(const char *const *argv, const struct pe_spawn_io *io)
{
	const struct pe_spawn spawn = {.argv = argv, .in = -1, .out = -1, .err = -1, .hand = -1};
	int status;

	return pe_spawn_run(&status, &spawn, io, NULL) == PE_OK && pe_spawn_succeeded(status);
}

static int read_crontab(struct pe_text *out, struct pe_err *err)
{
	const char *const argv[] = {"crontab", "-l", NULL};
	const struct pe_spawn spawn = {.argv = argv, .in = -1, .out = -1, .err = -1, .hand = -1};
	int status, rc = pe_spawn_run(&status, &spawn, &(struct pe_spawn_io){.output = out}, err);

	/* Without a crontab it says 1. */
	if (rc == PE_ENOTFOUND || (rc == PE_OK && WIFEXITED(status) && WEXITSTATUS(status) == 127))
		return pe_fail(err, PE_ENOTFOUND, "there is no crontab command here");
	return rc;
}

static int write_crontab(const struct pe_text *text, struct pe_err *err)
{
	const char *const argv[] = {"crontab", "-", NULL};
	const struct pe_spawn_io io = {.input = pe_text_str(text), .n_input = text->len};

	if (!succeeds(argv, &io))
		return pe_fail(err, PE_ESYS, "crontab refused the new table; the old one stands");
	return PE_OK;
}

/* All lines but ours; true: there was one. */
static bool without_ours(struct pe_text *out, const char *tab, const char *name)
{
	bool found = false;

	while (*tab != '\0') {
		size_t n = strcspn(tab, "\n");
		size_t whole = n + (tab[n] == '\n');
		size_t tail = strlen(name);
		bool ours = n > tail + 2 && memcmp(tab + n - tail, name, tail) == 0 &&
			    memcmp(tab + n - tail - 2, "# ", 2) == 0;

		found = found || ours;
		if (!ours)
			pe_text_addn(out, tab, whole);
		tab += whole;
	}
	return found;
}

static int install_cron(const struct schedule *schedule)
{
	pe_auto_text old = PE_TEXT_INIT, new = PE_TEXT_INIT, command = PE_TEXT_INIT;
	struct pe_err *err = schedule->app->err;
	int rc = read_crontab(&old, err);

	if (rc == PE_OK) {
		without_ours(&new, pe_text_str(&old), schedule->name);
		if (new.len > 0 && new.data[new.len - 1] != '\n')
			pe_text_addc(&new, '\n');
		pe_text_addf(&new, "%u %u * * * ", schedule->minute, schedule->hour);
		add_command(&command, schedule);
		/* cron takes a % for a line break. */
		for (const char *c = pe_text_str(&command); *c != '\0'; c++) {
			if (*c == '%')
				pe_text_addc(&new, '\\');
			pe_text_addc(&new, *c);
		}
		pe_text_addf(&new, " # %s\n", schedule->name);
		rc = write_crontab(&new, err);
	}
	if (rc == PE_OK)
		pe_app_note(schedule->app, "cron starts it every day at %02u:%02u ('crontab -l')",
			    schedule->hour, schedule->minute);
	return rc;
}

static int remove_cron(const struct schedule *schedule, bool *removed)
{
	pe_auto_text old = PE_TEXT_INIT, new = PE_TEXT_INIT;
	int rc = read_crontab(&old, schedule->app->err);

	/* Where there is no cron there is no line. */
	if (rc == PE_ENOTFOUND)
		rc = PE_OK;
	else if (rc == PE_OK && without_ours(&new, pe_text_str(&old), schedule->name)) {
		rc = write_crontab(&new, schedule->app->err);
		*removed = true;
	}
	return rc;
}

/* --- systemd --- */

static bool has_systemd(void)
{
	const char *const argv[] = {"systemctl", "--user", "show-environment", NULL};

	return succeeds(argv, &(struct pe_spawn_io){0});
}

static const char *unit_folder(struct pe_app *app)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");

	if (config != NULL && config[0] == '/')
		return pe_arena_printf(app->arena, "%s/systemd/user", config);
	return pe_arena_printf(app->arena, "%s/.config/systemd/user", home != NULL ? home : "");
}

static const char *unit_path(const struct schedule *schedule, const char *suffix)
{
	struct pe_app *app = schedule->app;

	return pe_arena_printf(app->arena, "%s/%s.%s", unit_folder(app), schedule->name, suffix);
}

/* A word of ExecStart: in double quotes, % and $ doubled. */
static void add_unit_word(struct pe_text *out, const char *word)
{
	pe_text_addc(out, '"');
	for (const char *c = word; *c != '\0'; c++) {
		if (*c == '"' || *c == '\\')
			pe_text_addc(out, '\\');
		else if (*c == '%' || *c == '$')
			pe_text_addc(out, *c);
		pe_text_addc(out, *c);
	}
	pe_text_addc(out, '"');
}

static int write_unit(const struct schedule *schedule, const char *suffix,
		      const struct pe_text *text)
{
	struct pe_err *err = schedule->app->err;
	int rc = pe_files_make_dir(unit_folder(schedule->app), err);

	return rc == PE_OK ? pe_text_write_file(text, unit_path(schedule, suffix), err) : rc;
}

static int write_service(const struct schedule *schedule)
{
	pe_auto_text text = PE_TEXT_INIT, command = PE_TEXT_INIT;

	add_command(&command, schedule);
	pe_text_add(&text, "[Unit]\nDescription=perfevo nightly of ");
	for (const char *c = schedule->dir; *c != '\0'; c++)
		pe_text_add(&text, *c == '%' ? "%%" : (char[]){*c, '\0'});
	/* 1: there is news; 125: the newest commit could not be measured. */
	pe_text_add(&text, "\n\n[Service]\nType=oneshot\nSuccessExitStatus=1 125\nNice=5\n"
			   "ExecStart=/bin/sh -c ");
	add_unit_word(&text, pe_text_str(&command));
	pe_text_addc(&text, '\n');
	return write_unit(schedule, "service", &text);
}

static int write_timer(const struct schedule *schedule)
{
	pe_auto_text text = PE_TEXT_INIT;

	pe_text_addf(&text,
		     "[Unit]\nDescription=perfevo every night\n\n[Timer]\nOnCalendar=*-*-* "
		     "%02u:%02u:00\nPersistent=true\n\n[Install]\nWantedBy=timers.target\n",
		     schedule->hour, schedule->minute);
	return write_unit(schedule, "timer", &text);
}

static int run_systemctl(const struct schedule *schedule, const char *words)
{
	const char *command =
		pe_arena_printf(schedule->app->arena,
				"systemctl --user daemon-reload && systemctl --user %s %s.timer",
				words, schedule->name);
	const char *const argv[] = {"sh", "-c", command, NULL};

	if (succeeds(argv, &(struct pe_spawn_io){0}))
		return PE_OK;
	return pe_fail(schedule->app->err, PE_ESYS,
		       "the units are in %s, but systemd did not take them: run '%s'",
		       unit_folder(schedule->app), command);
}

static int install_systemd(const struct schedule *schedule)
{
	int rc = write_service(schedule);

	if (rc == PE_OK)
		rc = write_timer(schedule);
	if (rc == PE_OK)
		rc = run_systemctl(schedule, "enable --now");
	if (rc == PE_OK)
		pe_app_note(
			schedule->app,
			"systemd starts it every day at %02u:%02u while you are logged in ('loginctl enable-linger' lets it at all times)",
			schedule->hour, schedule->minute);
	return rc;
}

static int remove_systemd(const struct schedule *schedule, bool *removed)
{
	int rc = PE_OK;

	if (access(unit_path(schedule, "timer"), F_OK) != 0)
		return PE_OK;
	*removed = true;
	if (has_systemd())
		rc = run_systemctl(schedule, "disable --now");
	if (unlink(unit_path(schedule, "timer")) != 0 ||
	    (unlink(unit_path(schedule, "service")) != 0 && errno != ENOENT))
		rc = pe_fail_errno(schedule->app->err, "cannot remove %s",
				   unit_path(schedule, "timer"));
	return rc;
}

/* --- Both --- */

/* Crontabs and units are lines: what follows a newline in a path would be one of its own. */
static int check_paths(const struct schedule *schedule)
{
	const struct pe_app *app = schedule->app;
	const char *const paths[] = {schedule->path, schedule->program, schedule->dir,
				     app->config_path, app->store_path};

	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++)
		for (const char *c = paths[i]; c != NULL && *c != '\0'; c++)
			if ((unsigned char)*c < 0x20 || *c == 0x7f)
				return pe_fail(
					app->err, PE_EUNSUPPORTED,
					"neither cron nor systemd can be given the path '%s': rename what has a control character in its name",
					paths[i]);
	return PE_OK;
}

int pe_nightly_install(struct pe_app *app, enum pe_nightly_starter starter, const char *at)
{
	struct schedule schedule;
	bool removed = false;
	int rc = make(&schedule, app, at);

	if (rc == PE_OK)
		rc = check_paths(&schedule);
	if (starter == PE_STARTED_BY_ANY)
		starter = has_systemd() ? PE_STARTED_BY_SYSTEMD : PE_STARTED_BY_CRON;
	/* One of both is enough. */
	if (rc == PE_OK && starter == PE_STARTED_BY_CRON)
		rc = remove_systemd(&schedule, &removed);
	else if (rc == PE_OK)
		rc = remove_cron(&schedule, &removed);
	if (rc != PE_OK)
		return rc;
	return starter == PE_STARTED_BY_CRON ? install_cron(&schedule) : install_systemd(&schedule);
}

/* The program in a command of add_command(): the word behind the search path. */
static const char *program_in(const char *command, struct pe_arena *arena)
{
	const char *at = strstr(command, "PATH='");

	at = at != NULL ? strstr(at, "' '") : NULL;
	return at != NULL ? pe_arena_strndup(arena, at + 3, strcspn(at + 3, "'")) : NULL;
}

static const char *newest_log(struct pe_app *app)
{
	const char *newest = NULL;
	struct dirent *entry;
	DIR *dir = opendir(pe_nightly_folder_path(app));

	while (dir != NULL && (entry = readdir(dir)) != NULL) {
		const char *suffix = strrchr(entry->d_name, '.');

		if (suffix != NULL && strcmp(suffix, ".log") == 0 &&
		    (newest == NULL || strcmp(entry->d_name, newest) > 0))
			newest = pe_arena_strdup(app->arena, entry->d_name);
	}
	if (dir != NULL)
		closedir(dir);
	return newest;
}

void pe_nightly_look(struct pe_nightly_installed *out, struct pe_app *app)
{
	struct schedule schedule = {.app = app};
	pe_auto_text text = PE_TEXT_INIT, others = PE_TEXT_INIT;
	const char *mark;

	name_it(&schedule);
	*out = (struct pe_nightly_installed){.last_log = newest_log(app)};
	if (pe_text_read_file(&text, unit_path(&schedule, "service"), NULL) == PE_OK &&
	    access(unit_path(&schedule, "timer"), F_OK) == 0) {
		out->by = "systemd";
		out->program = program_in(pe_text_str(&text), app->arena);
		return;
	}
	pe_text_clear(&text);
	if (read_crontab(&text, NULL) != PE_OK ||
	    !without_ours(&others, pe_text_str(&text), schedule.name))
		return;
	out->by = "cron";
	mark = strstr(pe_text_str(&text), schedule.name);
	while (mark > text.data && mark[-1] != '\n')
		mark--;
	out->program = program_in(mark, app->arena);
}

int pe_nightly_remove(struct pe_app *app)
{
	struct schedule schedule;
	bool removed = false;
	int rc = make(&schedule, app, NULL);

	if (rc == PE_OK)
		rc = remove_cron(&schedule, &removed);
	if (rc == PE_OK)
		rc = remove_systemd(&schedule, &removed);
	if (rc == PE_OK)
		pe_app_note(app, removed ? "the nightly run is no longer installed"
					 : "nothing was installed");
	return rc;
}

/*
 * The line of the user's crontab that starts a night every day. It calls this very program by its path with the search path
 * of now, because cron gives next to no environment. docs/nightly.md has the units for systemd.
 */
#include "app/jobs/nightly.h"

#include "core/base/hash.h"
#include "core/base/spawn.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* "perfevo-nightly-3f2a91c8d0e4": the comment at the end of a repository's line. */
static const char *mark_of(struct pe_app *app)
{
	struct pe_hash hash;
	char hex[PE_HASH_HEX];

	pe_hash_init(&hash);
	pe_hash_string(&hash, pe_repo_identity(app->repo));
	pe_hash_hex(&hash, hex);
	return pe_arena_printf(app->arena, "perfevo-nightly-%.12s", hex);
}

/* --- The line --- */

/* A crontab is lines: what follows a newline in a path would be one of its own. */
static int add_path(struct pe_text *out, const char *before, const char *path, struct pe_err *err)
{
	for (const char *c = path; *c != '\0'; c++)
		if ((unsigned char)*c < 0x20 || *c == 0x7f)
			return pe_fail(
				err, PE_EUNSUPPORTED,
				"cron cannot be given the path '%s': rename what has a control character in its name",
				path);
	pe_text_add(out, before);
	pe_text_add_quoted(out, path);
	return PE_OK;
}

/* The command as a shell takes it. */
static int add_command(struct pe_text *out, const struct pe_app *app)
{
	const char *search = getenv("PATH"), *tree = pe_repo_workdir(app->repo);
	char program[4096];
	ssize_t n = readlink("/proc/self/exe", program, sizeof(program) - 1);

	if (n < 0)
		return pe_fail_errno(app->err, "cannot find the path of this program");
	program[n] = '\0';
	PE_TRY(add_path(out, "PATH=", search != NULL ? search : "/usr/local/bin:/usr/bin:/bin",
			app->err));
	PE_TRY(add_path(out, " ", program, app->err));
	PE_TRY(add_path(out, " -C ", tree != NULL ? tree : pe_repo_common_dir(app->repo),
			app->err));
	if (app->config_path != NULL)
		PE_TRY(add_path(out, " --config ", app->config_path, app->err));
	if (app->store_path != NULL)
		PE_TRY(add_path(out, " --store ", app->store_path, app->err));
	pe_text_add(out, " nightly --quiet");
	return PE_OK;
}

/* --- The crontab --- */

static int run_crontab(int *status, const char *word, const struct pe_spawn_io *io,
		       struct pe_err *err)
{
	const char *const argv[] = {"crontab", word, NULL};
	const struct pe_spawn spawn = {.argv = argv, .in = -1, .out = -1, .err = -1, .hand = -1};
	int rc = pe_spawn_run(status, &spawn, io, err);

	if (rc == PE_ENOTFOUND ||
	    (rc == PE_OK && WIFEXITED(*status) && WEXITSTATUS(*status) == 127))
		return pe_fail(
			err, PE_ENOTFOUND,
			"there is no crontab command here: docs/nightly.md has a timer for systemd");
	return rc;
}

/* Without a crontab it ends with 1 and prints nothing. */
static int read_crontab(struct pe_text *out, struct pe_err *err)
{
	int status;

	return run_crontab(&status, "-l", &(struct pe_spawn_io){.output = out}, err);
}

static int write_crontab(const struct pe_text *text, struct pe_err *err)
{
	const struct pe_spawn_io io = {.input = pe_text_str(text), .n_input = text->len};
	int status;

	PE_TRY(run_crontab(&status, "-", &io, err));
	if (!pe_spawn_succeeded(status))
		return pe_fail(err, PE_ESYS, "crontab refused the new table; the old one stands");
	return PE_OK;
}

/*
 * Append all lines but that of the repository.
 *
 * @return  that one, borrowed from the table; NULL: it has none
 */
static const char *add_others(struct pe_text *out, const char *table, const char *mark)
{
	const char *own = NULL;
	size_t tail = strlen(mark);

	while (*table != '\0') {
		size_t n = strcspn(table, "\n"), whole = n + (table[n] == '\n');

		if (n > tail + 2 && memcmp(table + n - tail, mark, tail) == 0 &&
		    memcmp(table + n - tail - 2, "# ", 2) == 0)
			own = table;
		else
			pe_text_addn(out, table, whole);
		table += whole;
	}
	return own;
}

int pe_nightly_install(struct pe_app *app, const char *at)
{
	pe_auto_text old = PE_TEXT_INIT, new = PE_TEXT_INIT, command = PE_TEXT_INIT;
	const char *mark = mark_of(app);
	unsigned hour, minute;
	int end = 0;

	if (sscanf(at, "%2u:%2u%n", &hour, &minute, &end) != 2 || at[end] != '\0' || hour > 23 ||
	    minute > 59)
		return pe_fail(app->err, PE_EINVALID,
			       "--at takes a time of day such as 02:30, not '%s'", at);
	PE_TRY(add_command(&command, app));
	PE_TRY(read_crontab(&old, app->err));
	add_others(&new, pe_text_str(&old), mark);
	if (new.len > 0 && new.data[new.len - 1] != '\n')
		pe_text_addc(&new, '\n');
	pe_text_addf(&new, "%u %u * * * ", minute, hour);
	/* cron takes a % for a line break. */
	for (const char *c = pe_text_str(&command); *c != '\0'; c++) {
		if (*c == '%')
			pe_text_addc(&new, '\\');
		pe_text_addc(&new, *c);
	}
	pe_text_addf(&new, " # %s\n", mark);
	PE_TRY(write_crontab(&new, app->err));
	pe_app_note(app, "cron starts it every day at %02u:%02u ('crontab -l')", hour, minute);
	return PE_OK;
}

int pe_nightly_remove(struct pe_app *app)
{
	pe_auto_text old = PE_TEXT_INIT, new = PE_TEXT_INIT;
	int rc = read_crontab(&old, app->err);
	bool removed = rc == PE_OK && add_others(&new, pe_text_str(&old), mark_of(app)) != NULL;

	/* Where there is no cron there is no line. */
	if (rc != PE_OK && rc != PE_ENOTFOUND)
		return rc;
	if (removed)
		PE_TRY(write_crontab(&new, app->err));
	pe_app_note(app,
		    removed ? "the nightly run is no longer installed" : "nothing was installed");
	return PE_OK;
}

/* --- Looking --- */

void pe_nightly_look(struct pe_nightly_installed *out, struct pe_app *app)
{
	pe_auto_text table = PE_TEXT_INIT, others = PE_TEXT_INIT;
	const char *own, *at;
	struct stat info;

	*out = (struct pe_nightly_installed){0};
	if (stat(pe_nightly_log(app), &info) == 0)
		out->last_s = (int64_t)info.st_mtime;
	if (read_crontab(&table, NULL) != PE_OK)
		return;
	own = add_others(&others, pe_text_str(&table), mark_of(app));
	out->installed = own != NULL;
	/* The program is the word behind the search path. */
	at = own != NULL ? strstr(own, "PATH='") : NULL;
	at = at != NULL ? strstr(at, "' '") : NULL;
	if (at != NULL)
		out->program = pe_arena_strndup(app->arena, at + 3, strcspn(at + 3, "'"));
}

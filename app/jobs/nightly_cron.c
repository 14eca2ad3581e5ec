/*
 * The line of a crontab that starts a night every day. It calls this very program by its path with the search path of now,
 * because cron gives next to no environment. docs/nightly.md has the units for systemd.
 */
#include "app/jobs/nightly.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

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

int pe_nightly_add_crontab(struct pe_text *out, struct pe_app *app, const char *at)
{
	pe_auto_text command = PE_TEXT_INIT;
	unsigned hour, minute;
	int end = 0;

	if (sscanf(at, "%2u:%2u%n", &hour, &minute, &end) != 2 || at[end] != '\0' || hour > 23 ||
	    minute > 59)
		return pe_fail(app->err, PE_EINVALID,
			       "--at takes a time of day such as 02:30, not '%s'", at);
	PE_TRY(add_command(&command, app));
	pe_text_addf(out, "%u %u * * * ", minute, hour);
	/* cron takes a % for a line break. */
	for (const char *c = pe_text_str(&command); *c != '\0'; c++) {
		if (*c == '%')
			pe_text_addc(out, '\\');
		pe_text_addc(out, *c);
	}
	pe_text_addc(out, '\n');
	return PE_OK;
}

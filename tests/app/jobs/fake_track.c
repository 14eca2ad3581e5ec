#define _XOPEN_SOURCE 700
#include "tests/app/jobs/fake_track.h"

#include "tests/support/test.h"

void fake_track_set(const struct tmp_repo *repo, const char *script)
{
	char *log = tmp_repo_path(repo, "calls");

	setenv("FAKE_TRACK_LOG", log, 1);
	setenv("FAKE_TRACK_SCRIPT", script, 1);
}

char *fake_track_calls(const struct tmp_repo *repo)
{
	return tmp_repo_output(repo, "cat calls 2>/dev/null || true");
}

enum { MOST_WORDS = 32 };

static int play(int argc, char **argv)
{
	FILE *log = fopen(getenv("FAKE_TRACK_LOG"), "a");
	char shell[] = "sh", option[] = "-c", name[] = "perfevo";
	char *command[MOST_WORDS] = {shell, option, getenv("FAKE_TRACK_SCRIPT"), name};
	int n = 4;

	if (log == NULL)
		return 127;
	for (int i = 1; i < argc && n + 1 < MOST_WORDS; i++) {
		fprintf(log, "%s%s", i > 1 ? " " : "", argv[i]);
		command[n++] = argv[i];
	}
	fputc('\n', log);
	fclose(log);
	/* General options come first; the command is what the script asks for. */
	while (n > 5 && strncmp(command[4], "--", 2) == 0) {
		int words = strcmp(command[4], "--no-pager") == 0 ? 1 : 2;

		memmove(&command[4], &command[4 + words],
			sizeof(*command) * (size_t)(MOST_WORDS - 4 - words));
		n -= words;
	}
	execv("/bin/sh", command);
	return 127;
}

/* In place of the runner's. */
int main(int argc, char **argv)
{
	return getenv("FAKE_TRACK_SCRIPT") != NULL ? play(argc, argv) : pe_test_main(argc, argv);
}

/* One limit of jobs for builds side by side, with clients that take and put back, lose and owe. */
#include "core/exec/jobserver.h"

#include "tests/support/cases.h"

#include <poll.h>

enum { JOBS = 4 };

static struct pe_jobserver server;
static struct pollfd owed; /* what the last settlement said */

/* A client: how many of so many bytes it gets. */
static unsigned get(unsigned n)
{
	unsigned got = 0;
	char byte;

	while (got < n && read(server.ends[0], &byte, 1) == 1)
		got++;
	return got;
}

static void put_back(unsigned n)
{
	while (n-- > 0)
		cr_assert(eq(int, (int)write(server.ends[1], "+", 1), 1));
}

/* One thing that builds, clients or the server do, and what comes of it. */
static void act(struct pe_text *result, const char *word)
{
	if (strcmp(word, "enter") == 0) {
		pe_jobserver_enter(&server);
	} else if (strcmp(word, "leave") == 0) {
		pe_jobserver_leave(&server);
	} else if (strcmp(word, "get") == 0) {
		pe_text_addf(result, " got %u", get(9));
	} else if (strcmp(word, "settle") == 0) {
		owed = (struct pollfd){.fd = pe_jobserver_settle(&server), .events = POLLIN};
		pe_text_add(result, owed.fd < 0 ? " settled" : " owed");
	} else if (strcmp(word, "poll") == 0) {
		pe_text_add(result, poll(&owed, 1, 0) > 0 ? " there" : " not there");
	} else if (strcmp(word, "fill") == 0) {
		fcntl(server.ends[1], F_SETFL, O_WRONLY | O_NONBLOCK);
		while (write(server.ends[1], "+", 1) == 1)
			;
	} else {
		put_back((unsigned)atoi(word));
	}
}

static void play(struct pe_text *result, const char *word, const char *input, size_t n)
{
	char *script = strdup(input);
	struct pe_err err = PE_ERR_INIT;

	(void)word;
	(void)n;
	cr_assert_ok(pe_jobserver_open(&server, JOBS, &err), err.message);
	/* As make does it. */
	fcntl(server.ends[0], F_SETFL, O_RDONLY | O_NONBLOCK);
	for (char *at = strtok(script, " "); at != NULL; at = strtok(NULL, " "))
		act(result, at);
	pe_jobserver_close(&server);
	free(script);
}

/* Words are those of act(); a number is so many jobs that clients put back. */
Test(jobserver, gives_what_the_cases_say, .timeout = 600)
{
	cases_check("core", "jobserver.cases", play);
}

Test(jobserver, one_that_is_not_open_is_no_matter)
{
	struct pe_jobserver none = PE_JOBSERVER_INIT;

	pe_jobserver_enter(&none);
	pe_jobserver_leave(&none);
	cr_expect(eq(int, pe_jobserver_settle(&none), -1));
	cr_expect_null(pe_jobserver_ends(&none));
	pe_jobserver_close(&none);
}

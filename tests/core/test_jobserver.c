/* One limit of jobs for builds side by side, with clients that take and put back, lose and owe. */
#include "core/exec/jobserver.h"

#include "tests/support/test.h"

#include <poll.h>

enum { JOBS = 4 };

static struct pe_jobserver server;

static void open_one(void)
{
	struct pe_err err = PE_ERR_INIT;

	cr_assert_ok(pe_jobserver_open(&server, JOBS, &err), err.message);
	/* As make does it. */
	fcntl(server.ends[0], F_SETFL, O_RDONLY | O_NONBLOCK);
}

static void close_one(void)
{
	pe_jobserver_close(&server);
}

TestSuite(jobserver, .init = open_one, .fini = close_one, .timeout = 600);

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

Test(jobserver, a_build_alone_has_all_jobs_and_its_own)
{
	pe_jobserver_enter(&server);
	cr_expect(eq(uint, get(9), JOBS - 1));
}

Test(jobserver, each_build_has_one_of_them)
{
	for (int i = 0; i < 3; i++)
		pe_jobserver_enter(&server);
	cr_expect(eq(int, pe_jobserver_settle(&server), -1));
	cr_expect(eq(uint, get(9), JOBS - 3));
}

Test(jobserver, a_build_that_ends_leaves_its_job_to_the_next_or_to_the_others)
{
	pe_jobserver_enter(&server);
	pe_jobserver_enter(&server);
	cr_assert(eq(uint, get(9), JOBS - 2));
	pe_jobserver_leave(&server);
	cr_expect(eq(uint, get(9), 0), "it is kept for the next build");
	pe_jobserver_enter(&server);
	pe_jobserver_settle(&server);
	cr_expect(eq(uint, get(9), 0), "which has it");
	pe_jobserver_leave(&server);
	pe_jobserver_settle(&server);
	cr_expect(eq(uint, get(9), 1), "none came: it is the others'");
}

Test(jobserver, what_is_owed_is_taken_as_soon_as_it_is_there)
{
	struct pollfd owed = {.events = POLLIN};

	pe_jobserver_enter(&server);
	cr_assert(eq(uint, get(9), JOBS - 1));
	pe_jobserver_enter(&server);
	owed.fd = pe_jobserver_settle(&server);
	cr_assert(ge(int, owed.fd, 0));
	cr_expect(eq(int, poll(&owed, 1, 0), 0));
	put_back(2);
	cr_expect_text("1 -1 1", poll(&owed, 1, 0), pe_jobserver_settle(&server), get(9));
}

Test(jobserver, a_build_that_ends_pays_what_is_owed)
{
	pe_jobserver_enter(&server);
	cr_assert(eq(uint, get(9), JOBS - 1));
	pe_jobserver_enter(&server);
	pe_jobserver_leave(&server);
	cr_expect(eq(int, pe_jobserver_settle(&server), -1));
	cr_expect(eq(uint, get(9), 0));
	put_back(JOBS - 1);
	cr_expect(eq(uint, get(9), JOBS - 1));
}

Test(jobserver, what_killed_clients_lost_and_wild_ones_made_is_set_right_when_none_is_at_work)
{
	pe_jobserver_enter(&server);
	cr_assert(eq(uint, get(9), JOBS - 1));
	pe_jobserver_leave(&server);
	pe_jobserver_enter(&server);
	cr_expect(eq(uint, get(9), JOBS - 1), "lost");
	put_back(9000);
	pe_jobserver_leave(&server);
	pe_jobserver_enter(&server);
	cr_expect(eq(uint, get(9), JOBS - 1), "too many");
}

/* perfevo would stand still, and with it all builds. */
Test(jobserver, a_pipe_that_a_build_filled_stops_nobody)
{
	pe_jobserver_enter(&server);
	pe_jobserver_enter(&server);
	fcntl(server.ends[1], F_SETFL, O_WRONLY | O_NONBLOCK);
	while (write(server.ends[1], "+", 1) == 1)
		;
	pe_jobserver_leave(&server);
	cr_expect(eq(int, pe_jobserver_settle(&server), -1));
	pe_jobserver_leave(&server);
	pe_jobserver_enter(&server);
	cr_expect(eq(uint, get(9), JOBS - 1));
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

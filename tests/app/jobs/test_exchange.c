/* What one pull takes from a remote that somebody fills: so many bundles, so many bytes, and the rest with the next ones. */
#define _XOPEN_SOURCE 700
#include "app/jobs/exchange.h"

#include "app/search/track.h"
#include "tests/support/app_fixture.h"
#include "tests/support/test.h"

static const char config[] = "build: ./build\n"
			     "defaults: {warmup: 0, repeats: 2, allocations: false}\n"
			     "benchmarks: {parse: {command: ./parse}}\n";

static struct app_fixture fixture;
static struct pe_exchange_sum pulled; /* of the running test */

static void push(void)
{
	struct pe_exchange exchange;
	struct pe_exchange_sum sum;
	size_t bundles;

	OK(pe_exchange_open(&exchange, &fixture.app, NULL));
	exchange.signing_key = NULL;
	OK(pe_exchange_pack(&sum, &exchange));
	OK(pe_exchange_send(&bundles, &exchange));
	cr_assert(eq(sz, bundles, 1));
	pe_exchange_close(&exchange);
}

/* A measured repository, and a remote with what it sent. */
static void set_up(void)
{
	struct pe_session session;

	app_fixture_open(&fixture, 2, config);
	app_fixture_open_session(&fixture, &session, 2);
	OK(pe_session_measure(&session));
	pe_session_close(&session);
	tmp_repo_sh(&fixture.repo, "git init -q --bare -b main hub.git");
	tmp_repo_git(&fixture.repo, "remote add origin ../hub.git");
	push();
}

static void tear_down(void)
{
	app_fixture_close(&fixture);
}

TestSuite(exchange, .init = set_up, .fini = tear_down, .timeout = 600);

/* N bundles of another machine on the remote, and as many that a shell command prints the document of. */
static void fill(unsigned n, const char *other)
{
	tmp_repo_sh(
		&fixture.repo,
		"cd hub.git && if [ ! -e ../document ]; then ref=$(git for-each-ref --format='%%(refname)' | head -n 1) &&"
		" git cat-file blob $(git rev-parse $ref^{tree}:$(git ls-tree --name-only $ref)) |"
		" sed 's/\"fingerprint\":\"[0-9a-f]*\"/\"fingerprint\":\"00112233445566778899aabbccddeeff\"/'"
		" >../document; fi && i=0 && while [ $i -lt %u ]; do i=$((i + 1));"
		" { cat ../document; printf '%%*s\\n' $i ''; } >../one; for file in ../one %s; do"
		" tree=$(printf '100644 blob %%s\\tx.json\\n' $(git hash-object -w $file) | git mktree);"
		" git update-ref refs/perfevo/results/$tree $(git commit-tree -m x $tree </dev/null);"
		" done; done",
		n, other);
}

/* One pull, as by another process. */
static uint64_t pull(struct pe_exchange_sum *sum, const struct pe_exchange_limits *limits)
{
	struct pe_exchange exchange;
	uint64_t fetched;

	OK(pe_exchange_open(&exchange, &fixture.app, NULL));
	exchange.limits = *limits;
	OK(pe_exchange_receive(sum, &exchange));
	OK(pe_exchange_take_in(sum, &exchange));
	fetched = exchange.fetched;
	pe_exchange_close(&exchange);
	return fetched;
}

/* The number that a shell command prints. */
static int count(const char *command)
{
	char *printed = tmp_repo_output(&fixture.repo, "%s", command);
	int n = atoi(printed);

	return n;
}

Test(exchange, takes_so_many_bundles_and_goes_on_with_the_next_pull)
{
	struct pe_exchange_limits limits = PE_EXCHANGE_LIMITS;
	size_t taken = 0;

	fill(7, "");
	limits.bundles = 3;
	for (size_t i = 0; i < 3; i++) {
		pull(&pulled, &limits);
		taken += pulled.bundles;
		cr_expect(eq(sz, pulled.left, i == 0 ? 4 : i == 1 ? 1 : 0));
	}
	cr_expect(eq(sz, taken, 7));
}

Test(exchange, takes_so_much_text_and_goes_on_with_the_next_pull)
{
	struct pe_exchange_limits limits = PE_EXCHANGE_LIMITS;

	fill(3, "");
	limits.text_bytes = 1;
	for (size_t i = 0; i < 3; i++) {
		pull(&pulled, &limits);
		cr_expect(eq(sz, pulled.bundles, 1));
		cr_expect(eq(sz, pulled.left, 2 - i));
	}
	/* What waits is not fetched again, and stands in the way of more. */
	limits.bundles = 1;
	fill(5, "");
	cr_expect(gt(u64, pull(&pulled, &limits), 0));
	cr_expect(eq(sz, pulled.left, 1));
	limits.text_bytes = 0;
	pull(&pulled, &limits);
	cr_expect(eq(sz, pulled.bundles, 0));
	cr_expect(eq(u64, pull(&pulled, &limits), 0));
}

/* 7 of 300 kB each that no compression makes smaller, among 7 good ones: git writes 64 KiB of each at most. */
Test(exchange, refuses_a_bundle_that_is_larger_than_any_and_takes_the_others)
{
	struct pe_exchange_limits limits = PE_EXCHANGE_LIMITS;
	size_t taken = 0, refused = 0, pulls = 0;

	fill(7, "\"$(head -c 300000 /dev/urandom >../junk && echo ../junk)\"");
	limits.bundle_bytes = 64 << 10;
	limits.round_bytes = 128 << 10;
	limits.fetched_bytes = 1 << 19;
	do {
		const uint64_t fetched = pull(&pulled, &limits);

		cr_assert(le(u64, fetched, limits.fetched_bytes + limits.round_bytes));
		taken += pulled.bundles;
		refused += pulled.refused;
	} while (pulled.left > 0 && ++pulls < 20);
	cr_expect_text("7 7 0", taken, refused, pulled.left);
	cr_expect(ne(ptr,
		     (void *)strstr(pe_text_str(&fixture.notes), "is left out: it is larger than"),
		     NULL));
	cr_expect(eq(u64, pull(&pulled, &limits), 0));
	cr_expect(eq(int, count("git -C repo/.git/perfevo/exchange.git for-each-ref | wc -l"), 8));
	cr_expect(eq(int, count("find repo/.git/perfevo/exchange.git -name 'tmp_*' | wc -l"), 0));
}

/* What came and is no bundle goes from the disk, too. */
Test(exchange, keeps_nothing_of_what_it_refused)
{
	struct pe_exchange_limits limits = PE_EXCHANGE_LIMITS;

	fill(1, "\"$(head -c 300000 /dev/urandom >../junk && echo ../junk)\"");
	limits.bundle_bytes = limits.round_bytes = 400000;
	limits.fetched_bytes = 500000;
	pull(&pulled, &limits);
	cr_expect(eq(sz, pulled.refused, 1));
	cr_expect(eq(int, count("git -C repo/.git/perfevo/exchange.git for-each-ref | wc -l"), 2));
	cr_expect(gt(int, count("du -sk repo/.git/perfevo/exchange.git"), 300));
	limits.bundle_bytes = 100000;
	fill(2, "\"$(head -c 90000 /dev/urandom >../junk && echo ../junk)\"");
	pull(&pulled, &limits);
	cr_expect(eq(sz, pulled.refused, 2));
	cr_expect(lt(int, count("du -sk repo/.git/perfevo/exchange.git"), 300));
}

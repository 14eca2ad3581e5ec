/*
 * Exchange: which bundles of the remote git fetches. Anyone who may push there decides their number and size, so their
 * names are listed first, and new ones are fetched by name, some at once. git has no limit for a fetch: a limit on the
 * size of files stops it, and the bundles of that round are fetched in smaller groups, until the one that is too large is
 * alone. It is refused, and the others are fetched.
 */
#include "app/jobs/exchange_internal.h"

#include "app/keygen.h"
#include "core/base/files.h"
#include "core/base/vec.h"

#include <string.h>
#include <unistd.h>

enum {
	ROUND_MOST = 1024, /* names in one call of git: 128 KiB of arguments */
	ROUND_STEP = 16,   /* a round that was too large is divided by this */
	LISTED_BYTES = 128 << 20,
	NAME = PE_OID_HEX - 1,
};

struct fetching {
	struct pe_exchange *exchange;
	struct pe_exchange_sum *sum;
	const char *what; /* "fetching from 'origin'" */
	PE_VEC(const char *) wanted;
};

/* --- What there is --- */

/* Lines of an object's id, a tab and a ref. Refs with other names are no bundles, and are not even fetched. */
static int choose(struct fetching *fetching, const char *lines, size_t room)
{
	static const size_t prefix = sizeof(PE_BUNDLE_REFS) - 1;
	struct pe_exchange *exchange = fetching->exchange;
	struct pe_arena *arena = exchange->app->arena;
	char name[PE_OID_HEX];

	for (const char *line = lines, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
		const char *ref = memchr(line, '\t', (size_t)(end - line));
		bool due = false;

		if (ref == NULL || (size_t)(end - ++ref) != prefix + NAME)
			continue;
		memcpy(name, ref + prefix, NAME);
		name[NAME] = '\0';
		if (!pe_bundles_is_name(name))
			continue;
		PE_TRY(pe_exchange_is_due(&due, exchange, name));
		if (!due || pe_bundles_has(exchange->bundles, name))
			continue;
		if (fetching->wanted.n < room)
			pe_vec_push(&fetching->wanted, pe_arena_strdup(arena, name));
		else
			fetching->sum->left++;
	}
	return PE_OK;
}

/* Those that are here and were not taken in yet stand in the way of more. */
static int count_due(size_t *out, struct pe_exchange *exchange)
{
	struct pe_app *app = exchange->app;
	const char **names;
	size_t n;

	*out = 0;
	PE_TRY(pe_bundles_list(&names, &n, exchange->bundles, app->arena, app->err));
	for (size_t i = 0; i < n; i++) {
		bool due;

		PE_TRY(pe_exchange_is_due(&due, exchange, names[i]));
		*out += due;
	}
	return PE_OK;
}

static int look(struct fetching *fetching)
{
	struct pe_exchange *exchange = fetching->exchange;
	const char *const argv[] = {
		"git",     "-C", pe_git_base_dir(exchange->app), "ls-remote",
		"--quiet", "--", exchange->remote.fetch_url,     PE_BUNDLE_REFS "*",
		NULL};
	pe_auto_text lines = PE_TEXT_INIT;
	struct pe_git_call call;
	size_t due;

	call = pe_exchange_call(exchange, argv, fetching->what, &lines);
	call.output_bytes = LISTED_BYTES;
	PE_TRY(pe_git_call(exchange->app, &call));
	PE_TRY(count_due(&due, exchange));
	return choose(fetching, pe_text_str(&lines),
		      due < exchange->limits.bundles ? exchange->limits.bundles - due : 0);
}

/* --- Rounds --- */

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Fetch n bundles. One pack comes, whatever is in it: the size of what is unpacked is not limited. */
static int call_git(struct fetching *fetching, const char *const *names, size_t n, uint64_t most,
		    int messages)
{
	static const char *const begin[] = {"-c",        "fetch.unpackLimit=1",
					    "-c",        "core.bigFileThreshold=1m",
					    "-c",        "gc.auto=0",
					    "fetch",     "--quiet",
					    "--no-tags", "--no-write-fetch-head",
					    "--"};
	struct pe_exchange *exchange = fetching->exchange;
	pe_auto_arena scratch = PE_ARENA_INIT;
	pe_auto_text ignored = PE_TEXT_INIT;
	pe_auto_free PE_VEC(const char *) argv = {NULL, 0, 0};
	struct pe_git_call call;

	pe_vec_push(&argv, "git");
	pe_vec_push(&argv, "-C");
	pe_vec_push(&argv, pe_git_base_dir(exchange->app));
	for (size_t i = 0; i < sizeof(begin) / sizeof(*begin); i++)
		pe_vec_push(&argv, begin[i]);
	pe_vec_push(&argv, exchange->remote.fetch_url);
	for (size_t i = 0; i < n; i++)
		pe_vec_push(&argv,
			    pe_arena_printf(&scratch, "+" PE_BUNDLE_REFS "%s:" PE_BUNDLE_REFS "%s",
					    names[i], names[i]));
	pe_vec_push(&argv, NULL);
	call = pe_exchange_call(exchange, argv.data, fetching->what, &ignored);
	call.messages = messages;
	call.file_bytes = most;
	return pe_git_call(exchange->app, &call);
}

/*
 * Fetch n bundles. git's messages are shown when it failed for another reason than the size.
 *
 * @param too_large  set, with PE_OK: nothing came, for the pack would grow beyond the limit
 */
static int fetch(bool *too_large, struct fetching *fetching, const char *const *names, size_t n)
{
	struct pe_exchange *exchange = fetching->exchange;
	const struct pe_exchange_limits *limits = &exchange->limits;
	const uint64_t most = least(limits->round_bytes, n * limits->bundle_bytes);
	struct pe_bundles_size before, after;
	pe_auto_text said = PE_TEXT_INIT;
	pe_auto_fd messages = -1;
	int rc;

	PE_TRY(pe_keygen_file(&messages, "", exchange->app->err));
	pe_bundles_measure(&before, exchange->bundles);
	rc = call_git(fetching, names, n, most, messages);
	pe_bundles_measure(&after, exchange->bundles);
	*too_large = rc == PE_EVCS && after.unfinished >= most;
	if (!*too_large && lseek(messages, 0, SEEK_SET) == 0 &&
	    pe_text_read_fd(&said, messages) == 0)
		pe_text_write_fd(&said, STDERR_FILENO);
	exchange->fetched += after.unfinished;
	if (after.packs > before.packs)
		exchange->fetched += after.packs - before.packs;
	return *too_large ? PE_OK : rc;
}

static int refuse(struct fetching *fetching, const char *name)
{
	struct pe_exchange *exchange = fetching->exchange;
	struct pe_app *app = exchange->app;

	pe_fail(app->err, PE_EINVALID, "it is larger than %llu MiB",
		(unsigned long long)(exchange->limits.bundle_bytes >> 20));
	return pe_exchange_refuse(fetching->sum, exchange, name);
}

static int fetch_all(struct fetching *fetching)
{
	const struct pe_exchange_limits *limits = &fetching->exchange->limits;
	const struct pe_app *app = fetching->exchange->app;
	size_t i = 0, round = ROUND_MOST;

	while (i < fetching->wanted.n && fetching->exchange->fetched < limits->fetched_bytes) {
		const size_t left = fetching->wanted.n - i, n = round < left ? round : left;
		bool too_large;

		if (*app->interrupts > 0)
			return pe_exchange_stopped(app);
		PE_TRY(fetch(&too_large, fetching, fetching->wanted.data + i, n));
		if (too_large && n == 1) {
			PE_TRY(refuse(fetching, fetching->wanted.data[i++]));
		} else if (too_large) {
			round = n > ROUND_STEP ? n / ROUND_STEP : 1;
		} else {
			i += n;
			round = least(round * ROUND_STEP, ROUND_MOST);
		}
	}
	fetching->sum->left += fetching->wanted.n - i;
	return PE_OK;
}

/* --- After the pull --- */

/* No other process works in there. Refused bundles are removed at once where they are large. */
int pe_exchange_tidy(const struct pe_exchange_sum *sum, struct pe_exchange *exchange)
{
	const bool junk = sum->refused > 0 && exchange->fetched > exchange->limits.bundle_bytes;
	const char *const argv[] = {"git",     "-c",          "gc.autoDetach=false",  "gc",
				    "--quiet", "--prune=now", junk ? NULL : "--auto", NULL};
	pe_auto_text ignored = PE_TEXT_INIT;
	const struct pe_git_call call = pe_exchange_call(exchange, argv, "tidying up", &ignored);

	return exchange->fetched > 0 ? pe_git_call(exchange->app, &call) : PE_OK;
}

int pe_exchange_receive(struct pe_exchange_sum *out, struct pe_exchange *exchange)
{
	struct fetching fetching = {
		.exchange = exchange,
		.sum = out,
		.what = pe_arena_printf(exchange->app->arena, "fetching from '%s'",
					exchange->remote.name),
	};
	int rc;

	*out = (struct pe_exchange_sum){0};
	rc = look(&fetching);
	if (rc == PE_OK)
		rc = fetch_all(&fetching);
	pe_vec_release(&fetching.wanted);
	return rc;
}

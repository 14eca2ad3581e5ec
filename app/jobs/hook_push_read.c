/*
 * What is pushed: git says on standard input which references it is about to set, and to what (hooks/push.h); what is
 * new of each begins where the other side's history was left.
 */
#include "app/jobs/hook_push.h"

#include "hooks/push.h"
#include "vcs/hooked.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int read_input(struct pe_text *out, struct pe_err *err)
{
	char bytes[4096];
	ssize_t n;

	while ((n = read(STDIN_FILENO, bytes, sizeof(bytes))) != 0) {
		if (n < 0 && errno != EINTR)
			return pe_fail_errno(err, "cannot read what is pushed");
		if (n > 0)
			pe_text_addn(out, bytes, (size_t)n);
	}
	/* pre-commit reads git's lines itself, and hands on what it made of them. */
	if (out->len == 0 && getenv("PRE_COMMIT_TO_REF") != NULL) {
		const char *from = getenv("PRE_COMMIT_FROM_REF");

		pe_text_addf(out, "%s %s %s %s\n", getenv("PRE_COMMIT_TO_REF"),
			     getenv("PRE_COMMIT_TO_REF"), getenv("PRE_COMMIT_TO_REF"),
			     from != NULL ? from : "0000000000000000000000000000000000000000");
	}
	return PE_OK;
}

static bool is_of_interest(const struct pe_pushed *pushed)
{
	return !pushed->deletes && strncmp(pushed->remote_ref, "refs/notes/", 11) != 0 &&
	       strncmp(pushed->remote_ref, "refs/perfevo/", 13) != 0;
}

static const char *short_ref(const char *ref)
{
	static const char *const prefixes[] = {"refs/heads/", "refs/tags/", "refs/"};

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (strncmp(ref, prefixes[i], strlen(prefixes[i])) == 0)
			return ref + strlen(prefixes[i]);
	return ref;
}

static bool has_tip(const struct pe_pushing *pushing, const char *id)
{
	for (size_t i = 0; i < pushing->commits.n; i++)
		if (strcmp(pushing->commits.data[i].tip.id, id) == 0)
			return true;
	return false;
}

/* One line. A tag of a tree has no commit, and a commit that is there already is not new. */
static int add_pushed(struct pe_pushing *pushing, const struct pe_pushed *pushed)
{
	struct pe_app *app = pushing->app;
	struct pe_pushing_commit commit = {.ref = short_ref(pushed->remote_ref)};
	char base[PE_OID_HEX];
	int rc;

	if (!is_of_interest(pushed) ||
	    pe_repo_resolve(&commit.tip, app->repo, pushed->local_oid, app->arena, NULL) != PE_OK)
		return PE_OK;
	if (has_tip(pushing, commit.tip.id))
		return PE_OK;
	rc = pe_repo_fork_point(base, app->repo, commit.tip.id,
				pushed->creates ? NULL : pushed->remote_oid, pushing->remote,
				app->err);
	if (rc != PE_OK || strcmp(base, commit.tip.id) == 0)
		return rc;
	if (base[0] == '\0') {
		pushing->unknown = true;
		return PE_OK;
	}
	rc = pe_repo_resolve(&commit.base, app->repo, base, app->arena, app->err);
	if (rc == PE_OK)
		pe_vec_push(&pushing->commits, commit);
	return rc;
}

int pe_pushing_read(struct pe_pushing *pushing)
{
	struct pe_app *app = pushing->app;
	pe_auto_text text = PE_TEXT_INIT;
	struct pe_push lines;
	int rc = read_input(&text, app->err);

	if (rc == PE_OK)
		rc = pe_push_parse(&lines, pe_text_str(&text), text.len, app->arena, app->err);
	for (size_t i = 0; rc == PE_OK && i < lines.n; i++)
		rc = add_pushed(pushing, &lines.at[i]);
	return rc;
}

#include "hooks/script.h"

#include <stdio.h>
#include <string.h>

static const char *const names[] = {
	[PE_HOOK_POST_COMMIT] = "post-commit",
	[PE_HOOK_PRE_PUSH] = "pre-push",
	[PE_HOOK_PRE_COMMIT] = "pre-commit",
};

/* The line that marks a hook as ours; it stays the same in every version. */
static const char mark[] =
	"# Written by 'perfevo hooks install'; 'perfevo hooks remove' takes it away and puts back what was here.\n";
static const char sum_mark[] = "# sum: ";
static const char before_mark[] = "# before: ";

/* The scripts, of which the first line stands above the marks. */
extern const char pe_hook_post_commit[], pe_hook_pre_push[], pe_hook_pre_commit[];

static const char *const bodies[] = {
	[PE_HOOK_POST_COMMIT] = pe_hook_post_commit,
	[PE_HOOK_PRE_PUSH] = pe_hook_pre_push,
	[PE_HOOK_PRE_COMMIT] = pe_hook_pre_commit,
};

const char *pe_hook_name(enum pe_hook hook)
{
	return names[hook];
}

int pe_hook_find(enum pe_hook *out, const char *name, struct pe_err *err)
{
	for (int i = 0; i < PE_N_HOOKS; i++) {
		if (strcmp(names[i], name) == 0) {
			*out = (enum pe_hook)i;
			return PE_OK;
		}
	}
	return pe_fail(err, PE_ENOTFOUND,
		       "there is no hook '%s' (post-commit, pre-push, pre-commit)", name);
}

/* What the rest of a script comes to: it tells an edited one from one of another version. */
static void sum_of(char hex[PE_HASH_HEX], const char *rest)
{
	struct pe_hash hash;

	pe_hash_init(&hash);
	pe_hash_string(&hash, rest);
	pe_hash_hex(&hash, hex);
}

void pe_hook_script(struct pe_text *out, enum pe_hook hook, const struct pe_hook_before *before)
{
	pe_auto_text rest = PE_TEXT_INIT;
	char sum[PE_HASH_HEX];

	if (before->hash[0] != '\0')
		pe_text_addf(&rest, "%s%s %o\n", before_mark, before->hash, before->mode);
	pe_text_add(&rest, strchr(bodies[hook], '\n') + 1);
	sum_of(sum, rest.data);
	pe_text_addf(out, "#!/bin/sh\n%s%s%s\n%s", mark, sum_mark, sum, rest.data);
}

/* Skip a mark and the hash behind it; NULL when they are not there. */
static const char *read_hash(char hex[PE_HASH_HEX], const char *at, const char *what)
{
	size_t n = strlen(what);

	if (strncmp(at, what, n) != 0 || strspn(at + n, "0123456789abcdef") != PE_HASH_HEX - 1)
		return NULL;
	memcpy(hex, at + n, PE_HASH_HEX - 1);
	hex[PE_HASH_HEX - 1] = '\0';
	return at + n + PE_HASH_HEX - 1;
}

enum pe_hook_author pe_hook_author(const char *text, struct pe_hook_before *before)
{
	const char *at = strstr(text, mark), *end;
	char noted[PE_HASH_HEX] = "", sum[PE_HASH_HEX];

	*before = (struct pe_hook_before){"", 0};
	if (at == NULL)
		return PE_HOOK_BY_OTHERS;
	at += sizeof(mark) - 1;
	end = read_hash(noted, at, sum_mark);
	if (end == NULL || *end != '\n')
		return PE_HOOK_BY_US_AND_OTHERS;
	at = end + 1;
	sum_of(sum, at);
	end = read_hash(before->hash, at, before_mark);
	if (end != NULL && sscanf(end, " %o", &before->mode) != 1)
		*before = (struct pe_hook_before){"", 0};
	return strcmp(noted, sum) == 0 ? PE_HOOK_BY_US : PE_HOOK_BY_US_AND_OTHERS;
}

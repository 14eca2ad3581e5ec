/*
 * Signatures of bundles: as git makes them of commits by ssh, but in a namespace of their own, so that no signature of a
 * commit passes for one of results. ssh-keygen does the cryptography; nothing of a bundle comes near its arguments, and
 * what it must read from a file lies in memory.
 */
#define _GNU_SOURCE
#include "app/jobs/exchange_internal.h"

#include "core/base/spawn.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define NAMESPACE "perfevo"
#define HANDED    "/proc/self/fd/3"

enum {
	OUTPUT_MOST = 64 << 10,
	DIGITS = 43, /* of a SHA-256 in base64 without padding */
};

static int in_memory(int *fd, const char *text, struct pe_err *err)
{
	const size_t n = strlen(text);

	*fd = memfd_create("perfevo", MFD_CLOEXEC);
	if (*fd < 0)
		return pe_fail_errno(err, "cannot make a file in memory");
	if (write(*fd, text, n) == (ssize_t)n && lseek(*fd, 0, SEEK_SET) == 0)
		return PE_OK;
	close(*fd);
	return pe_fail_errno(err, "cannot write to a file in memory");
}

/* Run ssh-keygen; hand: text that it finds under HANDED, or NULL; messages: where its own go, or -1. */
static int run_keygen(int *status, struct pe_text *output, const char *const *argv,
		      const char *input, const char *hand, int messages, struct pe_err *err)
{
	struct pe_spawn spawn = {.argv = argv, .in = 0, .out = 1, .err = messages, .hand = -1};
	const struct pe_spawn_io io = {.input = input,
				       .n_input = strlen(input),
				       .output = output,
				       .output_bytes = OUTPUT_MOST};
	int rc = hand != NULL ? in_memory(&spawn.hand, hand, err) : PE_OK;

	if (rc != PE_OK)
		return rc;
	rc = pe_spawn_run(status, &spawn, &io, err);
	if (spawn.hand >= 0)
		close(spawn.hand);
	return rc;
}

/* Of what a program wrote to a file in memory, the last line: it says what is wrong. */
static const char *last_line(char *out, size_t size, int fd)
{
	const ssize_t n = pread(fd, out, size - 1, 0);
	char *line = out, *rest = NULL;

	out[n > 0 ? n : 0] = '\0';
	for (char *at = strtok_r(out, "\r\n", &rest); at != NULL;
	     at = strtok_r(NULL, "\r\n", &rest))
		line = at;
	return line;
}

int pe_exchange_sign(struct pe_text *signature, const char *content, void *payload,
		     struct pe_err *err)
{
	const struct pe_exchange *exchange = payload;
	const char *key = exchange->signing_key;
	const bool literal = exchange->key_is_literal;
	const char *const argv[] = {
		"ssh-keygen",          "-Y", "sign", "-n", NAMESPACE, "-f", literal ? HANDED : key,
		literal ? "-U" : NULL, NULL};
	char said[1024];
	int status = 0, messages;
	int rc = in_memory(&messages, "", err);

	if (rc != PE_OK)
		return rc;
	rc = run_keygen(&status, signature, argv, content, literal ? key : NULL, messages, err);
	if (rc == PE_OK && (!pe_spawn_succeeded(status) || signature->len == 0))
		rc = pe_fail(
			err, PE_EINVALID,
			"the results could not be signed with '%s' (user.signingkey): %s; push with --no-sign to leave it out",
			key, last_line(said, sizeof(said), messages));
	close(messages);
	return rc;
}

int pe_exchange_origin(const char **out, const struct pe_bundle *bundle, struct pe_arena *arena,
		       struct pe_err *err)
{
	static const char *const argv[] = {
		"ssh-keygen", "-Y", "check-novalidate", "-n", NAMESPACE, "-s", HANDED, NULL};
	static const char good[] = "Good \"" NAMESPACE "\" signature with ";
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	struct pe_text output = PE_TEXT_INIT;
	const char *key;
	int status = 0, rc;

	*out = PE_UNSIGNED;
	if (bundle->signature == NULL)
		return PE_OK;
	rc = run_keygen(&status, &output, argv, bundle->content, bundle->signature, -1, err);
	if (rc == PE_OK) {
		const char *said = pe_text_str(&output);

		key = strncmp(said, good, strlen(good)) == 0 ? strstr(said, " key SHA256:") : NULL;
		if (pe_spawn_succeeded(status) && key != NULL && strspn(key + 12, digits) == DIGITS)
			*out = pe_arena_strndup(arena, key + 5, 7 + DIGITS);
		else
			rc = pe_fail(err, PE_EINVALID, "its signature does not hold");
	}
	pe_text_release(&output);
	return rc;
}

/*
 * Signatures of bundles: as git makes them of commits by ssh, but in a namespace of their own, so that no signature of a
 * commit passes for one of results. ssh-keygen does the cryptography (app/keygen.h).
 */
#include "app/jobs/exchange_internal.h"

#include "app/keygen.h"
#include "core/base/base64.h"
#include "core/base/files.h"
#include "core/base/spawn.h"

#include <string.h>
#include <unistd.h>

#define NAMESPACE "perfevo"
#define HANDED    PE_KEYGEN_HANDED
#define MAGIC     "SSHSIG" /* of PROTOCOL.sshsig */

enum {
	DIGITS = 43, /* of a SHA-256 in base64 without padding */
};

/* The last line that a program wrote to a file in memory: its error message. */
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
	pe_auto_fd messages = -1;
	int status = 0;

	PE_TRY(pe_keygen_file(&messages, "", err));
	PE_TRY(pe_keygen_run(&status, signature, argv, content, literal ? key : NULL, messages,
			     err));
	if (!pe_spawn_succeeded(status) || signature->len == 0)
		return pe_fail(
			err, PE_EINVALID,
			"the results could not be signed with '%s' (user.signingkey): %s; push with --no-sign to leave it out",
			key, last_line(said, sizeof(said), messages));
	return PE_OK;
}

/* --- Who signed --- */

/* A string of ssh's wire format (RFC 4251, section 5), and on to what follows; NULL: it does not end within n. */
static const uint8_t *read_string(const uint8_t **at, size_t *n, size_t *length)
{
	const uint8_t *bytes = *at;

	if (*n < 4)
		return NULL;
	*length =
		(size_t)bytes[0] << 24 | (size_t)bytes[1] << 16 | (size_t)bytes[2] << 8 | bytes[3];
	if (*length > *n - 4)
		return NULL;
	*at += 4 + *length;
	*n -= 4 + *length;
	return bytes + 4;
}

/* The bytes of an armoured signature, in the arena; NULL: it is none. */
static const uint8_t *without_armour(size_t *n, const char *armoured, struct pe_arena *arena)
{
	static const char head[] = "-----BEGIN SSH SIGNATURE-----";
	const char *at =
		strncmp(armoured, head, sizeof(head) - 1) == 0 ? armoured + sizeof(head) - 1 : NULL;
	const char *end = at != NULL ? strstr(at, "-----END SSH SIGNATURE-----") : NULL;
	size_t n_digits = 0;
	uint8_t *bytes;
	char *digits;

	if (end == NULL)
		return NULL;
	digits = pe_arena_new(arena, char, (size_t)(end - at));
	bytes = pe_arena_new(arena, uint8_t, (size_t)(end - at));
	for (; at < end; at++)
		if (*at != '\n' && *at != '\r')
			digits[n_digits++] = *at;
	return pe_base64_read(bytes, n, digits, n_digits) ? bytes : NULL;
}

/*
 * The key in a signature, as a line of a file of public keys: MAGIC, a version in four bytes, and the key, which begins
 * with its type. NULL: malformed. It is only claimed until has_fingerprint() has checked it.
 */
static const char *signing_key(const char *armoured, struct pe_arena *arena)
{
	static const char kind[] = "abcdefghijklmnopqrstuvwxyz0123456789-@.";
	const size_t before = sizeof(MAGIC) - 1 + 4;
	pe_auto_text line = PE_TEXT_INIT;
	size_t n = 0, n_key, n_type;
	const uint8_t *at = without_armour(&n, armoured, arena), *key, *type;
	const char *name;

	if (at == NULL || n < before || memcmp(at, MAGIC, sizeof(MAGIC) - 1) != 0)
		return NULL;
	at += before;
	n -= before;
	key = read_string(&at, &n, &n_key);
	if (key == NULL)
		return NULL;
	at = key;
	n = n_key;
	type = read_string(&at, &n, &n_type);
	if (type == NULL || n_type == 0)
		return NULL;
	name = pe_arena_strndup(arena, (const char *)type, n_type);
	if (strspn(name, kind) != n_type)
		return NULL;
	pe_text_addf(&line, "%s ", name);
	pe_base64_add(&line, key, n_key);
	return pe_arena_strdup(arena, pe_text_str(&line));
}

/* Two readers of one signature must not see two keys in it: one could be revoked, and the other not. */
static bool has_fingerprint(const char *public_key, const char *fingerprint)
{
	static const char *const argv[] = {"ssh-keygen", "-l", "-E", "sha256", "-f", HANDED, NULL};
	pe_auto_text said = PE_TEXT_INIT;
	const char *is;
	int status = 0;

	if (pe_keygen_run(&status, &said, argv, "", public_key, -1, NULL) != PE_OK ||
	    !pe_spawn_succeeded(status))
		return false;
	is = strchr(pe_text_str(&said), ' ');
	return is != NULL && strncmp(is + 1, fingerprint, strlen(fingerprint)) == 0 &&
	       is[1 + strlen(fingerprint)] == ' ';
}

/* The fingerprint that ssh-keygen names for a signature that holds. */
static int check_signature(const char **out, const struct pe_bundle *bundle, struct pe_arena *arena,
			   struct pe_err *err)
{
	static const char *const argv[] = {
		"ssh-keygen", "-Y", "check-novalidate", "-n", NAMESPACE, "-s", HANDED, NULL};
	static const char good[] = "Good \"" NAMESPACE "\" signature with ";
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	pe_auto_text output = PE_TEXT_INIT;
	const char *said, *key;
	int status = 0;

	PE_TRY(pe_keygen_run(&status, &output, argv, bundle->content, bundle->signature, -1, err));
	said = pe_text_str(&output);
	key = strncmp(said, good, strlen(good)) == 0 ? strstr(said, " key SHA256:") : NULL;
	if (!pe_spawn_succeeded(status) || key == NULL || strspn(key + 12, digits) != DIGITS)
		return pe_fail(err, PE_EINVALID, "its signature does not hold");
	*out = pe_arena_strndup(arena, key + 5, 7 + DIGITS);
	return PE_OK;
}

int pe_exchange_origin(struct pe_bundle_origin *out, const struct pe_bundle *bundle,
		       const struct pe_app *app, struct pe_arena *arena)
{
	bool revoked;

	*out = (struct pe_bundle_origin){.name = PE_UNSIGNED};
	if (bundle->signature == NULL)
		return PE_OK;
	PE_TRY(check_signature(&out->name, bundle, arena, app->err));
	out->public_key = signing_key(bundle->signature, arena);
	if (out->public_key == NULL || !has_fingerprint(out->public_key, out->name))
		return pe_fail(app->err, PE_EINVALID, "its signature does not hold");
	PE_TRY(pe_keygen_is_revoked(&revoked, app, out->public_key, app->err));
	if (revoked)
		return pe_fail(app->err, PE_EINVALID,
			       "the key that signed it, %s, is revoked (gpg.ssh.revocationFile)",
			       out->name);
	return PE_OK;
}

#include "app/keygen.h"

#include "core/base/files.h"
#include "core/base/spawn.h"
#include "vcs/bundles.h"

#include <string.h>

#define KRL_MAGIC "SSHKRL\n" /* of PROTOCOL.krl, with its terminator */

enum { OUTPUT_MOST = 64 << 10 };

int pe_keygen_file(int *fd, const char *text, struct pe_err *err)
{
	*fd = pe_files_open_memory(text, strlen(text));
	return *fd >= 0 ? PE_OK : pe_fail_errno(err, "cannot make a file in memory");
}

int pe_keygen_run(int *status, struct pe_text *output, const char *const *argv, const char *input,
		  const char *hand, int messages, struct pe_err *err)
{
	struct pe_spawn spawn = {.argv = argv, .in = 0, .out = 1, .err = messages, .hand = -1};
	const struct pe_spawn_io io = {.input = input,
				       .n_input = strlen(input),
				       .output = output,
				       .output_bytes = OUTPUT_MOST};
	pe_auto_fd file = -1;

	if (hand != NULL)
		PE_TRY(pe_keygen_file(&file, hand, err));
	spawn.hand = file;
	return pe_spawn_run(status, &spawn, &io, err);
}

/* --- Revoked keys --- */

/* A list of public keys: the base64 of ours is a word of a line. Equal keys have equal digits. */
static bool lists(const char *keys, const char *digits)
{
	static const char blank[] = " \t\r\n";

	for (const char *at = keys + strspn(keys, blank); *at != '\0'; at += strspn(at, blank)) {
		const size_t n = strcspn(at, blank);

		if (*at == '#') {
			at += strcspn(at, "\n");
			continue;
		}
		if (n == strlen(digits) && memcmp(at, digits, n) == 0)
			return true;
		at += n;
	}
	return false;
}

/* The status alone does not tell a revoked key from a list that cannot be read. */
static int ask_list(bool *out, const char *list, const char *public_key, struct pe_err *err)
{
	const char *const argv[] = {"ssh-keygen", "-Q", "-f", list, PE_KEYGEN_HANDED, NULL};
	pe_auto_text said = PE_TEXT_INIT;
	int status = 0;

	PE_TRY(pe_keygen_run(&status, &said, argv, "", public_key, -1, err));
	*out = !pe_spawn_succeeded(status);
	if (*out && strstr(pe_text_str(&said), ": REVOKED\n") == NULL)
		return pe_fail(err, PE_ENOTFOUND,
			       "ssh-keygen cannot read %s, the list of revoked keys "
			       "(gpg.ssh.revocationFile)",
			       list);
	return PE_OK;
}

int pe_keygen_is_revoked(bool *out, const struct pe_app *app, const char *public_key,
			 struct pe_err *err)
{
	const char *list = pe_repo_revocations(app->repo, app->arena);
	const char *digits = strchr(public_key, ' ');
	pe_auto_text keys = PE_TEXT_INIT;

	*out = false;
	if (list == NULL)
		return PE_OK;
	if (digits == NULL || pe_text_read_file(&keys, list, NULL) != PE_OK)
		return pe_fail(err, PE_ENOTFOUND,
			       "cannot read %s, the list of revoked keys (gpg.ssh.revocationFile)",
			       list);
	if (keys.len >= sizeof(KRL_MAGIC) && memcmp(keys.data, KRL_MAGIC, sizeof(KRL_MAGIC)) == 0)
		return ask_list(out, list, public_key, err);
	*out = lists(pe_text_str(&keys), digits + 1);
	return PE_OK;
}

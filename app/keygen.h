/*
 * Keygen: ssh-keygen, called for keys and signatures as git calls it: files for it to read are in memory, and foreign text
 * is never among its arguments.
 */
#pragma once

#include "app/app.h"
#include "core/base/text.h"

/** Where ssh-keygen finds what it is handed. */
#define PE_KEYGEN_HANDED "/proc/self/fd/3"

/**
 * Make a file in memory.
 *
 * @param fd  at the beginning of the text; the caller's to close
 */
int pe_keygen_file(int *fd, const char *text, struct pe_err *err);

/**
 * Run ssh-keygen to its end.
 *
 * @param status    as of waitpid(2)
 * @param output    at most 64 KiB of its output are added
 * @param input     to its standard input
 * @param hand      text that it finds under PE_KEYGEN_HANDED; NULL: none
 * @param messages  descriptor for its error messages; -1: none
 * @return          PE_ENOTFOUND without ssh-keygen, PE_ESYS
 */
int pe_keygen_run(int *status, struct pe_text *output, const char *const *argv, const char *input,
		  const char *hand, int messages, struct pe_err *err);

/**
 * Whether a key is on git's list of revoked keys: gpg.ssh.revocationFile, a KRL of ssh's or public keys, one a
 * line.
 *
 * @param public_key  as in a file of ssh's: type and base64, from pe_keygen_run() or the store
 * @return            PE_ENOTFOUND when it cannot be checked: the list cannot be read, or there is no ssh-keygen
 */
int pe_keygen_is_revoked(bool *out, const struct pe_app *app, const char *public_key,
			 struct pe_err *err);

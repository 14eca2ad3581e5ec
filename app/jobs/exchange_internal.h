/* Exchange: shared by its own files alone. */
#pragma once

#include "app/git.h"
#include "app/jobs/exchange.h"

/** A call of git in the exchange's repository, with the user's way of getting to the server. @param output  is added to */
struct pe_git_call pe_exchange_call(const struct pe_exchange *exchange, const char *const *argv,
				    const char *what, struct pe_text *output);

/**
 * Whether there is something in a bundle that was not taken in, and may be now.
 *
 * @param name  of 40 hexadecimal digits
 */
int pe_exchange_is_due(bool *out, struct pe_exchange *exchange, const char *name);

/** PE_ESTOPPED with its sentence: a pull that was interrupted. */
int pe_exchange_stopped(const struct pe_app *app);

/** Let git tidy up after bundles were fetched. */
int pe_exchange_tidy(const struct pe_exchange_sum *sum, struct pe_exchange *exchange);

/** Refuse a bundle, with the reason of the application's err; the first few are named. It is skipped from now on. */
int pe_exchange_refuse(struct pe_exchange_sum *out, struct pe_exchange *exchange, const char *name);

/** Sign with the key of an exchange, which is the payload: a pe_bundle_sign_fn. */
int pe_exchange_sign(struct pe_text *signature, const char *content, void *payload,
		     struct pe_err *err);

/** Whose a bundle is. Whether that key is trusted is another question (`trust:`). */
struct pe_bundle_origin {
	const char
		*name; /**< fingerprint of the key that signed it ("SHA256:..."), or PE_UNSIGNED */
	const char *public_key; /**< type and base64; NULL: unsigned */
};

/**
 * Find the signer of a bundle; the answer in the arena.
 *
 * @return  PE_EINVALID when its signature is invalid or its key is revoked; PE_ENOTFOUND when neither can be checked:
 *          without ssh-keygen, or with a list of revoked keys that cannot be read
 */
int pe_exchange_origin(struct pe_bundle_origin *out, const struct pe_bundle *bundle,
		       const struct pe_app *app, struct pe_arena *arena);

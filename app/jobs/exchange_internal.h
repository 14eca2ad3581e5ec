/* Exchange: what its files share; nobody else includes it. */
#ifndef PE_APP_JOBS_EXCHANGE_INTERNAL_H
#define PE_APP_JOBS_EXCHANGE_INTERNAL_H

#include "app/jobs/exchange.h"

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
 * Look who signed a bundle; the answer in the arena.
 *
 * @return  PE_EINVALID when its signature does not hold or its key is revoked; PE_ENOTFOUND when nobody can tell:
 *          without ssh-keygen, or with a list of revoked keys that cannot be read
 */
int pe_exchange_origin(struct pe_bundle_origin *out, const struct pe_bundle *bundle,
		       const struct pe_app *app, struct pe_arena *arena);

#endif

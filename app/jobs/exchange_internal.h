/* Exchange: what its files share; nobody else includes it. */
#ifndef PE_APP_JOBS_EXCHANGE_INTERNAL_H
#define PE_APP_JOBS_EXCHANGE_INTERNAL_H

#include "app/jobs/exchange.h"

/** Sign with the key of an exchange, which is the payload: a pe_bundle_sign_fn. */
int pe_exchange_sign(struct pe_text *signature, const char *content, void *payload,
		     struct pe_err *err);

/**
 * Whose a bundle is: the fingerprint of the key that signed it ("SHA256:..."), or PE_UNSIGNED. Whether that key is
 * trusted is another question (`trust:`).
 *
 * @return  PE_EINVALID when it has a signature that does not hold; PE_ENOTFOUND without ssh-keygen
 */
int pe_exchange_origin(const char **out, const struct pe_bundle *bundle, struct pe_arena *arena,
		       struct pe_err *err);

#endif

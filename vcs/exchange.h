/*
 * Exchange: results on their way between stores, as git objects. They lie in a bare repository of perfevo's own
 * beside the user's, GIT_DIR/perfevo/exchange.git, so that nothing of the user's is touched; on a server they
 * lie under refs/perfevo/results/.
 *
 * A bundle is one set of parcels that was sent together: a commit without parents whose tree holds a blob a
 * parcel. Its ref is named by that tree, so two bundles of one name are one bundle, and pushing never has to
 * replace anything.
 */
#ifndef PE_VCS_EXCHANGE_H
#define PE_VCS_EXCHANGE_H

#include "core/base/text.h"
#include "vcs/repo.h"

#define PE_EXCHANGE_REFS "refs/perfevo/results/"

struct pe_exchange;

/**
 * Open it, making it where it is not there yet.
 *
 * @param repo  of the user; borrowed while it is open
 * @return      PE_ESYS, PE_EFULL or PE_EVCS with the path
 */
int pe_exchange_open(struct pe_exchange **out, struct pe_repo *repo, struct pe_err *err);
void pe_exchange_close(struct pe_exchange *exchange);

/** Path of the bare repository. Borrowed. */
const char *pe_exchange_dir(const struct pe_exchange *exchange);

/** Put a parcel's text into the bundle that is being made. */
int pe_exchange_add(struct pe_exchange *exchange, const struct pe_text *parcel, struct pe_err *err);

/**
 * End the bundle. Without a parcel in it nothing happens.
 *
 * @param time_s  of its commit: the time of what is in it, so that equal bundles are the same object
 * @param name    set to its name (40 hexadecimal digits); "" for none
 */
int pe_exchange_seal(char name[PE_OID_HEX], struct pe_exchange *exchange, int64_t time_s,
		     struct pe_err *err);

/** Names of all bundles that are here, ascending; in the arena. */
int pe_exchange_bundles(const char ***out, size_t *n, struct pe_exchange *exchange,
			struct pe_arena *arena, struct pe_err *err);

/** Called with each parcel of a bundle; a value other than 0 ends the walk and is returned. */
typedef int (*pe_exchange_fn)(const char *parcel, size_t n, void *payload);

/** Read a bundle. PE_EINVALID when it is not built like one, or a parcel has more than `most` bytes. */
int pe_exchange_read(struct pe_exchange *exchange, const char *name, size_t most, pe_exchange_fn fn,
		     void *payload, struct pe_err *err);

/**
 * Where a remote of the user's repository is, and how it is reached: its addresses as git would use them, and
 * the settings of the user's repository that decide how to get there (credentials, proxies, ssh).
 */
struct pe_remote {
	const char *name;
	const char *fetch_url, *push_url;
	struct pe_remote_setting {
		const char *key, *value;
	} * settings;
	size_t n_settings;
};

/**
 * Look a remote up, in the arena.
 *
 * @param name  NULL: that of the current branch's upstream, else "origin", else the only one
 * @return      PE_ENOTFOUND with the remotes that there are
 */
int pe_remote_find(struct pe_remote *out, struct pe_repo *repo, const char *name,
		   struct pe_arena *arena, struct pe_err *err);

#endif

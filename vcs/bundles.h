/*
 * Exchange: results on their way between stores, as git objects. They are kept in a bare repository of perfevo's own
 * next to the user's, GIT_DIR/perfevo/exchange.git, so that nothing of the user's is touched; on a server they
 * are under refs/perfevo/results/.
 *
 * A bundle is one set of documents that was sent together: a commit without parents whose tree holds a blob a document of
 * results. Its ref is named by that tree, so two bundles of one name are one bundle, and pushing never has to
 * replace anything.
 */
#pragma once

#include "core/base/text.h"
#include "vcs/repo.h"

#define PE_BUNDLE_REFS "refs/perfevo/results/"

struct pe_bundles;

/**
 * Open it, making it where it is not there yet.
 *
 * @param repo  of the user; borrowed while it is open
 * @return      PE_ESYS, PE_EFULL or PE_EVCS with the path
 */
int pe_bundles_open(struct pe_bundles **out, struct pe_repo *repo, struct pe_err *err);
/** Free it; documents that were added and put into no bundle are lost. NULL is allowed. */
void pe_bundles_close(struct pe_bundles *bundles);

/** Path of the bare repository. Borrowed. */
const char *pe_bundles_dir(const struct pe_bundles *bundles);

/** Put a document into the bundle that is being made. */
int pe_bundles_add(struct pe_bundles *bundles, const struct pe_text *document, struct pe_err *err);

/**
 * Sign the content of a bundle's commit: what a signature covers, down to each byte of its documents.
 *
 * @param signature  the armoured signature is added to it
 */
typedef int (*pe_bundle_sign_fn)(struct pe_text *signature, const char *content, void *payload,
				 struct pe_err *err);

/**
 * End the bundle. Without a document in it nothing happens.
 *
 * @param time_s  of its commit: the time of what is in it, so that equal bundles are the same object
 * @param sign    NULL: it is not signed
 * @param name    set to its name (40 hexadecimal digits); "" for none
 */
int pe_bundles_seal(char name[PE_OID_HEX], struct pe_bundles *bundles, int64_t time_s,
		    pe_bundle_sign_fn sign, void *payload, struct pe_err *err);

/** Whether a ref below PE_BUNDLE_REFS has the name of a bundle: 40 hexadecimal digits. */
bool pe_bundles_is_name(const char *name);

/** Names of all bundles that are here, ascending; in the arena. Refs that have no such name are passed over. */
int pe_bundles_list(const char ***out, size_t *n, struct pe_bundles *bundles,
		    struct pe_arena *arena, struct pe_err *err);

/** Whether a bundle of that name is here. */
bool pe_bundles_has(struct pe_bundles *bundles, const char *name);

/** Remove a bundle's ref; absent is fine. Its objects go with git's own garbage collection. */
int pe_bundles_forget(struct pe_bundles *bundles, const char *name, struct pe_err *err);

/** What the packs take on disk; bytes. */
struct pe_bundles_size {
	uint64_t packs;
	uint64_t unfinished; /**< the largest one that git began to write and left */
};

/** Look at the packs, and remove the unfinished ones. */
void pe_bundles_measure(struct pe_bundles_size *out, struct pe_bundles *bundles);

/** A received bundle: its documents, whose sizes are within bounds, and the bytes that its signature covers. */
struct pe_bundle {
	const char *signature; /**< armoured; NULL: none */
	const char *content;   /**< of the commit without it */
	struct pe_bundle_document {
		char id[PE_OID_HEX];
		size_t size;
	} * documents;
	size_t n;
};

/**
 * Look at a bundle without inflating any document.
 *
 * @param most  bytes of all its documents
 * @return      PE_EINVALID when it is not built like one, its name is not that of its tree, or it is larger
 */
int pe_bundles_look(struct pe_bundle *out, struct pe_bundles *bundles, const char *name,
		    size_t most, struct pe_arena *arena, struct pe_err *err);

/** Read a document; in the arena, terminated. */
int pe_bundles_read(const char **out, struct pe_bundles *bundles,
		    const struct pe_bundle_document *document, struct pe_arena *arena,
		    struct pe_err *err);

/**
 * The key that git signs with, by ssh, for this user: gpg.format is ssh and user.signingkey is set.
 *
 * @param literal  set to whether it is a public key itself and not the path of a file
 * @return         NULL: none
 */
const char *pe_repo_signing_key(bool *literal, struct pe_repo *repo, struct pe_arena *arena);

/**
 * The keys that git no longer believes (gpg.ssh.revocationFile): the path of a list of ssh's; relative to the tree, as for
 * git. NULL: none is configured.
 */
const char *pe_repo_revocations(struct pe_repo *repo, struct pe_arena *arena);

/**
 * Where a remote of the user's repository is, and how it is reached: its addresses, and the file of the repository's
 * settings, which rewrite addresses and decide how to get there (credentials, proxies, ssh).
 */
struct pe_remote {
	const char *name;
	const char *fetch_url, *push_url;
	const char *config;
};

/**
 * Look a remote up, in the arena.
 *
 * @param name  NULL: that of the current branch's upstream, else "origin", else the only one
 * @return      PE_ENOTFOUND with the remotes that there are
 */
int pe_remote_find(struct pe_remote *out, struct pe_repo *repo, const char *name,
		   struct pe_arena *arena, struct pe_err *err);

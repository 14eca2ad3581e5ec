/*
 * Exchange: results on their way to other clones and from them. What leaves is packed into bundles in a git
 * repository of perfevo's own; git itself carries them, with the user's credentials.
 */
#ifndef PE_APP_JOBS_EXCHANGE_H
#define PE_APP_JOBS_EXCHANGE_H

#include "app/app.h"
#include "store/exchange.h"
#include "vcs/bundles.h"

struct pe_exchange {
	struct pe_app *app;
	struct pe_bundles *bundles;
	struct pe_remote remote;
	const char *
		signing_key; /**< git's own (user.signingkey, where gpg.format is ssh); NULL: none */
	bool key_is_literal; /**< it is a public key itself, whose other half an agent has */
	bool no_profiles;    /**< they stay here, for a push that does not say so */
};

/**
 * Open the exchange and look the remote up; end with pe_exchange_close().
 *
 * @param remote  name; NULL: that of the current branch's upstream, else "origin"
 */
int pe_exchange_open(struct pe_exchange *out, struct pe_app *app, const char *remote);

/** Close the exchange; the application stays open. */
void pe_exchange_close(struct pe_exchange *exchange);

/** What was packed or taken in. */
struct pe_exchange_sum {
	size_t bundles;
	struct pe_results_sum rows; /**< failed builds, cells reused, settled suspects among them */
	size_t refused;   /**< bundles that could not be taken in; there is a note on each */
	size_t waiting;   /**< bundles with rows of commits that are not here */
	size_t too_large; /**< profiles that no bundle has room for: they stay */
	size_t own;       /**< documents of a machine that is measured on here: left out */
};

/**
 * Pack all that has not left yet into bundles of the exchange. What is packed counts as gone: it travels with
 * this push or with the next.
 */
int pe_exchange_pack(struct pe_exchange_sum *out, struct pe_exchange *exchange);

/** Count what pe_exchange_pack() would pack. Works on a store that is opened to read. */
int pe_exchange_count(struct pe_exchange_sum *out, struct pe_app *app, bool no_profiles);

/**
 * Take in every bundle of the exchange that was not looked at yet, or speaks of a commit that has come since, each in one
 * transaction. They are rows of machines of their own: none that was measured here changes.
 */
int pe_exchange_take_in(struct pe_exchange_sum *out, struct pe_exchange *exchange);

/**
 * Let git carry bundles to the remote. PE_EVCS when git says no; what it said is on stderr.
 *
 * @param bundles  set to the number of those that the remote did not have
 */
int pe_exchange_send(size_t *bundles, struct pe_exchange *exchange);

/** Let git fetch the bundles of the remote. PE_EVCS as above. */
int pe_exchange_receive(struct pe_exchange *exchange);

#endif

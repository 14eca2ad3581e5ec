/*
 * Exchange: results on their way to other clones and from them. What leaves is packed into bundles in a git
 * repository of perfevo's own; git itself carries them, with the user's credentials.
 */
#ifndef PE_APP_JOBS_EXCHANGE_H
#define PE_APP_JOBS_EXCHANGE_H

#include "app/app.h"
#include "vcs/exchange.h"

struct pe_share {
	struct pe_app *app;
	struct pe_exchange *exchange;
	struct pe_remote remote;
};

/**
 * Open the exchange and look the remote up; end with pe_share_close().
 *
 * @param remote  name; NULL: that of the current branch's upstream, else "origin"
 */
int pe_share_open(struct pe_share *out, struct pe_app *app, const char *remote);

/** Close the exchange; the application stays open. */
void pe_share_close(struct pe_share *share);

/** What was packed or taken in. */
struct pe_share_sum {
	size_t bundles, batches, runs;
	size_t builds, reused, confirmations; /**< failed builds, cells reused, settled suspects */
	size_t refused; /**< bundles that could not be read; there is a note on each */
};

/**
 * Pack all that has not left yet into bundles of the exchange. What is packed counts as gone: it travels with
 * this push or with the next.
 */
int pe_share_pack(struct pe_share_sum *out, struct pe_share *share);

/** Count what pe_share_pack() would pack. Works on a store that is opened to read. */
int pe_share_count(struct pe_share_sum *out, struct pe_app *app);

/** Take in every bundle of the exchange that was not looked at yet, each in one transaction. */
int pe_share_unpack(struct pe_share_sum *out, struct pe_share *share);

/**
 * Let git carry bundles to the remote. PE_EVCS when git says no; what it said is on stderr.
 *
 * @param bundles  set to the number of those that the remote did not have
 */
int pe_share_send(size_t *bundles, struct pe_share *share);

/** Let git fetch the bundles of the remote. PE_EVCS as above. */
int pe_share_receive(struct pe_share *share);

#endif

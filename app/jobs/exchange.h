/*
 * Exchange: results on their way to other clones and from them. What leaves is packed into bundles in a git
 * repository of perfevo's own; git itself carries them, with the user's credentials.
 */
#pragma once

#include "app/app.h"
#include "store/exchange.h"
#include "vcs/bundles.h"

/**
 * What one pull takes at most. The next goes on where it ended: whoever may push to the remote decides how much is there, but
 * not how long a pull takes or how far the disk fills.
 */
struct pe_exchange_limits {
	size_t bundles; /**< that are fetched, or wait to be taken in */
	uint64_t
		bundle_bytes; /**< of one, as git sends it: its text has at most PE_RESULTS_BYTES */
	uint64_t round_bytes; /**< of those that git fetches at once */
	uint64_t fetched_bytes;
	uint64_t text_bytes; /**< of the batches that are taken in, and of the findings */
};

#define PE_EXCHANGE_LIMITS                                                                         \
	((struct pe_exchange_limits){.bundles = 4096,                                              \
				     .bundle_bytes = UINT64_C(32) << 20,                           \
				     .round_bytes = UINT64_C(256) << 20,                           \
				     .fetched_bytes = UINT64_C(1) << 30,                           \
				     .text_bytes = UINT64_C(256) << 20})

/** Refused bundles of a pull that are named, each with its reason. */
enum { PE_EXCHANGE_NAMED = 20 };

struct pe_exchange {
	struct pe_app *app;
	struct pe_bundles *bundles;
	struct pe_remote remote;
	const char *
		signing_key; /**< git's own (user.signingkey, where gpg.format is ssh); NULL: none */
	bool key_is_literal; /**< it is a public key itself, whose other half an agent has */
	bool no_profiles;    /**< leave them out */
	struct pe_exchange_limits limits;
	uint64_t fetched; /**< bytes, also of what was too large */
};

/**
 * Open the exchange and look the remote up.
 *
 * @param remote  name; NULL: that of the current branch's upstream, else "origin"
 */
int pe_exchange_open(struct pe_exchange *out, struct pe_app *app, const char *remote);

/** Close the exchange; the application stays open. A zeroed one is allowed. */
void pe_exchange_close(struct pe_exchange *exchange);

#define pe_auto_exchange __attribute__((cleanup(pe_exchange_close))) struct pe_exchange

/** What was packed or taken in. */
struct pe_exchange_sum {
	size_t bundles;
	struct pe_results_sum rows; /**< failed builds, cells reused, settled suspects among them */
	size_t refused;   /**< bundles that could not be taken in; there is a note on each */
	size_t left;      /**< bundles that another pull takes */
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
 * Fetch the new bundles of the remote through git, within the limits. One that is larger than any bundle may be is refused
 * without being fetched whole. PE_EVCS when git fails; its message is on stderr.
 *
 * @param out  set: refused bundles and the remaining limits, which pe_exchange_take_in() continues
 */
int pe_exchange_receive(struct pe_exchange_sum *out, struct pe_exchange *exchange);

/**
 * Import every bundle of the exchange that is new, or that names a commit that has arrived since, each in one transaction,
 * within the limits. Their rows hang off machines of their own: none that was measured here changes. Refused bundles are
 * removed from the exchange's repository.
 */
int pe_exchange_take_in(struct pe_exchange_sum *out, struct pe_exchange *exchange);

/**
 * Push bundles to the remote through git. PE_EVCS when git fails; its message is on stderr.
 *
 * @param bundles  set to the number of those that the remote did not have
 */
int pe_exchange_send(size_t *bundles, struct pe_exchange *exchange);

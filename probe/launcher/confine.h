/*
 * Confine: a session's own namespaces, and a root folder in which commands see only the places that they were given. It is
 * mounted anew for a command that may write to other folders than the one before.
 *
 * Namespaces are entered once. The launcher that then runs is process 1 of its own process namespace and keeps the
 * machine's file tree. Commands get a root folder of their own by chroot(2): leaving it takes capabilities that they do
 * not have. So a command costs a few system calls more, outside of the time that is reported, and nothing while it
 * runs.
 */
#pragma once

#include "probe/formats/launch.h"
#include "probe/launcher/confine_mounts.h"
#include "probe/launcher/filter.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/** A place of the machine's tree, and what commands may do there. */
struct pe_confine_place {
	enum pe_wire_place kind;
	const char *path;
	const char *target; /**< of a link, else "" */
};

/** A CONFINE message. */
struct pe_confine_request {
	struct pe_wire_confine head;
	const char *root;
	struct pe_confine_place
		*places; /**< head.n of them, and behind them all strings: one block */
};

/** Owner of folders in memory and System V objects that its later commands find again. */
struct pe_confine_holder {
	uint64_t id;
	int ipc; /**< namespace; -1: there is none yet, or it cannot be held open */
};

/** Confinement of commands; all zero: none. */
struct pe_confinement {
	bool on;          /**< in namespaces */
	bool by_landlock; /**< on the machine's tree, restricted by rulesets */
	char root[PATH_MAX];
	int offline;                /**< network namespace without a network; -1: the machine's */
	uint64_t kept_capabilities; /**< mask of what a command keeps */
	struct pe_filter filter;
	char tree[PATH_MAX]; /**< mount point of the first bound folder; "": its own path */
	char bound[PE_WIRE_PLACES][PATH_MAX]; /**< folders that a command may write to; "": none */
	struct pe_confine_place *places;
	size_t n_places;
	struct pe_confine_own own;
	struct pe_confine_holder *holders; /**< by their numbers */
	size_t n_holders;
	size_t holder; /**< the current one; SIZE_MAX: it is unknown what is mounted */
	int ruleset;   /**< of the current command, or of its sockets alone; -1: none */
	/* With landlock (probe/launcher/landlock.h): */
	char tmp[PATH_MAX]; /**< the session's own folder for temporary files */
	bool without_tcp;
};

/** Parse a payload. The caller frees the places, unless a confinement has them. False: malformed, and there are none. */
bool pe_confine_parse(struct pe_confine_request *out, const char *bytes, uint32_t length);

/**
 * Go on as process 1 of new namespaces. The caller's own process stays outside, waits for the new one and exits with its
 * status; there the call returns only where the setup failed, with the reason.
 *
 * @param socket  the near end closes it in the process that stays outside
 * @return        true: in the new process, confined, which has the request's places now; false: *why has the reason, and
 *                nothing has changed
 */
bool pe_confine_enter(struct pe_confinement *out, const struct pe_confine_request *request,
		      int socket, struct pe_wire_confined *why);

/** Give errno and a sentence as the reason of a failure. @return  false */
bool pe_confine_fail(struct pe_wire_confined *why, const char *what, const char *path);

/** Make the kernel end this process and its children before others when memory is short. */
void pe_confine_prefer_to_lose(void);

/**
 * Before a command: make these folders, and no others, writable, and mount its holder's folders in memory. Other holders'
 * folders are not visible. False with errno.
 */
bool pe_confine_bind(struct pe_confinement *confinement, const char *const places[PE_WIRE_PLACES],
		     uint64_t holder, unsigned flags);

/** In the child, before chdir(2): enter the root folder and the network. Zero, or errno. */
int pe_confine_child(const struct pe_confinement *confinement, unsigned flags);

/** In the child, right before execve(2): drop all other capabilities and the ways to get them. Zero, or errno. */
int pe_confine_let_go(const struct pe_confinement *confinement, unsigned flags);

/*
 * Git: the program, not the library, connects to servers, because it has the user's settings for that: ssh and its agent,
 * credential helpers, proxies. It works in a repository of perfevo's own.
 */
#pragma once

#include "app/app.h"
#include "vcs/bundles.h"

/** A call of git. Everything is borrowed; zero is a good default. */
struct pe_git_call {
	const char *const *argv;        /**< begins with "git", NULL-terminated */
	const char *git_dir;            /**< of the repository that it works in */
	const struct pe_remote *remote; /**< of the repository whose settings it has */
	const char *what;               /**< "fetching from 'origin'" */
	struct pe_text *output;         /**< what it prints is added */
	size_t output_bytes;            /**< at most; 0: all */
	uint64_t file_bytes;            /**< as of struct pe_spawn */
	int messages;                   /**< where its messages go; 0: to standard error */
};

/** Open a file in memory for git's messages, of which it keeps 64 KiB. */
int pe_git_open_messages(int *fd, struct pe_err *err);

/** Write what is in such a file to another, with the control characters of servers made visible. */
void pe_git_pass_on(int messages, int to);

/** Run git to its end, and then pass its messages on. PE_EVCS when it fails, PE_ESTOPPED when it was interrupted. */
int pe_git_call(struct pe_app *app, const struct pe_git_call *call);

/** Addresses may be relative: to where the user's tree begins, as for git. */
const char *pe_git_base_dir(const struct pe_app *app);

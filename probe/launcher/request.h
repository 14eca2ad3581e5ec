/* Request: a parsed RUN message, and the files that it names. */
#pragma once

#include "probe/launcher/wire.h"

#include <limits.h>
#include <stdbool.h>

/** Open files of a command: stdin, stdout, stderr, and the two ends of a jobserver, or -1. */
enum { PE_REQUEST_FDS = 5 };

/** A parsed request. Its strings point into the payload, which it owns; pe_request_release() frees it. */
struct pe_request {
	struct pe_wire_run run;
	char *bytes; /**< the payload */
	const char *cwd, *input, *places[PE_WIRE_PLACES];
	char **argv, **env; /**< NULL-terminated, in one array */
	char tmpdir[PATH_MAX + sizeof("TMPDIR=")];
};

/**
 * Parse a payload.
 *
 * @param bytes  allocated; the request owns it from here on, also after a failure
 * @return       false: malformed
 */
bool pe_request_parse(struct pe_request *request, char *bytes, uint32_t length);

/**
 * Set TMPDIR, the folder for temporary files, in the environment.
 *
 * @param tmp  must last as long as the request
 */
void pe_request_set_tmp(struct pe_request *request, const char *tmp);

/** Free the payload. */
void pe_request_release(struct pe_request *request);

/**
 * Assign the files that came with the message to stdout, stderr and the jobserver. An output without a file keeps its own
 * number: the launcher's 0, 1 and 2 are /dev/null, and the command inherits them.
 *
 * @param files  those that are used become -1, and fds owns them
 * @return       false: there are fewer than the request says
 */
bool pe_request_open(const struct pe_request *request, int files[PE_WIRE_FILES],
		     int fds[PE_REQUEST_FDS]);

/** Close the files of pe_request_open(), also after it failed. */
void pe_request_close(const int fds[PE_REQUEST_FDS]);

/** Whether stdout or stderr holds more than the request allows. */
bool pe_request_output_full(const struct pe_request *request, const int fds[PE_REQUEST_FDS]);

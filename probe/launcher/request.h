/* Request: a RUN message taken apart, and the files that it names. */
#ifndef PE_LAUNCHER_REQUEST_H
#define PE_LAUNCHER_REQUEST_H

#include "probe/launcher/confine.h"
#include "probe/launcher/wire.h"

#include <limits.h>
#include <stdbool.h>

/** What a command has open: stdin, stdout, stderr, and the two ends of a jobserver, or -1. */
enum { PE_REQUEST_FDS = 5 };

/** Strings lie in the payload, which the request owns; pe_request_release() frees it. */
struct pe_request {
	struct pe_wire_run run;
	char *bytes; /**< the payload */
	const char *cwd, *input, *places[PE_WIRE_PLACES];
	char **argv, **env; /**< NULL-terminated; argv[-1] is a free slot */
	char **pointers;    /**< what both point into */
	char tmpdir[PATH_MAX + sizeof("TMPDIR=")];
};

/**
 * Take a payload apart.
 *
 * @param bytes  allocated; the request's from here on, whatever is returned
 * @return       false when it does not hold what it says
 */
bool pe_request_parse(struct pe_request *request, char *bytes, uint32_t length);

/**
 * Name the folder for temporary files in the environment.
 *
 * @param tmp  must last as long as the request
 */
void pe_request_set_tmp(struct pe_request *request, const char *tmp);

/** Free the payload. */
void pe_request_release(struct pe_request *request);

/**
 * Open stdin, and give stdout, stderr and the jobserver the files that came along. An output that has none keeps its own
 * number: the launcher's 0, 1 and 2 are /dev/null, and the command inherits them.
 *
 * @param confinement  that the command will have: what it may not read is not opened for it
 * @param files   those that are used become -1 and belong to fds
 * @param status  receives why not: as of PE_PROC_NOT_STARTED
 */
bool pe_request_open(const struct pe_request *request, const struct pe_confinement *confinement,
		     int files[PE_WIRE_FILES], int fds[PE_REQUEST_FDS], int *status);

/** Close what pe_request_open() opened, also after it failed. */
void pe_request_close(const int fds[PE_REQUEST_FDS]);

/** Whether stdout or stderr holds more than the request allows. */
bool pe_request_output_full(const struct pe_request *request, const int fds[PE_REQUEST_FDS]);

#endif

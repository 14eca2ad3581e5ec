/* Recorded: profiles in files, read so that they can be compared by time. */
#ifndef PE_CMD_RECORDED_H
#define PE_CMD_RECORDED_H

#include "cmd/cmd.h"
#include "profile/cct.h"

struct pe_recorded_opts {
	const char *format; /**< an importer's name; NULL: by content */
	/** what a sample stands for where a profile does not say; 0: 1 ms, with a note that says so */
	uint64_t sample_ns;
	bool told; /**< that note was given: once is enough */
};

/**
 * Read a profile. One that has samples and no times, such as collapsed stacks, gets times: its samples times
 * their distance.
 *
 * @return  as pe_import_file()
 */
int pe_recorded_read(struct pe_cct **out, struct pe_cmd_ctx *ctx, const char *path,
		     struct pe_recorded_opts *opts, struct pe_frames *frames);

#endif

/*
 * Path lists: files below a folder that a program opened or looked for, written by libperfevo_rt.so beside the allocation
 * records when PERFEVO_TOUCH_ROOT names the folder; with PERFEVO_TOUCH_OUTSIDE, files elsewhere, too. One file a process
 * image, named <pid>-<start>.paths like its record, made at the first entry; a process that touches nothing has none.
 *
 * A file is a sequence of entries, each written by one append. It is not mapped, as the record is: a
 * mapping has to be filled beforehand, or a full disk is a SIGBUS in the program.
 *
 * The record's flags tell whether the list is complete (PE_ALLOC_PATHS and those after it).
 */
#pragma once

#include <stdint.h>

#define PE_TOUCH_ROOT_ENV "PERFEVO_TOUCH_ROOT"
#define PE_PATHS_SUFFIX   ".paths"
/** Set: files outside of the root are listed, too. */
#define PE_TOUCH_OUTSIDE_ENV "PERFEVO_TOUCH_OUTSIDE"

/** Prefixes of named objects other than files: a System V object by its key in hex, a port of the machine or a local socket. */
#define PE_PATHS_IPC    "/dev/sysvipc/"
#define PE_PATHS_SOCKET "/dev/socket/"

/** "PTH" and the version of the format. */
#define PE_PATHS_MAGIC 0x01485450u

/** Different paths that one process and its forked children can record before the list is lost. */
enum { PE_PATHS_MAX = 24 * 1024 };

enum pe_path_kind {
	PE_PATH_READ = 'R',   /**< opened for reading, or looked for, found or not */
	PE_PATH_MADE = 'W',   /**< made or emptied: what was there before has no influence */
	PE_PATH_LISTED = 'D', /**< a folder whose entries were read */
	PE_PATH_WALKED = 'T', /**< a folder of which everything below may have been listed */
	PE_PATH_PROGRAM =
		'P', /**< the program itself, its links resolved; also outside of the root */
	PE_PATH_ADDED =
		'A', /**< opened to write behind what it holds: a READ below the root, a WROTE outside */
	/* Outside of the root: */
	PE_PATH_USED = 'O',     /**< opened for reading, or looked for, found or not */
	PE_PATH_SEARCHED = 'L', /**< a folder whose entries were read */
	PE_PATH_WROTE = 'o',    /**< made, emptied or opened to be written to alone */
};

/** The head of an entry; `size` bytes of text follow: the kind, the path and a terminator. */
struct pe_path_entry {
	uint32_t magic;
	uint32_t size;
	uint64_t
		time_ns; /**< monotonic clock, before the call: entries of all processes in order */
};

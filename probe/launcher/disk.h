/*
 * Disk: what the folder of a command takes, so that many files are bounded as one is.
 *
 * Project quotas take root and a file system that has them, so this looks: how much less is free than when the command
 * began costs one fstatvfs(2), ten times a second. Others write, too: only where so much is gone that it may be the
 * command's, the folder itself is summed up.
 */
#ifndef PE_LAUNCHER_DISK_H
#define PE_LAUNCHER_DISK_H

#include <stdbool.h>
#include <stdint.h>

/** What is watched; folder -1: nothing. */
struct pe_disk {
	int folder;
	uint64_t most_bytes;
	uint64_t most_files;
	uint64_t free_bytes, free_files; /**< when it was looked at last */
	uint64_t look_bytes, look_files; /**< with so little free, the folder is summed up */
	uint64_t scarce_bytes;           /**< with less than this the disk is full; 0: it was */
};

enum pe_disk_state {
	PE_DISK_FINE,
	PE_DISK_TAKEN, /**< the folder holds more than it may */
	PE_DISK_SCARCE, /**< less than a hundredth, and less than 1 GiB, is left for all, which was not so before */
};

/**
 * Begin to watch.
 *
 * @param path        a folder; what cannot be opened is not watched
 * @param most_bytes  of all files in it, as they lie on the disk; 0: it is not watched
 * @param most_files  with folders
 */
void pe_disk_open(struct pe_disk *out, const char *path, uint64_t most_bytes, uint64_t most_files);

/** Look once. */
enum pe_disk_state pe_disk_look(struct pe_disk *disk);

/** Welcomes one that is not open. */
void pe_disk_close(struct pe_disk *disk);

#endif

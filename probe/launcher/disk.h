/*
 * Disk: the size of a command's folder, so that many files are bounded as one is.
 *
 * Project quotas need root and a file system that has them, so the folder is watched: comparing the free space with that at
 * the command's start costs one fstatvfs(2), ten times a second. Other processes write, too: the folder itself is summed
 * up only where the space that is gone may be the command's.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/** A watched folder; folder -1: none. */
struct pe_disk {
	int folder;
	bool small; /**< summed up at every look: what others free at that moment hides nothing */
	uint64_t most_bytes;
	uint64_t most_files;
	uint64_t free_bytes, free_files; /**< at the last look */
	uint64_t look_bytes, look_files; /**< the folder is summed up when less than this is free */
	uint64_t
		scarce_bytes; /**< the disk is full when less than this is free; 0: it was so at first */
};

enum pe_disk_state {
	PE_DISK_FINE,
	PE_DISK_TAKEN, /**< the folder exceeds its bounds */
	PE_DISK_SCARCE, /**< less than a hundredth, and less than 1 GiB, of the disk is free, and more was at first */
};

/**
 * Begin to watch a folder.
 *
 * @param path        a folder; one that cannot be opened is not watched
 * @param most_bytes  bound of all files in it, as allocated on the disk; 0: not watched
 * @param most_files  bound of their number, with folders
 */
void pe_disk_open(struct pe_disk *out, const char *path, uint64_t most_bytes, uint64_t most_files);

/** Look once. */
enum pe_disk_state pe_disk_look(struct pe_disk *disk);

/** Close the folder. One that is not open is allowed. */
void pe_disk_close(struct pe_disk *disk);

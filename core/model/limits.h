/* Limits: bounds of builds and runs, from the config. */
#pragma once

#include <stdint.h>

struct pe_limits {
	uint64_t memory_bytes; /**< all processes of a command together; 0: no bound */
	uint64_t disk_bytes; /**< all files of a tree, before and after it is built; 0: no bound */
	unsigned processes;  /**< with their threads, at one time; 0: no bound */
	/** "perfevo.yml:7"; NULL: the bound is the one of `sandbox: require` */
	const char *memory_at, *processes_at;
};

/*
 * Program size: how many bytes of a program are code and data, as its file asks the system to load them. Debug information,
 * symbols and padding between the parts are no part of that, so that stripping a program does not change it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pe_program_size {
	uint64_t
		text_bytes; /**< instructions, constants, tables of the loader: what is not written to */
	uint64_t
		data_bytes; /**< variables, also those that begin as zero and take no room in the file */
};

/**
 * Read it out of the beginning of an ELF file of 64 bits, little-endian.
 *
 * @return  false: it is none, or its headers are impossible
 */
bool pe_program_size_parse(struct pe_program_size *out, const void *head, size_t n);

/** Of the file at a path. False, too: it is not a regular file, or cannot be read. */
bool pe_program_size_of(struct pe_program_size *out, const char *path);

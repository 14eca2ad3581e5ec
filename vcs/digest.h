/*
 * Digest: what bytes are, by git's own hash. pe_hash guards against edits; this one also against somebody who makes files
 * that are to pass for others (libgit2's SHA-1 refuses the known ways to make two with one hash).
 */
#pragma once

#include "core/model/revision.h"

#include <stddef.h>

/** Of n bytes; hex receives 40 digits. 0; -1 */
int pe_digest_bytes(char hex[PE_OID_HEX], const void *bytes, size_t n);

/**
 * Of what a descriptor has from where it stands: the digest of the digests of its pieces of 1 MiB, so that no file is
 * too large for memory.
 *
 * @return  0; -1 with errno
 */
int pe_digest_fd(char hex[PE_OID_HEX], int fd);

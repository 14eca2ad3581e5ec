#include "vcs/digest.h"

#include "core/base/arena.h"
#include "core/base/text.h"

#include <errno.h>
#include <git2.h>
#include <unistd.h>

enum { PIECE_BYTES = 1 << 20 };

int pe_digest_bytes(char hex[PE_OID_HEX], const void *bytes, size_t n)
{
	git_oid id;

	errno = ENOMEM;
	if (git_odb_hash(&id, bytes, n, GIT_OBJECT_BLOB) != 0)
		return -1;
	git_oid_tostr(hex, PE_OID_HEX, &id);
	return 0;
}

/* Pieces are whole but for the last one, also where read(2) gives less. */
static ssize_t read_piece(int fd, char *piece)
{
	size_t n = 0;

	while (n < PIECE_BYTES) {
		ssize_t got = read(fd, piece + n, PIECE_BYTES - n);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -1;
		if (got == 0)
			break;
		n += (size_t)got;
	}
	return (ssize_t)n;
}

int pe_digest_fd(char hex[PE_OID_HEX], int fd)
{
	pe_auto_free char *piece = pe_realloc(NULL, PIECE_BYTES, 1);
	pe_auto_text all = PE_TEXT_INIT;
	ssize_t n;

	while ((n = read_piece(fd, piece)) > 0) {
		if (pe_digest_bytes(hex, piece, (size_t)n) != 0)
			return -1;
		pe_text_add(&all, hex);
	}
	return n < 0 ? -1 : pe_digest_bytes(hex, pe_text_str(&all), all.len);
}

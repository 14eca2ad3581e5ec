/*
 * Parcel: all that is in a folder as one file, to be unpacked elsewhere: files with their modes and times, folders and
 * links. What a parcel says is not trusted: it is unpacked below the folder that is given, following no link.
 */
#ifndef PE_CORE_BASE_PARCEL_H
#define PE_CORE_BASE_PARCEL_H

#include "core/base/err.h"

#include <stdint.h>

/** What may not be packed. */
struct pe_parcel_bounds {
	const char *unwanted; /**< in no file and no link's target; NULL: anything may be in them */
	uint64_t most_bytes;  /**< of all files together */
};

/**
 * Pack what is in a folder.
 *
 * @param out  a file that is open for writing, at its end; borrowed
 * @param dir  the open folder, in which nothing changes meanwhile; borrowed
 * @return     PE_EUNSUPPORTED: it has what is unwanted, more than most_bytes, or what is neither file, folder nor link, and
 *             the sentence says what; PE_EFULL, PE_ESYS
 */
int pe_parcel_pack(int out, int dir, const struct pe_parcel_bounds *bounds, struct pe_err *err);

/**
 * Unpack a parcel into an empty folder.
 *
 * @param in          open for reading, from where it stands to its end; borrowed
 * @param dir         the open folder; borrowed
 * @param most_bytes  that all files together may have
 * @return            PE_EINVALID: it is no parcel, or not all of one; PE_EFULL, PE_ESYS. What was unpacked so far is there
 */
int pe_parcel_unpack(int dir, int in, uint64_t most_bytes, struct pe_err *err);

#endif

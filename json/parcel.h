/* Parcel in: what report/parcel.h wrote, and whatever else somebody may have put in its place. */
#ifndef PE_JSON_PARCEL_H
#define PE_JSON_PARCEL_H

#include "core/base/arena.h"
#include "core/model/parcel.h"

/**
 * Read a parcel. Nothing in it is trusted: identifiers have their form, references their target, numbers are
 * finite and within the bounds that a store has, only measured runs have samples.
 *
 * @param document  n bytes
 * @param arena     owns everything in *out
 * @return          PE_EINVALID with the row that is wrong; PE_EUNSUPPORTED for a newer version
 */
int pe_json_parcel(struct pe_parcel *out, const char *document, size_t n, struct pe_arena *arena,
		   struct pe_err *err);

#endif

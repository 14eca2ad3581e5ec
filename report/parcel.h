/* Parcel out: a part of a store as one JSON document. json/parcel.h reads it. */
#ifndef PE_REPORT_PARCEL_H
#define PE_REPORT_PARCEL_H

#include "core/base/text.h"
#include "core/model/parcel.h"

/** Write a parcel (schema in the .c file). Equal parcels give equal bytes. */
void pe_parcel_json(struct pe_text *out, const struct pe_parcel *parcel);

#endif

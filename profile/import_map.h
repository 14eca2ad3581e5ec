/* Map: from two numbers to one, for the tables that importers keep while they read. */
#ifndef PE_PROFILE_IMPORT_MAP_H
#define PE_PROFILE_IMPORT_MAP_H

#include <stdbool.h>
#include <stdint.h>

struct pe_map_entry {
	uint64_t a, b;
	uint32_t value;
	bool is_used;
};

/** Zero-initialise; released by pe_map_release(). */
struct pe_map {
	struct pe_map_entry *slots;
	uint32_t n, n_slots;
};

/** The value of a key, put there when the key is new; *is_new (or NULL) says whether it was. */
uint32_t pe_map_put(struct pe_map *map, uint64_t a, uint64_t b, uint32_t value, bool *is_new);

/** The value of a key, or what is given instead. */
uint32_t pe_map_get(const struct pe_map *map, uint64_t a, uint64_t b, uint32_t otherwise);

/** Change the value of a key, or put it there. */
void pe_map_set(struct pe_map *map, uint64_t a, uint64_t b, uint32_t value);

void pe_map_release(struct pe_map *map);

#endif

#include "analysis/profile/addresses.h"

#include "core/base/arena.h"

#include <stdlib.h>
#include <string.h>

void pe_addresses_map(struct pe_addresses *addresses, struct pe_address_mapping mapping,
		      const void *build_id, size_t n_build_id)
{
	const char *hex = pe_arena_hex(addresses->arena, build_id, n_build_id);
	const struct pe_address_module *known = addresses->modules.data;
	uint32_t i = 0;

	while (i < addresses->modules.n && (strcmp(known[i].path, mapping.module.path) != 0 ||
					    strcmp(known[i].build_id, hex) != 0))
		i++;
	if (i == addresses->modules.n)
		pe_vec_push(&addresses->modules,
			    (struct pe_address_module){
				    pe_arena_strdup(addresses->arena, mapping.module.path), hex});
	mapping.number = i;
	mapping.module.path = addresses->modules.data[i].path;
	mapping.module.build_id = addresses->modules.data[i].build_id;
	pe_vec_push(&addresses->mappings, mapping);
}

/* Find the mapping of an address, the last one first; NULL: none. */
static const struct pe_address_mapping *find_mapping(struct pe_addresses *addresses,
						     uint64_t address, uint64_t generation)
{
	for (size_t i = 0; i < addresses->mappings.n; i++) {
		const size_t at = (addresses->last + i) % addresses->mappings.n;
		const struct pe_address_mapping *mapping = &addresses->mappings.data[at];

		if (mapping->generation == generation && address >= mapping->module.start &&
		    address < mapping->module.end) {
			addresses->last = at;
			return mapping;
		}
	}
	return NULL;
}

/* Add the methods at an address to the steps. */
static int resolve(struct pe_addresses *addresses, const struct pe_module *module, uint64_t address,
		   struct pe_err *err)
{
	static const struct pe_symbol generated = {
		.frame = {.name = "(generated code)", .kind = PE_FRAME_UNKNOWN}};
	struct pe_symbols symbols = {.at = &generated, .n = 1};

	if (module != NULL)
		PE_TRY(addresses->symbolizer->resolve(&symbols, module, address,
						      addresses->symbolizer->payload, err));
	if (symbols.n == 0)
		return pe_fail(err, PE_ESYS, "no answer for an address in %s", module->path);
	for (size_t i = symbols.n; i-- > 0;)
		pe_vec_push(&addresses->steps,
			    (struct pe_address_step){
				    pe_frames_add(addresses->frames, &symbols.at[i].frame),
				    symbols.at[i].line,
			    });
	return PE_OK;
}

int pe_addresses_find(struct pe_address_chain *out, struct pe_addresses *addresses,
		      uint64_t address, uint64_t generation, struct pe_err *err)
{
	const struct pe_address_mapping *mapping = find_mapping(addresses, address, generation);
	const struct pe_module *module = mapping != NULL ? &mapping->module : NULL;
	const uint64_t key = mapping != NULL ? mapping->number : UINT64_MAX;
	const uint32_t *found;
	uint32_t first;

	*out = (struct pe_address_chain){NULL, 0};
	if (mapping != NULL && mapping->is_skipped)
		return PE_OK;
	address -= module != NULL ? module->bias : 0;
	found = pe_map_find(&addresses->numbers, key, address);
	if (found == NULL) {
		PE_TRY(resolve(addresses, module, address, err));
		found = pe_map_put(&addresses->numbers, key, address, (uint32_t)addresses->ends.n,
				   NULL);
		pe_vec_push(&addresses->ends, (uint32_t)addresses->steps.n);
	}
	first = *found > 0 ? addresses->ends.data[*found - 1] : 0;
	out->at = &addresses->steps.data[first];
	out->n = addresses->ends.data[*found] - first;
	return PE_OK;
}

void pe_addresses_release(struct pe_addresses *addresses)
{
	pe_vec_release(&addresses->modules);
	pe_vec_release(&addresses->mappings);
	pe_vec_release(&addresses->steps);
	pe_vec_release(&addresses->ends);
	pe_map_release(&addresses->numbers);
}

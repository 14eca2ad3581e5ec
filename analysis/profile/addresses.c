#include "analysis/profile/addresses.h"

#include "core/base/arena.h"

#include <stdlib.h>
#include <string.h>

uint32_t pe_addresses_module(struct pe_addresses *addresses, struct pe_module *module,
			     const char *path, const void *build_id, size_t n_build_id)
{
	const char *hex = pe_arena_hex(addresses->arena, build_id, n_build_id);
	uint32_t i = 0;

	while (i < addresses->modules.n && (strcmp(addresses->modules.data[i].path, path) != 0 ||
					    strcmp(addresses->modules.data[i].build_id, hex) != 0))
		i++;
	if (i == addresses->modules.n)
		pe_vec_push(
			&addresses->modules,
			(struct pe_address_module){pe_arena_strdup(addresses->arena, path), hex});
	module->path = addresses->modules.data[i].path;
	module->build_id = addresses->modules.data[i].build_id;
	return i;
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
		      const struct pe_module *module, uint32_t number, uint64_t address,
		      struct pe_err *err)
{
	const uint64_t key = module != NULL ? number : UINT64_MAX;
	const uint32_t *found;
	uint32_t first;

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
	pe_vec_release(&addresses->steps);
	pe_vec_release(&addresses->ends);
	pe_map_release(&addresses->numbers);
}

/* Names of addresses: a map from (module, address) to runs of steps. */
#include "analysis/profile/samples_names.h"

#include "core/base/text.h"

#include <stdlib.h>
#include <string.h>

#define OWN_PREFIX "libperfevo_"

static void add_module(struct pe_samples_names *names, const struct pe_samples_module *module)
{
	const char *path = pe_samples_module_path(module);
	const char *hex = pe_arena_hex(names->arena, module->build_id, module->n_build_id);

	for (uint32_t i = 0; i < names->modules.n; i++)
		if (strcmp(names->modules.data[i].path, path) == 0 &&
		    strcmp(names->modules.data[i].build_id, hex) == 0) {
			pe_vec_push(&names->of_file, i);
			return;
		}
	pe_vec_push(&names->of_file, (uint32_t)names->modules.n);
	pe_vec_push(&names->modules,
		    (struct pe_samples_module_name){
			    .path = pe_arena_strdup(names->arena, path),
			    .build_id = hex,
			    .own = strncmp(pe_path_name(path), OWN_PREFIX, strlen(OWN_PREFIX)) == 0,
		    });
}

/* Add the frame of code in no file: generated while the program ran. */
static uint32_t add_nowhere(struct pe_samples_names *names)
{
	struct pe_frame frame = {.name = "(generated code)", .kind = PE_FRAME_UNKNOWN};

	return pe_frames_add(names->frames, &frame);
}

static int resolve(struct pe_samples_names *names, struct pe_samples_chain *chain,
		   const struct pe_module *module, struct pe_err *err)
{
	struct pe_symbols symbols = {0};
	int rc;

	chain->first = (uint32_t)names->steps.n;
	if (module == NULL) {
		pe_vec_push(&names->steps, (struct pe_samples_step){.frame = add_nowhere(names)});
	} else if (!names->modules.data[chain->module].own) {
		rc = names->symbolizer->resolve(&symbols, module, chain->address,
						names->symbolizer->payload, err);
		if (rc != PE_OK)
			return rc;
		for (size_t i = symbols.n; i-- > 0;)
			pe_vec_push(&names->steps,
				    (struct pe_samples_step){
					    pe_frames_add(names->frames, &symbols.at[i].frame),
					    symbols.at[i].line,
				    });
	}
	chain->n = (uint32_t)names->steps.n - chain->first;
	return PE_OK;
}

/* Find the module at an address in a generation; the number of modules if there is none. */
static size_t find_module(const struct pe_samples_file *file, uint64_t address, uint64_t generation)
{
	size_t i = 0;

	while (i < file->modules.n &&
	       (file->modules.data[i]->generation != generation ||
		address < file->modules.data[i]->start || address >= file->modules.data[i]->end))
		i++;
	return i;
}

int pe_samples_names_find(const struct pe_samples_chain **out, struct pe_samples_names *names,
			  const struct pe_samples_file *file, uint64_t address, uint64_t generation,
			  struct pe_err *err)
{
	size_t index = find_module(file, address, generation);
	struct pe_samples_chain chain = {.address = address, .module = UINT32_MAX};
	struct pe_module module = {0};
	const uint32_t *number;
	int rc;

	if (index < file->modules.n) {
		const struct pe_samples_module *found = file->modules.data[index];
		const struct pe_samples_module_name *known;

		chain.module = names->of_file.data[index];
		chain.address -= found->bias;
		known = &names->modules.data[chain.module];
		module = (struct pe_module){known->path, known->build_id, found->start, found->end,
					    found->bias};
	}
	number = pe_map_find(&names->numbers, chain.module, chain.address);
	if (number == NULL) {
		rc = resolve(names, &chain, module.path != NULL ? &module : NULL, err);
		if (rc != PE_OK)
			return rc;
		number = pe_map_put(&names->numbers, chain.module, chain.address,
				    (uint32_t)names->chains.n, NULL);
		pe_vec_push(&names->chains, chain);
	}
	*out = &names->chains.data[*number];
	return PE_OK;
}

void pe_samples_names_begin(struct pe_samples_names *names, const struct pe_samples_file *file)
{
	names->of_file.n = 0;
	for (size_t i = 0; i < file->modules.n; i++)
		add_module(names, file->modules.data[i]);
}

void pe_samples_names_release(struct pe_samples_names *names)
{
	pe_vec_release(&names->modules);
	pe_vec_release(&names->chains);
	pe_vec_release(&names->steps);
	pe_vec_release(&names->of_file);
	pe_map_release(&names->numbers);
}
